package cases

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"ibid/fetch"
)

// fetchScenario plays a net with names whose addresses change and redirects that lead inside, and asks the guarded client
// for its URLs. 127.0.0.2 plays every public address; 127.0.0.1 on the same port is watched.
func fetchScenario(t *testing.T, c failureCase) {
	var s struct {
		DNS  map[string][][]netip.Addr
		HTTP map[string]struct {
			Status   int
			Location string
		}
		Fetch []string
	}
	c.json(t, "file", &s)
	outcomes := strs(c.Expect["outcomes"])
	if len(s.Fetch) == 0 || len(s.Fetch) != len(outcomes) {
		t.Skip("not run: it is no scenario of fetches")
	}
	web := netip.MustParseAddr("127.0.0.2")
	l, err := net.Listen("tcp", web.String()+":0")
	if err != nil {
		t.Skipf("this machine cannot play the net: %v", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	var inside atomic.Int64
	canary, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Skipf("this machine cannot play the net: %v", err)
	}
	defer canary.Close()
	go func() {
		for {
			conn, err := canary.Accept()
			if err != nil {
				return
			}
			inside.Add(1)
			conn.Close()
		}
	}()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		if a, ok := s.HTTP["http://"+host+r.URL.RequestURI()]; ok {
			w.Header()["Location"] = []string{a.Location}
			w.WriteHeader(a.Status)
			return
		}
		io.WriteString(w, "text")
	}))
	server.Listener.Close()
	server.Listener = l
	server.Start()
	defer server.Close()
	names := &changingNames{answers: s.DNS, asked: map[string]int{}, public: web}
	client := fetch.NewClient(fetch.ClientConfig{UserAgent: "ibid-test", Timeout: 5 * time.Second, AllowPorts: []int{port},
		AllowAddresses: []netip.Prefix{netip.PrefixFrom(web, 32)}, Resolver: &net.Resolver{PreferGo: true, Dial: names.dial}})
	for i, raw := range s.Fetch {
		host, path, _ := strings.Cut(strings.TrimPrefix(raw, "http://"), "/")
		at := fmt.Sprintf("http://%s:%d/%s", host, port, path)
		for again := range 3 { // a name that changes has changed by then
			_, err := client.Do(t.Context(), fetch.Request{URL: at})
			var u *fetch.Unavailable
			if err != nil && !errors.As(err, &u) {
				t.Fatal(err)
			}
			denied := u != nil && (u.Outcome == fetch.Refused || u.Outcome == fetch.Moved)
			right := false
			switch want := outcomes[i]; {
			case want == "denied":
				right = denied
			case want == "too_many_redirects":
				right = u != nil && strings.Contains(u.Reason, "redirects")
			case strings.HasPrefix(want, "ok_or_denied"):
				right = denied || err == nil && again == 0
			case want == "ok":
				right = err == nil
			default:
				t.Fatalf("no way to check the outcome %q", want)
			}
			if !right {
				t.Errorf("%s, time %d: %v, want %s", raw, again+1, err, outcomes[i])
			}
		}
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("127.0.0.1 was reached %d times", n)
	}
}

// changingNames is a name server in memory. Of a name's answers, each is given once, and the last for ever. Public
// addresses are given as the one that plays them.
type changingNames struct {
	answers map[string][][]netip.Addr
	public  netip.Addr
	mu      sync.Mutex
	asked   map[string]int
}

// dial connects to it: messages go over a stream, as over TCP (RFC 7766).
func (n *changingNames) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer ours.Close()
		for {
			var size [2]byte
			if _, err := io.ReadFull(ours, size[:]); err != nil {
				return
			}
			question := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(ours, question); err != nil {
				return
			}
			answer := n.answer(question)
			if _, err := ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
				return
			}
		}
	}()
	return theirs, nil
}

func (n *changingNames) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if q.Type == dnsmessage.TypeA {
		n.mu.Lock()
		name := strings.TrimSuffix(q.Name.String(), ".")
		list := n.answers[name]
		if i := min(n.asked[name], len(list)-1); i >= 0 {
			for _, addr := range list[i] {
				if !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsLinkLocalUnicast() {
					addr = n.public
				}
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.AResource{A: addr.As4()}})
			}
		}
		n.asked[name]++
		n.mu.Unlock()
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}
