package fetch

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// serverBehaviours say how a behaviour of the table is played, by words of its description. The first that fits is played.
var serverBehaviours = []struct {
	words string // a pattern, of the description in lower case
	play  func(ssrfCase, *testing.T, *testNet)
}{
	{`robots`, ssrfCase.robots},
	{`proxy`, ssrfCase.proxy},
	{`(with|has|holds) (a |the )?(cached|stored|kept) copy|etag|if-none-match|last-modified|if-modified`, ssrfCase.unchanged},
	{`same url|differ only|asked (again|twice|\d+ times)`, ssrfCase.oneRequest},
	{`(urls|pages|requests|fetches) .*(one|same|a) host|at once|parallel|concurrent`, ssrfCase.oneAtATime},

	{`http/2.*(refus|reset)|rapid reset`, played("HTTP/2, every stream is reset", "HTTP/2, every stream is refused")},
	{`continuation`, played("HTTP/2, a flood of continuations")},
	{`http/2.*goaway|goaway`, played("HTTP/2, it goes away")},
	{`push`, played("HTTP/2, a page nobody asked for")},
	{`(settings|ping|window).*flood|flood.*(settings|ping|window)`, played("HTTP/2, pings and no answer", "HTTP/2, settings without end")},
	{`http/2.*(header|hpack)|hpack`, played("HTTP/2, 11 MB of headers", "HTTP/2, a header that unpacks to 4 MB")},
	{`http/2`, played("HTTP/2, a page")},

	{`(never|slow\w*|not) .*(tls|handshake)|(tls|handshake).*(never|slow|hang)`, played("never answers TLS")},
	{`self-signed|expired|not yet valid|unknown authority|untrusted`, played("a certificate of its own", "a certificate that has expired")},
	{`certificate|wrong name|hostname`, played("a certificate for another name")},
	{`(tls|ssl).*(1\.[01]|v?[23]\.0|only)`, played("TLS 1.0 only")},
	{`plain (http|text) .*(tls|https|443)`, played("plain HTTP where TLS should be")},

	{`1xx|100 continue|103|102|early hints|informational|interim`, played("100,000 interim answers")},
	{`(header|status line).*(slow|byte (a|per|every)|drip|trickl)|(slow|byte (a|per|every)|drip|trickl).*(header|status line)`, played("drips its header")},
	{`(mb|kb|gb|,000|endless|without end|never end).*(header|status line|set-cookie)|(header|status line|set-cookie).*(mb|kb|gb|,000|endless|without end|never end)`, played("11 MB of headers", "one header of 11 MB", "a header without end", "a status line without end")},
	{`(nul|control char).*header|header.*(nul|control char)`, played("a NUL in a header")},
	{`(content-length|length).*(and|with|plus) .*(chunked|transfer-encoding)|(chunked|transfer-encoding).*(and|with|plus) .*content-length`, played("a length and chunks", "chunks and a length")},
	{`(two|duplicate|different|several|conflicting) content-length|content-length.*(twice|two|differ)`, played("declares two lengths")},
	{`content-length.*(negative|-\d|not a number|letters|overflow|huge number)`, played("declares less than nothing", "declares more than a number holds")},
	{`content-length.*\d ?(gb|tb)`, played("declares 10 GB")},
	{`content-length.*(is sent|are sent|more)|more than (it )?(declare|content-length)`, played("more than it declares")},
	{`(but|and|then) (closes|ends|hangs up) |closes after|cut short|truncated|(missing|no|without) (final|last|terminating|closing) chunk`, plays(hostileServer{code: faultShortBody, ask: Request{MaxBody: MaxFile}, serve: says(ok200, "Content-Length: 5000000\r\n\r\n", strings.Repeat("x", 100))})},
	{`(reset|rst).*(body|middle|half)`, played("a reset inside the body")},
	{`chunk (size|length|extension)|(bad|invalid|malformed) chunk`, played("a chunk size of letters", "a chunk size without measure", "a flood of chunk extensions")},
	{`trailer`, played("trailers without end")},

	{`gzip, gzip|(gzip|encod).*(nested|twice|two layers)|(nested|double).*(gzip|encod)|(br|gzip|deflate), ?(br|gzip|deflate)`, played("gzip in gzip", "brotli in gzip")},
	{`(gzip|br|brotli|zstd|deflate|encod).*(not asked|unasked|not requested|never asked|unrequested)`, plays(hostileServer{code: faultEncoding, ask: Request{Header: http.Header{"Accept-Encoding": {"gzip"}}}, serve: says(bodied("Content-Encoding: br\r\n", "\x0b\x02\x80text\x03"))})},
	{`encoding.*(unknown|not known|foo|x-|compress|deflate|made up)|unknown.*encoding`, played("an unknown encoding", "deflate")},
	{`gzip.*(plain|not gzip|garbage|corrupt|broken|checksum|crc|cut)|(corrupt|broken|bad|truncated).*gzip`, played("gzip that is plain", "gzip with a wrong sum")},
	{`(gzip|br|brotli|zstd|deflate).*(ratio|under the cap)`, played("a gzip bomb under the cap", "a br bomb under the cap", "a zstd bomb under the cap")},
	{`(gzip|br|brotli|zstd|deflate|compress).*(bomb|\d ?gb|zeros)`, ssrfCase.bomb},

	{`not http|ssh|smtp|ftp banner|garbage|random bytes|noise|malformed (status|response)`, played("speaks SSH", "speaks SMTP", "a status of words")},
	{`http/0\.9`, played("speaks HTTP/0.9")},
	{`101|websocket|upgrade|switching protocols`, played("switches protocols")},
	{`set-cookie|cookie`, played("sets a cookie and redirects")},
	{`zip|docx|xlsx|laughs|entity|dtd|xxe|utf-8|charset|links|pdf|deep|nested|attribute|content-type|mime|sniff|one line|xml|svg|iframe|<script|<img|image`, ssrfCase.document},
	{`\b(204|205|3\d\d|4\d\d|5\d\d)\b|retry-after|empty body|0 bytes|no body`, ssrfCase.statuses},

	{`(endless|infinite|never end|without end|no content-length|\d ?gb|larger than|over the cap|unlimited).*|(body|chunk).*(forever|for ever)`, played("sends a body without end", "sends chunks without end", "sends a file without end")},
	{`(body|chunk|content).*(slow|byte (a|per|every)|drip|trickl|stall|silent|pause)|(slow|byte (a|per|every)|drip|trickl|stall).*`, played("drips its body", "drips chunks", "falls silent after its header")},
	{`never (answers|sends|responds|reads|replies)|silent|no answer|hangs|says nothing`, played("never answers")},
	{`(closes|hangs up|disconnects|drops).*(at once|immediately|without|before)|(refuse|reset)s?.*connection|connection (refused|reset)`, ssrfCase.noAnswer},
}

