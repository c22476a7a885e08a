package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/internal/testset"
)

// What is asked goes out as it was asked, and nothing that nobody asked for goes with it.
func TestClientAsks(t *testing.T) {
	world := newTestNet(t)
	var got *http.Request
	var body []byte
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got, body = r, b; r.URL.Path == "/see-other" || r.URL.Path == "/repeat" {
			status := http.StatusSeeOther
			if r.URL.Path == "/repeat" {
				status = http.StatusTemporaryRedirect
			}
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(status)
			return
		}
		fmt.Fprint(w, "text")
	})
	client := world.client(5 * time.Second)
	do := func(r Request) (*Response, error) {
		t.Helper()
		r.URL = world.at(r.URL)
		return client.Do(t.Context(), r)
	}

	resp, err := do(Request{URL: "https://Good.Example/a%2Fb/é?q=1 2#part"})
	if err != nil || resp.URL != world.at("https://good.example/a%2Fb/%C3%A9?q=1%202") || string(resp.Body) != "text" || resp.Surplus {
		t.Fatalf("%+v, %v", resp, err)
	}
	if got.RequestURI != "/a%2Fb/%C3%A9?q=1%202" || got.UserAgent() != "ibid-test/1" || got.Proto != "HTTP/2.0" || got.Header.Get("Cookie")+got.Header.Get("Referer") != "" {
		t.Errorf("asked %s %s %v", got.Proto, got.RequestURI, got.Header)
	}
	key := http.Header{"X-Api-Key": {"secret"}, "content-type": {"application/json"}, "Accept": {"text/html"}}
	if _, err = do(Request{Method: "POST", URL: "http://good.example/", Header: key, Body: []byte("{}")}); err != nil || got.Method != "POST" || string(body) != "{}" ||
		got.Header.Get("X-Api-Key") != "secret" || got.Header.Get("Accept") != "text/html" {
		t.Errorf("%v: %s %q %v", err, got.Method, body, got.Header)
	}
	here := func(path string) string { return "http://good.example/" + path + "?to=" + url.QueryEscape("/x") }
	if _, err = do(Request{Method: "POST", URL: here("see-other"), Header: key, Body: []byte("{}")}); err != nil || got.Method != "GET" || len(body) > 0 || got.Header.Get("Content-Type") != "" {
		t.Errorf("after 303, %v: %s %q %v", err, got.Method, body, got.Header)
	}
	if _, err = do(Request{Method: "POST", URL: here("repeat"), Header: key, Body: []byte("{}")}); err != nil || got.Method != "POST" || string(body) != "{}" || got.Header.Get("X-Api-Key") != "secret" {
		t.Errorf("after 307, %v: %s %q %v", err, got.Method, body, got.Header)
	}
	beside := "http://good.example/repeat?to=" + url.QueryEscape(world.at("http://www.good.example/x"))
	if _, err = do(Request{URL: beside, Header: key}); err != nil || got.Header.Get("X-Api-Key") != "" || got.Header.Get("Accept") != "text/html" {
		t.Errorf("on another host of the site, %v: %v", err, got.Header)
	}
	var u *Unavailable
	if _, err = do(Request{Method: "POST", URL: beside, Header: key, Body: []byte("{}")}); !errors.As(err, &u) || u.Outcome != Moved || u.Location != world.at("http://www.good.example/x") {
		t.Errorf("a body for another host: %v", err)
	}
	if resp, err = do(Request{Method: "HEAD", URL: "http://good.example/"}); err != nil || len(resp.Body) != 0 || got.Method != "HEAD" {
		t.Errorf("HEAD: %+v, %v", resp, err)
	}
	if n := world.canary.Load(); n != 0 {
		t.Errorf("%d connections that should not be", n)
	}
}

// A body may be as large as the limit and no larger, also by the real HTTP/2.
func TestClientLimits(t *testing.T) {
	world := newTestNet(t)
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.URL.RawQuery)
		if err != nil {
			t.Error(err)
		}
		for page := make([]byte, 10<<10); size < 0; {
			if _, err := w.Write(page); err != nil {
				return
			}
		}
		w.Write(make([]byte, size))
	})
	client := world.client(5 * time.Second)
	for _, scheme := range []string{"http", "https"} {
		for _, c := range []struct {
			size int
			ask  Request
			code string
		}{
			{MaxHTML, Request{}, ""}, {MaxHTML + 1, Request{}, faultTooLarge}, {0, Request{}, ""}, {100, Request{MaxBody: 100}, ""}, {101, Request{MaxBody: 100}, faultTooLarge},
			{5 << 20, Request{MaxBody: MaxFile}, ""}, {-1, Request{}, faultTooLarge},
		} {
			c.ask.URL = world.at(scheme+"://good.example/") + "?" + strconv.Itoa(c.size)
			resp, fault := client.do(t.Context(), c.ask)
			if codeOf(fault) != c.code || fault == nil && len(resp.Body) != c.size {
				t.Errorf("%s, %d bytes: %v", scheme, c.size, fault)
			}
		}
	}
}

