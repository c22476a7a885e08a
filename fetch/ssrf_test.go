package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"slices"
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
	if verdict != wanted || code != sameCode(wantedCode) {
		t.Errorf("%s: %s %s (%v); want %s %s: %s", c.input, verdict, code, fault, wanted, wantedCode, c.why)
	}
}

// sameCode is our name of what a table may call otherwise.
func sameCode(code string) string {
	switch code {
	case "body_too_big", "too_big", "size", "limit", "cap":
		return faultTooLarge
	case "connection", "refused":
		return faultConnect
	}
	return code
}

func (c ssrfCase) url(t *testing.T) {
	u, fault := strict().check(c.input)
	c.is(t, fault)
	if fault == nil && strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }) {
		t.Errorf("%s: the host %s is not shown in ASCII", c.input, u.Host)
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
		for _, record := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '+' }) {
			kind, value, _ := strings.Cut(strings.TrimSpace(record), "=")
			value, note, _ := strings.Cut(value, " ") // "A=10.0.0.1 x100", "A=10.0.0.1 (TTL 0)"
			addr, err := netip.ParseAddr(value)
			before := len(a.addrs)
			switch {
			case value == "" && regexp.MustCompile(`(?i)^(NXDOMAIN|NODATA|none|no (answer|records?|address(es)?)|empty)$`).MatchString(kind):
			case value == "" && regexp.MustCompile(`(?i)^(SERVFAIL|REFUSED|FORMERR|time ?out|no response)`).MatchString(kind):
				a.fails = true
			case kind == "TTL":
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
			if n, err := strconv.Atoi(strings.Trim(note, "x*() ")); err == nil && len(a.addrs) > before {
				for range min(n, 200) - 1 {
					a.addrs = append(a.addrs, a.addrs[before])
				}
			}
		}
		answers = append(answers, a)
	}
	host := strings.Trim(strings.TrimPrefix(c.input, "http://"), "/")
	world.resolves(host, answers...)
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		if n := len(answers); n > 1 && r.URL.Path != "/"+strconv.Itoa(n-1) {
			at, _ := strconv.Atoi(r.URL.Path[1:])
			http.Redirect(w, r, "/"+strconv.Itoa(at+1), http.StatusFound)
			return
		}
		fmt.Fprint(w, "text")
	})
	_, fault := client.do(t.Context(), Request{URL: world.at(c.input)})
	c.is(t, fault)
}