func (c ssrfCase) behaviour(t *testing.T, world *testNet) {
	world.handle(nil)
	for _, b := range serverBehaviours {
		if regexp.MustCompile(b.words).MatchString(strings.ToLower(c.input)) {
			b.play(c, t, world)
			return
		}
	}
	t.Fatalf("nothing plays %q", c.input)
}

// TestBehavioursInWords plays behaviours as others may describe them: none is without a player, or with a wrong one.
func TestBehavioursInWords(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	world := newTestNet(t)
	world.hostile = hostileServers(t)
	for _, c := range []struct{ words, expected, code string }{
		{"body without end, no Content-Length", "error", "too_large"},
		{"infinite chunked body", "error", "body_too_big"},
		{"10 GB body with Content-Length", "error", "too_large"},
		{"Content-Length: 10 GB", "error", "too_large"},
		{"sends one header byte per second", "error", "timeout"},
		{"headers at once, then one body byte per second (slow body)", "error", "timeout"},
		{"body drips one byte a second", "error", "timeout"},
		{"accepts TCP, never sends a byte", "error", "timeout"},
		{"TLS handshake hangs half way", "error", "timeout"},
		{"one header line of 2 MB", "error", "header_too_big"},
		{"100,000 header lines", "error", "header_too_big"},
		{"two different Content-Length headers", "error", "http"},
		{"Content-Length and Transfer-Encoding: chunked together", "error", "http"},
		{"Content-Length: -1", "error", "http"},
		{"chunked body without final chunk", "error", "short_body"},
		{"chunk size that overflows", "error", "http"},
		{"connection reset in the middle of the body", "error", "short_body"},
		{"closes the connection without a response", "error", "http"},
		{"gzip bomb: 10 MB unpack to 10 GB", "error", "too_large"},
		{"brotli body although not asked for", "error", "encoding"},
		{"Content-Encoding: unknown token", "error", "encoding"},
		{"Content-Encoding: gzip but body is plain text", "error", "encoding"},
		{"gzip body with broken checksum", "error", "encoding"},
		{"PDF with a stream that unpacks to 1 GB", "error", "ratio"},
		{"HTML with 50,000 nested divs", "error", "parse"},
		{"HTML tag with 100,000 attributes", "ok", ""},
		{"500 KB of HTML in one line", "ok", ""},
		{"Content-Type: image/png but HTML inside", "ok", ""},
		{"Content-Type: text/html but PNG bytes", "error", "type"},
		{"charset in the header contradicts the meta tag", "ok", ""},
		{"page with img, iframe and script pointing at 127.0.0.1", "ignore", ""},
		{"200 with an empty body", "error", "empty"},
		{"404 / 410", "error", "not_found"},
		{"429 with Retry-After: 120", "error", "retry_later"},
		{"503 with Retry-After: 999999999", "error", "retry_later"},
		{"Retry-After: -5", "error", "retry_later"},
		{"500 / 502 / 504", "error", "http"},
		{"304 with a cached copy (ETag)", "ok", ""},
		{"HTTP/0.9 response", "error", "http"},
		{"101 Switching Protocols", "error", "http"},
		{"HTTP/2 server pushes a stream", "error", "http"},
		{"HTTP/2 GOAWAY at once", "error", "http"},
		{"HTTP/2 SETTINGS flood", "error", "timeout"},
		{"expired certificate", "error", "tls"},
		{"certificate of an unknown authority", "error", "tls"},
		{"SSL 3.0 only", "error", "tls"},
		{"20 URLs of the same host at once", "ok", ""},
		{"robots.txt answers 404", "allow", ""},
		{"robots.txt answers 429", "refuse", "robots"},
		{"robots.txt never answers", "refuse", "robots"},
		{"robots.txt is an HTML page", "allow", ""},
		{"robots.txt redirects to another host", "ok", ""},
		{"robots.txt redirects 10 times", "allow", ""},
		{"robots.txt says Disallow: /", "refuse", "robots"},
		{"robots.txt with Content-Signal: ai-input=no", "refuse", "robots"},
	} {
		t.Run(c.words, func(t *testing.T) {
			before := world.canary.Load()
			ssrfCase{kind: "behaviour", input: c.words, expected: c.expected, code: c.code}.behaviour(t, world)
			if n := world.canary.Load() - before; n != 0 {
				t.Errorf("what must not be reached was reached %d times", n)
			}
		})
	}
}
