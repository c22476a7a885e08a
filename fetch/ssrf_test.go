package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/internal/testset"
)

// An ssrfCase is a line of the table of attacks: a URL, an answer of the DNS, a redirect or a server's behaviour, and
// what must come of it.
type ssrfCase struct{ id, kind, input, context, expected, code, why string }

func ssrfCases(t *testing.T) []ssrfCase {
	t.Helper()
	table, err := os.ReadFile(testset.Path(t, "data", "ssrf-cases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var list []ssrfCase
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 8 {
			t.Fatalf("line %d has %d columns", i+1, len(f))
		}
		if i == 0 {
			continue
		}
		input, err := strconv.Unquote(`"` + strings.ReplaceAll(f[3], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		list = append(list, ssrfCase{f[0], f[2], input, f[4], f[5], f[6], f[7]})
	}
	return list
}

func TestSSRFCases(t *testing.T) {
	list := ssrfCases(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Run("cases", func(t *testing.T) {
		world := newTestNet(t)
		world.hostile = hostileServers(t)
		for _, c := range list {
			t.Run(c.id, func(t *testing.T) {
				before := world.canary.Load()
				switch c.kind {
				case "url":
					c.url(t)
				case "dns":
					c.dns(t, world)
				case "redirect":
					c.redirect(t, world)
				case "behaviour":
					c.behaviour(t, world)
				default:
					t.Fatalf("no way to run the kind %q", c.kind)
				}
				if n := world.canary.Load() - before; n != 0 {
					t.Errorf("%s: what must not be reached was reached %d times", c.input, n)
				}
			})
		}
	})
}

// is holds an outcome against what is expected of the case.
func (c ssrfCase) is(t *testing.T, fault *exchangeFault) {
	t.Helper()
	verdict, code := "allow", ""
	if fault != nil {
		verdict, code = "error", fault.code
		switch fault.outcome {
		case Refused:
			verdict = "refuse"
		case Moved:
			verdict = "gate"
		}
		if u := fault.unavailable("u"); u.Outcome == "" || u.Reason == "" || u.Hint == "" {
			t.Errorf("%s: incomplete: %+v", c.input, u)
		}
	}
	wanted, wantedCode := c.expected, c.code
	if wanted == "ignore" || wanted == "ok" {
		wanted = "allow"
	}
	if wanted == "allow" { // what is flagged is shown in its ASCII form
		wantedCode = ""
	}
	if verdict != wanted || code != wantedCode {
		t.Errorf("%s: %s %s (%v); want %s %s: %s", c.input, verdict, code, fault, wanted, wantedCode, c.why)
	}
}

func (c ssrfCase) url(t *testing.T) {
	u, fault := strict().check(c.input)
	c.is(t, fault)
	if fault == nil && strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }) {
		t.Errorf("%s: the host %s is not shown in ASCII", c.input, u.Host)
	}
	if _, err := CheckURL(c.input); (err == nil) != (fault == nil) {
		t.Errorf("CheckURL says %v", err)
	}
}

// dns plays the answers, with 127.0.0.2 in place of every public address. Later answers are asked for by a redirect of
// the page to itself.
func (c ssrfCase) dns(t *testing.T, world *testNet) {
	strictly := newAddressGuard(nil)
	client := world.client(5 * time.Second)
	var answers []dnsAnswer
	for _, text := range strings.Split(c.context, " then ") {
		var a dnsAnswer
		for _, record := range strings.Split(text, ",") {
			kind, value, _ := strings.Cut(strings.TrimSpace(record), "=")
			addr, err := netip.ParseAddr(value)
			switch {
			case kind == "NXDOMAIN":
			case kind == "CNAME":
				a.cname = value
			case strings.HasPrefix(value, "<own"):
				own := netip.MustParseAddr("93.184.215.77")
				client.policy.guard.own = func() ([]net.Addr, error) {
					return []net.Addr{&net.IPNet{IP: own.AsSlice(), Mask: net.CIDRMask(24, 32)}}, nil
				}
				a.addrs = append(a.addrs, own)
			case err != nil:
				t.Fatalf("the answer %q is not understood", record)
			case strictly.check(addr) != nil:
				a.addrs = append(a.addrs, addr)
			case addr.Is4():
				a.addrs = append(a.addrs, webAddr)
			}
		}
		answers = append(answers, a)
	}
	host := strings.Trim(strings.TrimPrefix(c.input, "http://"), "/")
	world.resolves(host, answers...)
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		if len(answers) > 1 && r.URL.Path != "/again" {
			http.Redirect(w, r, "/again", http.StatusFound)
			return
		}
		fmt.Fprint(w, "text")
	})
	_, fault := client.do(t.Context(), Request{URL: world.at(c.input)})
	c.is(t, fault)
}

// redirect plays "from -> to": a URL, a path, a chain of paths, or an answer in words.
func (c ssrfCase) redirect(t *testing.T, world *testNet) {
	from, to, ok := strings.Cut(c.input, " -> ")
	if !ok {
		t.Fatalf("%q is no redirect", c.input)
	}
	to, _, _ = strings.Cut(to, " (not in")
	var arrived http.Header
	before, chain := world.requests.Load(), strings.Contains(to, "...")
	secret := http.Header{"Authorization": {"Bearer secret"}, "Cookie": {"session=secret"}, "X-Api-Key": {"secret"}}
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		if world.requests.Load() > before+1 && !chain {
			arrived = r.Header
			fmt.Fprint(w, "text")
			return
		}
		answered, words, _ := strings.Cut(to, " ")
		status, err := strconv.Atoi(strings.TrimPrefix(answered, "("))
		switch {
		case chain:
			n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
			http.Redirect(w, r, "/"+strconv.Itoa(n+1), http.StatusFound)
		case err != nil:
			w.Header().Set("Location", world.at(to))
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(words, "with header "):
			name, value, _ := strings.Cut(strings.TrimPrefix(words, "with header "), ":")
			w.Header().Set(name, strings.TrimSpace(value))
			fmt.Fprint(w, "text")
		case status/100 == 3 && words == "with a body":
			w.Header().Set("Location", world.at("http://www.good.example/"))
			w.WriteHeader(status)
			fmt.Fprint(w, "a body")
		case status/100 == 3:
			w.WriteHeader(status)
		default:
			fmt.Fprint(w, strings.TrimPrefix(words, "with "))
		}
	})
	resp, fault := world.client(5*time.Second).do(t.Context(), Request{URL: world.at(from), Header: secret})
	c.is(t, fault)
	requests := world.requests.Load() - before
	switch {
	case c.expected == "ignore" && requests != 1:
		t.Errorf("%s: %d requests", c.input, requests)
	case c.expected == "allow" && (requests < 2 || string(resp.Body) != "text"):
		t.Errorf("%s: %d requests, %+v", c.input, requests, resp)
	case c.expected == "gate" && fault.location != world.at(to):
		t.Errorf("%s: the gate would show %q", c.input, fault.location)
	case requests > 11:
		t.Errorf("%s: %d requests", c.input, requests)
	}
	if resp != nil && !strings.HasPrefix(resp.URL, strings.TrimSuffix(world.at(from), "/")) {
		for name := range secret {
			if arrived.Get(name) != "" {
				t.Errorf("%s: %s went to %s", c.input, name, resp.URL)
			}
		}
	}
}
