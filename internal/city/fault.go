package city

import (
	"net"
	"net/http"
	"time"
)

// A Fault is something that goes wrong with one request.
type Fault string

// Faults of the exchange, for model and search providers. What a provider has no word for is said in the nearest one
// that it has.
const (
	RateLimited Fault = "rate limited" // 429 with Retry-After: 1
	Overloaded  Fault = "overloaded"   // Anthropic: 529; others: 503
	ServerError Fault = "server error" // 500 in the provider's shape
	BadGateway  Fault = "bad gateway"  // 502 with a page of HTML from something in between
	Quota       Fault = "quota"        // nothing left to spend, in the provider's shape
	Reset       Fault = "reset"        // the connection is reset before any answer
	Slow        Fault = "slow"         // the answer takes Pause
)

// Faults of model answers.
const (
	TooLong       Fault = "too long"       // 400: the prompt does not fit the window
	Cut           Fault = "cut"            // the answer ends in the middle, without a word
	StreamError   Fault = "stream error"   // streams: an error event in the middle; else 500
	MalformedArgs Fault = "malformed args" // arguments that are no JSON; where the format forbids that, an empty object
	LengthStop    Fault = "length stop"    // the answer is cut by max_tokens
	NoContent     Fault = "no content"     // an answer that holds nothing: content null, or no blocks
	NoUsage       Fault = "no usage"       // an answer that does not say what it used
	Refusal       Fault = "refusal"        // the provider declines
	NoIDs         Fault = "no ids"         // OpenAI's format: tool calls without ids, as some compatible servers send them
	OddFraming    Fault = "odd framing"    // streams: CRLF, comments, no space after the colon, no final blank line
)

// Faults of searches.
const (
	Nothing  Fault = "nothing"  // a list without results
	HTMLPage Fault = "page"     // 202 with a page of HTML, as from a bot wall
	Degraded Fault = "degraded" // SearXNG: results, and engines that did not answer
	Dead     Fault = "dead"     // SearXNG: no results, and engines that did not answer
)

// Pause is how long a slow answer takes.
const Pause = 100 * time.Millisecond

const gatewayPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"

// page502 is what a proxy says in a provider's place.
func page502(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = w.Write([]byte(gatewayPage))
}

// reset breaks the connection with an RST.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// pause waits as long as a slow answer takes, or until nobody waits any more.
func (c *City) pause(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	case <-c.done:
	}
}

// portions are the sizes, in bytes, in which streams arrive: characters, names and line ends are cut anywhere.
var portions = []int{1, 7, 64, 3, 512, 29, 2, 200, 1500}

// unhurried is how many portions come apart in time, so that a reader gets them one by one.
const unhurried = 5

// drip sends a body in odd portions. With half it stops in the middle and breaks the connection.
func drip(w http.ResponseWriter, body []byte, half bool) {
	flush := http.NewResponseController(w)
	end := len(body)
	if half {
		end = end / 2
	}
	for i, at := 0, 0; at < end; i++ {
		n := min(portions[i%len(portions)], end-at)
		if _, err := w.Write(body[at : at+n]); err != nil {
			return
		}
		_ = flush.Flush()
		at += n
		if i < unhurried {
			time.Sleep(time.Millisecond)
		}
	}
	if half {
		hangUp(w)
	}
}

// hangUp sends what was written and breaks the connection.
func hangUp(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
