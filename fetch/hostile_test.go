package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// A hostileServer is one behaviour of a server, and what must come of it.
type hostileServer struct {
	name  string
	serve func(net.Conn) // the request's head has been read; the connection is closed behind it
	tls   *tls.Config    // nil: plain HTTP
	roots *x509.CertPool
	raw   bool // serve reads the request itself, if at all
	ask   Request
	code  string                        // of the fault; "" is an answer
	slow  bool                          // the client's time ends it
	check func(*testing.T, *Response)   // of an answer
	setup func(*Client, net.Listener)   // of the client
	after func(*testing.T, *hostileRun) // when it is over
}

// A hostileRun is what was seen of one exchange.
type hostileRun struct {
	resp  *Response
	fault *exchangeFault
	conns int
	took  time.Duration
}

const hostileTime = 300 * time.Millisecond

// run plays the server and asks it once.
func (h *hostileServer) run(t *testing.T) *hostileRun {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	run := &hostileRun{}
	var all sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			run.conns++
			mu.Unlock()
			all.Go(func() {
				defer c.Close()
				h.play(c)
			})
		}
	})
	scheme, timeout := "http", 20*time.Second
	if h.tls != nil {
		scheme = "https"
	}
	if h.slow {
		timeout = hostileTime
	}
	c := NewClient(ClientConfig{UserAgent: "ibid-test/1", AllowAddresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Resolve: map[string]string{"a.example": l.Addr().String()}, RootCAs: h.roots, Timeout: timeout})
	if h.setup != nil {
		h.setup(c, l)
	}
	ask := h.ask
	if ask.URL == "" {
		ask.URL = scheme + "://a.example/"
	}
	begin := time.Now()
	resp, fault := c.do(t.Context(), ask)
	took := time.Since(begin)
	l.Close()
	mu.Lock()
	for c := range open {
		c.Close()
	}
	mu.Unlock()
	all.Wait()
	run.resp, run.fault, run.took = resp, fault, took
	return run
}

func (h *hostileServer) play(c net.Conn) {
	if h.tls != nil && !h.raw {
		secure := tls.Server(c, h.tls)
		if secure.Handshake() != nil {
			return
		}
		c = secure
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			h.serve(c)
			return
		}
	}
	if !h.raw {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
	}
	h.serve(c)
}

// holds checks what came of it.
func (h *hostileServer) holds(t *testing.T, run *hostileRun) {
	t.Helper()
	if got := codeOf(run.fault); got != h.code {
		t.Errorf("%q (%+v, %v), want %q", got, run.resp, run.fault, h.code)
		return
	}
	if run.fault != nil {
		if u := run.fault.unavailable("u"); u.Outcome == "" || u.Reason == "" || u.Hint == "" {
			t.Errorf("incomplete: %+v", u)
		}
	}
	if limit := hostileTime + 500*time.Millisecond; h.slow && run.took > limit {
		t.Errorf("it took %v, more than %v", run.took, limit)
	}
	if h.check != nil && run.resp != nil {
		h.check(t, run.resp)
	}
	if h.after != nil {
		h.after(t, run)
	}
}

// peak samples the heap while f runs and returns by how much it grew at most, in bytes.
func peak(f func()) int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() int64 {
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	base := read()
	ctx, stop := context.WithCancel(context.Background())
	var most int64
	var done sync.WaitGroup
	done.Go(func() {
		for ctx.Err() == nil {
			most = max(most, read())
			time.Sleep(200 * time.Microsecond)
		}
	})
	f()
	stop()
	done.Wait()
	return most - base
}

// Every odd or hostile server gives a typed outcome, in time, within the memory of the cap and 16 MiB.
func TestHostileServers(t *testing.T) {
	servers := hostileServers(t)
	if len(servers) < 50 {
		t.Fatalf("only %d servers", len(servers))
	}
	names := map[string]bool{}
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	for _, h := range servers {
		if names[h.name] {
			t.Errorf("%s is there twice", h.name)
		}
		names[h.name] = true
		if h.slow {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			var run *hostileRun
			grew := peak(func() { run = h.run(t) })
			h.holds(t, run)
			limit := h.ask.MaxBody
			if limit == 0 {
				limit = MaxHTML
			}
			if grew > limit+16<<20 {
				t.Errorf("it took %d KiB of memory, more than %d", grew>>10, (limit+16<<20)>>10)
			}
			t.Logf("%v, %d KiB, %v", run.took.Round(time.Millisecond), grew>>10, run.fault)
		})
	}
	grew := peak(func() {
		t.Run("slow", func(t *testing.T) {
			for _, h := range servers {
				if h.slow {
					t.Run(h.name, func(t *testing.T) {
						t.Parallel()
						h.holds(t, h.run(t))
					})
				}
			}
		})
	})
	if grew > MaxHTML+16<<20 {
		t.Errorf("the slow ones together took %d KiB of memory", grew>>10)
	}
}

// forever writes until it cannot.
func forever(c net.Conn, b []byte) {
	for {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// drip writes a byte now and then, until it cannot.
func drip(c net.Conn, text string) {
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// quiet waits until the other side hangs up.
func quiet(c net.Conn) {
	var b [512]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			return
		}
	}
}

// reset makes the coming hang-up a rude one.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
}

// says answers with these bytes and hangs up.
func says(parts ...string) func(net.Conn) {
	answer := []byte(strings.Join(parts, ""))
	return func(c net.Conn) { c.Write(answer) }
}