// An exchange ends with its context, whose error it is, and leaves nothing behind.
func TestClientStops(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	h := hostileServer{serve: quiet, setup: func(c *Client, _ net.Listener) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		begin := time.Now()
		_, err := c.Do(ctx, Request{URL: "http://a.example/"})
		if u := (*Unavailable)(nil); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &u) || time.Since(begin) > 550*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		cancelled, stop := context.WithCancel(t.Context())
		stop()
		if _, err := c.Do(cancelled, Request{URL: "http://a.example/"}); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}, ask: Request{URL: "ftp://a.example/"}}
	h.run(t)

	client := NewClient(ClientConfig{Timeout: hostileTime, Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}})
	begin := time.Now()
	_, fault := client.do(t.Context(), Request{URL: "http://a.example/"})
	if codeOf(fault) != faultTimeout || time.Since(begin) > hostileTime+500*time.Millisecond {
		t.Errorf("names without an answer: %v after %v", fault, time.Since(begin))
	}
}

// The address that an operator gives a name is checked like any other; the name need not be a public one.
func TestClientResolve(t *testing.T) {
	world := newTestNet(t)
	client := NewClient(ClientConfig{AllowAddresses: []netip.Prefix{netip.PrefixFrom(webAddr, 32)}, AllowPorts: []int{world.port}, Resolve: map[string]string{
		"wiki": fmt.Sprintf("127.0.0.2:%d", world.port), "here.example": "127.0.0.2", "canary.example": fmt.Sprintf("127.0.0.1:%d", world.port), "odd.example": "here.example"}})
	for raw, code := range map[string]string{"http://wiki/": "", "http://here.example:%d/": "", "http://canary.example/": faultSpecialIP, "http://odd.example/": faultDNS, "http://other/": faultSingleLabel} {
		if strings.Contains(raw, "%d") {
			raw = fmt.Sprintf(raw, world.port)
		}
		if _, fault := client.do(t.Context(), Request{URL: raw}); codeOf(fault) != code {
			t.Errorf("%s: %v, want %q", raw, fault, code)
		}
	}
	if n := world.canary.Load(); n != 0 {
		t.Errorf("%d connections that should not be", n)
	}
}

// The guard looks at the very address that is connected to, whatever was decided before.
func TestGuardControl(t *testing.T) {
	g := newAddressGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")})
	g.own = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("2606:4700::77"), Mask: net.CIDRMask(64, 128)}, &net.IPNet{IP: net.IPv4(8, 8, 4, 4), Mask: net.CIDRMask(24, 32)}}, nil
	}
	for address, code := range map[string]string{
		"8.8.8.8:80": "", "127.0.0.2:80": "", "[2606:4700::78]:443": "", "127.0.0.1:80": faultSpecialIP, "[::1]:80": faultSpecialIP, "[::ffff:127.0.0.2]:80": faultSpecialIP,
		"[fe80::1%eth0]:80": faultSpecialIP, "8.8.4.4:80": faultExtraIP, "[2606:4700::77]:443": faultExtraIP, "168.63.129.16:80": faultExtraIP, "nonsense": faultSpecialIP,
	} {
		var fault *exchangeFault
		if err := g.control(t.Context(), "tcp", address, nil); err != nil && !errors.As(err, &fault) {
			t.Error(err)
		}
		if codeOf(fault) != code {
			t.Errorf("%s: %v, want %q", address, fault, code)
		}
	}
	g.own = func() ([]net.Addr, error) { return nil, errors.New("no list") }
	if g.check(netip.MustParseAddr("8.8.8.8")) == nil {
		t.Error("without knowing its own addresses it lets one pass")
	}
}