// redirect plays "from -> to": a URL, a path, a chain of them, or an answer in words.
func (c ssrfCase) redirect(t *testing.T, world *testNet) {
	hops := strings.Split(c.input, " -> ")
	if len(hops) < 2 {
		t.Fatalf("%q is no redirect", c.input)
	}
	from, to := hops[0], hops[len(hops)-1]
	if url, note, noted := strings.Cut(to, " ("); noted && url != "" { // "(not in the run's host list)"
		to = url
		for _, word := range []string{"loop", "itself", "circle", "back"} {
			if strings.Contains(note, word) {
				to = from
			}
		}
	}
	hops[len(hops)-1] = to
	var arrived http.Header
	before, endless := world.requests.Load(), strings.Contains(to, "...") || strings.Contains(c.input, "...")
	circle := len(hops) > 1 && slices.Contains(hops[:len(hops)-1], to)
	secret := http.Header{"Authorization": {"Bearer secret"}, "Cookie": {"session=secret"}, "X-Api-Key": {"secret"}}
	world.handle(func(w http.ResponseWriter, r *http.Request) {
		hop := int(world.requests.Load() - before)
		if circle && hop >= len(hops) {
			hop = 1 + (hop-1)%(len(hops)-1)
		}
		if hop >= len(hops) && !endless {
			arrived = r.Header
			fmt.Fprint(w, "text")
			return
		}
		if endless {
			n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
			http.Redirect(w, r, "/"+strconv.Itoa(n+1), http.StatusFound)
			return
		}
		world.says(w, hops[hop])
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
	if resp != nil && arrived != nil && hostOf(resp.URL) != hostOf(from) {
		for name := range secret {
			if arrived.Get(name) != "" {
				t.Errorf("%s: %s went to %s", c.input, name, resp.URL)
			}
		}
	}
}

// says answers with a redirect to a URL, or as words tell: "307 with a body", "(302 without Location)", "302 with Location:
// http://…", "200 with header Refresh: …", "200 with <script>…".
func (n *testNet) says(w http.ResponseWriter, words string) {
	answered, words2, _ := strings.Cut(words, " ")
	status, err := strconv.Atoi(strings.Trim(answered, "()"))
	if err != nil {
		w.Header()["Location"] = []string{n.at(words)}
		w.WriteHeader(http.StatusFound)
		return
	}
	field := regexp.MustCompile(`(?:with |header |and )+([A-Z][A-Za-z-]+): ?(.*?)\)?$`).FindStringSubmatch(words2)
	several := regexp.MustCompile(`two|several|double|duplicate`).MatchString(words2)
	switch {
	case field != nil && field[1] == "Location":
		w.Header()["Location"] = []string{n.at(field[2])}
	case field != nil:
		w.Header().Set(field[1], field[2])
	case several:
		w.Header()["Location"] = []string{n.at("http://www.good.example/"), n.at("http://127.0.0.1/")}
	case strings.Contains(words2, "empty"):
		w.Header()["Location"] = []string{""}
	case status/100 == 3 && strings.HasSuffix(words2, "with a body"):
		w.Header().Set("Location", n.at("http://www.good.example/"))
	}
	w.WriteHeader(status)
	switch {
	case status/100 == 3 && strings.HasSuffix(words2, "with a body"):
		fmt.Fprint(w, "a body")
	case status == http.StatusOK:
		fmt.Fprint(w, strings.TrimPrefix(words2, "with "))
	}
}

// TestRedirectsAndNamesInWords plays attacks as others may describe them.
func TestRedirectsAndNamesInWords(t *testing.T) {
	world := newTestNet(t)
	for _, c := range []ssrfCase{
		{kind: "redirect", input: "http://good.example/ -> http://169.254.169.254/latest/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> http://2130706433/", expected: "refuse", code: "host_numeric"},
		{kind: "redirect", input: "http://good.example/ -> gopher://good.example/", expected: "refuse", code: "scheme"},
		{kind: "redirect", input: "http://good.example/ -> data:text/html,x", expected: "refuse", code: "scheme"},
		{kind: "redirect", input: "http://good.example/ -> javascript:alert(1)", expected: "refuse", code: "scheme"},
		{kind: "redirect", input: "http://good.example/ -> //127.0.0.1/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> ///127.0.0.1/", expected: "refuse", code: "syntax"},
		{kind: "redirect", input: `http://good.example/ -> \\127.0.0.1\`, expected: "refuse", code: "syntax"},
		{kind: "redirect", input: "http://good.example/ -> http://localhost/", expected: "refuse", code: "host_special"},
		{kind: "redirect", input: "http://good.example/ -> http://[::1]/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> http://[::ffff:127.0.0.1]/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> https://good.example/", expected: "allow"},
		{kind: "redirect", input: "http://good.example/a -> ../b?c=d", expected: "allow"},
		{kind: "redirect", input: "http://good.example/a -> ?c=d", expected: "allow"},
		{kind: "redirect", input: "http://good.example/ -> http://www.good.example/", expected: "allow"},
		{kind: "redirect", input: "http://good.example/ -> http://good.example/ (to itself)", expected: "error", code: "redirect_limit"},
		{kind: "redirect", input: "http://good.example/ -> /b -> http://good.example/", expected: "error", code: "redirect_limit"},
		{kind: "redirect", input: "http://good.example/ -> /b -> http://127.0.0.1/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> /b -> /c -> /d", expected: "allow"},
		{kind: "redirect", input: "http://good.example/ -> 302 with Location: http://10.0.0.1/", expected: "refuse", code: "ip_special"},
		{kind: "redirect", input: "http://good.example/ -> 302 with two Location headers", expected: "error", code: "http"},
		{kind: "redirect", input: "http://good.example/ -> 302 with an empty Location", expected: "error", code: "http"},
		{kind: "redirect", input: "http://good.example/ -> 200 with Location: http://127.0.0.1/", expected: "ignore"},
		{kind: "redirect", input: "http://good.example/ -> 200 with <script>location='http://127.0.0.1/'</script>", expected: "ignore"},
		{kind: "redirect", input: "http://good.example/ -> 200 with header Link: <http://127.0.0.1/>; rel=preload", expected: "ignore"},
		{kind: "dns", input: "http://a.example/", context: "A=127.0.0.1", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "AAAA=::1", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "AAAA=::ffff:169.254.169.254", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "AAAA=fe80::1", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "A=0.0.0.0", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "A=168.63.129.16", expected: "refuse", code: "ip_extra"},
		{kind: "dns", input: "http://a.example/", context: "A=93.184.215.14 x20, A=10.0.0.1", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "A=93.184.215.14 (TTL 0) then A=93.184.215.14 then A=169.254.169.254", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "A=93.184.215.14 x30", expected: "allow"},
		{kind: "dns", input: "http://a.example/", context: "CNAME=b.example, A=93.184.215.14", expected: "allow"},
		{kind: "dns", input: "http://a.example/", context: "CNAME=localhost, A=127.0.0.1", expected: "refuse", code: "ip_special"},
		{kind: "dns", input: "http://a.example/", context: "SERVFAIL", expected: "error", code: "dns"},
		{kind: "dns", input: "http://a.example/", context: "NODATA", expected: "error", code: "dns"},
	} {
		t.Run(c.input+" "+c.context, func(t *testing.T) {
			before := world.canary.Load()
			if c.kind == "dns" {
				c.dns(t, world)
			} else {
				c.redirect(t, world)
			}
			if n := world.canary.Load() - before; n != 0 {
				t.Errorf("what must not be reached was reached %d times", n)
			}
		})
	}
}