// Who does not let redirects be followed is told where one leads, if it may be gone there at all.
func TestRedirectsAreTold(t *testing.T) {
	world := newTestNet(t)
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Location"] = r.URL.Query()["to"]
		w.WriteHeader(http.StatusFound)
	})
	here := func(raw string) string { return world.at(raw) }
	for _, c := range []struct {
		from, to, want string
		outcome        Outcome
	}{
		{"http://good.example/a/b", "c?x=1#/d", here("http://good.example/a/c?x=1#/d"), ""},
		{"http://good.example/a/b", here("https://good.example/"), here("https://good.example/"), ""},
		{"https://good.example/a/b", "//other.example/x", "https://other.example/x", ""},
		{"https://good.example/a/b", "http://other.example", "http://other.example/", ""},
		{"https://good.example/a/b", here("http://www.good.example/"), "", Refused},
		{"http://good.example/a/b", "http://169.254.169.254/latest/", "", Refused},
		{"http://good.example/a/b", "javascript:alert(1)", "", Refused},
		{"http://good.example/a/b", "http://%zz", "", Refused},
		{"http://good.example/a/b", "", "", Failed},
	} {
		at := here(c.from) + "?to=" + url.QueryEscape(c.to)
		resp, err := world.client(5*time.Second).Do(t.Context(), Request{URL: at, Redirects: -1})
		var u *Unavailable
		switch {
		case c.want != "" && (err != nil || resp.Location != c.want || resp.URL != at || resp.Status != http.StatusFound || resp.Body != nil):
			t.Errorf("%s → %s: %+v, %v; want %s", c.from, c.to, resp, err, c.want)
		case c.want == "" && (!errors.As(err, &u) || u.Outcome != c.outcome || u.Reason == "" || u.Hint == "" || resp != nil):
			t.Errorf("%s → %s: %+v, %v; want it %s", c.from, c.to, resp, err, c.outcome)
		}
	}
	if n := world.requests.Load(); n != 9 {
		t.Errorf("%d requests", n)
	}
}

// The scenario of the failure bank: a redirect to a metadata address and to a script, a loop, a name that changes its
// address, and a name with a public and a private one.
func TestRedirectAndRebinding(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(testset.Path(t, "cases"), "178-*"))
	if err != nil || len(dirs) != 1 {
		t.Skip("the failure bank has no such case")
	}
	var scenario struct {
		DNS  map[string][][]string
		HTTP map[string]struct {
			Status   int
			Location string
		}
		Fetch []string
	}
	var failure struct{ Expect struct{ Outcomes []string } }
	for name, v := range map[string]any{"scenario.json": &scenario, "case.json": &failure} {
		text, err := os.ReadFile(filepath.Join(dirs[0], name))
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(scenario.Fetch) == 0 || len(scenario.Fetch) != len(failure.Expect.Outcomes) {
		t.Fatalf("%d fetches, %d outcomes", len(scenario.Fetch), len(failure.Expect.Outcomes))
	}
	world := newTestNet(t)
	for host, answers := range scenario.DNS {
		var list []dnsAnswer
		for _, addrs := range answers {
			var a dnsAnswer
			for _, text := range addrs {
				addr := netip.MustParseAddr(text)
				if newAddressGuard(nil).check(addr) == nil {
					addr = webAddr
				}
				a.addrs = append(a.addrs, addr)
			}
			list = append(list, a)
		}
		world.resolves(host, list...)
	}
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		if answer, ok := scenario.HTTP["http://"+host+r.URL.Path]; ok {
			w.Header().Set("Location", answer.Location)
			w.WriteHeader(answer.Status)
			return
		}
		fmt.Fprint(w, "text")
	})
	client := world.client(5 * time.Second)
	outcomes := map[string][]string{"denied": {"refused"}, "ok_or_denied_but_never_127": {"ok", "refused"}, "too_many_redirects": {faultRedirects}}
	for i, raw := range append(scenario.Fetch, "http://rebind.example/again") {
		want := []string{"refused"} // its second answer
		if i < len(failure.Expect.Outcomes) {
			want = outcomes[failure.Expect.Outcomes[i]]
		}
		_, fault := client.do(t.Context(), Request{URL: world.at(raw)})
		got := "ok"
		if fault != nil {
			if got = fault.code; fault.outcome == Refused {
				got = "refused"
			}
		}
		if !slices.Contains(want, got) {
			t.Errorf("%s: %s (%v), want %v", raw, got, fault, want)
		}
	}
	if n := world.canary.Load(); n != 0 {
		t.Errorf("what must not be reached was reached %d times", n)
	}
}
