package robots

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"ibid/internal/testset"
)

// TestGoogleCases runs the expectations of github.com/google/robotstxt (commit 22b355f, 2026-04).
func TestGoogleCases(t *testing.T) {
	body, err := os.ReadFile(testset.Path(t, "data", "robots-google-cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Test            string
		Robots, UA, URL []byte
		Allow           bool
	}
	if err := json.Unmarshal(body, &cases); err != nil || len(cases) < 140 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for i, c := range cases {
		path := "/"
		if _, rest, ok := strings.Cut(string(c.URL), "://"); ok {
			if slash := strings.IndexByte(rest, '/'); slash >= 0 {
				path = rest[slash:]
			}
		}
		if got := allowed(Parse(c.Robots), string(c.UA), path); got != c.Allow {
			t.Errorf("%d %s: %q, agent %q, %q: allowed=%v", i, c.Test, c.Robots, c.UA, c.URL, got)
		}
	}
}

func allowed(f *File, agent, path string) bool {
	_, ok := f.Rule(agent, path)
	return ok
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		file       string
		agent      string
		yes, never string // paths
	}{
		{"", "ibid", "/ /a?b=c", ""},
		{"\xef\xbb\xbfUser-agent: *\r\nDisallow: /a\r\n", "ibid", "/b", "/a /ab /a/b"},
		{"User-agent: *\rDisallow: /a\rAllow: /a/b", "ibid", "/a/b /a/bc", "/a /a/c"},
		{"  user-agent\t:\t*   \n\t DISALLOW :   /a   # why\n", "ibid", "/b", "/a"},
		{"useragent: *\ndissalow: /a\nUser agent: x\n", "ibid", "/b", "/a"},
		{"User-agent: *\nDisallow:\n", "ibid", "/ /a", ""},
		{"User-agent: *\nDisallow: /\n", "ibid", "/robots.txt", "/ /a /robots.txt?x"},
		{"Disallow: /\n", "ibid", "/a", ""}, // before any group
		{"User-agent: other\nDisallow: /\n", "ibid", "/a", ""},
		{"User-agent: ibid\nUser-agent: other\n\nDisallow: /a\nUser-agent: *\nDisallow: /", "ibid", "/b", "/a"},
		{"User-agent: IBID/2.0 (research)\nDisallow: /a\nUser-agent: *\nDisallow: /", "ibid", "/b", "/a"},
		{"User-agent: ibid-images\nDisallow: /a\nUser-agent: ibidem\nDisallow: /b", "ibid", "/a /b", ""},
		{"User-agent: ibid\nUser-agent: *\nDisallow: /", "ibid", "", "/ /a"},
		{"User-agent: ibid\nSitemap: https://a.example/s.xml\nUser-agent: other\nDisallow: /", "ibid", "", "/a"},
		{"User-agent: *\nDisallow: /*.pdf$\n", "ibid", "/a.pdf?x /a.pdfs /pdf", "/a.pdf /a/b.pdf /.pdf /a.pdf.pdf"},
		{"User-agent: *\nDisallow: /a*b*c$\n", "ibid", "/abcd /acb", "/abc /a-b-c /abcbc"},
		{"User-agent: *\nDisallow: /a$b\n", "ibid", "/a /ab", "/a$b"},
		{"User-agent: *\nDisallow: **/x\n", "ibid", "/y", "/x /a/x"},
		{"User-agent: *\nDisallow: /caf\u00e9\n", "ibid", "/cafe", "/caf%C3%A9 /caf%c3%a9/x /caf\u00e9"},
		{"User-agent: *\nDisallow: /%7Ejoe/ \n", "ibid", "/joe/", "/~joe/x /%7ejoe/"},
		{"User-agent: *\nDisallow: /~joe/\n", "ibid", "/joe/", "/%7Ejoe/x"},
		{"User-agent: *\nDisallow: /a%2Fb\n", "ibid", "/a/b", "/a%2fb"},
		{"User-agent: *\nDisallow: /a b\n", "ibid", "/a /ab", "/a%20b /a%20bc"},
		{"User-agent: *\nDisallow: /a[b]|c\n", "ibid", "/a", "/a%5Bb%5D%7Cc /a%5bb%5d%7cc /a[b]%7Cc"},
		{"User-agent: *\nDisallow: /a%5Bb\n", "ibid", "/a", "/a[b /a%5bb"},
		{"User-agent: *\nDisallow: /a%24b\nDisallow: /c%2Ad\nDisallow: /e%3Ff", "ibid", "/a /cd /cxd /e?f", "/a%24b /c%2ad /e%3ff"},
		{"\ufeff\ufeffUser-agent: *\nDisallow: /a\n", "ibid", "/b", "/a"},
		{"\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00 \x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00 \x00/\x00a\x00\n\x00", "ibid", "/b", "/a"},
		{"\xfe\xff\x00U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00 \x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00 \x00/\x00a\x00\n", "ibid", "/b", "/a"},
		{"User-agent: *\nAllow: /p\nDisallow: /p\n", "ibid", "/p", ""},
		{"User-agent: *\nDisallow: /p\nAllow: /p\n", "ibid", "/p", ""},
		{"User-agent: *\nDisallow: private\n", "ibid", "/private", ""},
		{"<!doctype html><html><body>User-agent: * Disallow: /</body></html>", "ibid", "/a", ""},
	} {
		f := Parse([]byte(c.file))
		for _, path := range strings.Fields(c.yes) {
			if !allowed(f, c.agent, path) {
				t.Errorf("%q forbids %s", c.file, path)
			}
		}
		for _, path := range strings.Fields(c.never) {
			line, ok := f.Rule(c.agent, path)
			if ok || !strings.HasPrefix(line, "Disallow: ") {
				t.Errorf("%q allows %s by %q", c.file, path, line)
			}
		}
	}
}

func TestOnlyTheBeginningIsRead(t *testing.T) {
	body := "User-agent: *\nDisallow: /early\n" + strings.Repeat("# padding\n", MaxFile/10-10) + "Disallow: /late-and-cut\n"
	for len(body) < MaxFile+100 {
		body += "Disallow: /beyond\n"
	}
	f := Parse([]byte(body))
	if allowed(f, "ibid", "/early") || !allowed(f, "ibid", "/b") {
		t.Error("a rule at the beginning is lost, or half a rule at the limit counts")
	}
	inside := Parse([]byte("User-agent: *\n" + strings.Repeat("# padding\n", 49_000) + "Disallow: /x\n"))
	if allowed(inside, "ibid", "/x") {
		t.Error("a rule within the first 490 kB is not read")
	}
}

func TestDelay(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"5": 5 * time.Second, "0.2": time.Second, "2.5": 2500 * time.Millisecond, "86400": 30 * time.Second, "0": 0, "-3": 0, "soon": 0, "NaN": 0, "Inf": 30 * time.Second, "": 0,
	} {
		if got := Parse([]byte("User-agent: *\nCrawl-delay: " + value + "\nDisallow: /x")).Delay("ibid"); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := Parse([]byte("User-agent: other\nCrawl-delay: 9\nUser-agent: other2\nDisallow: /")).Delay("ibid"); got != 0 {
		t.Errorf("another agent's delay counts: %v", got)
	}
}

func TestSignals(t *testing.T) {
	f := Parse([]byte(`User-Agent: *
Content-Signal: search=yes, ai-train=no
Content-Signal: /notes/ ai-input=no, search=yes
Content-Signal: /notes/open/ ai-input=yes
Content-Usage: /papers/*.pdf$ train-ai=n, ai-use=n;source=a
Content-Usage: /both ai-use=y
Content-Signal: /both ai-input=no
Content-Usage: /all ai=n
Content-Usage: /except ai=n, ai-use=y
Allow: /

User-agent: other
Content-Signal: ai-input=no
Allow: /
`))
	for path, want := range map[string]string{
		"/": "", "/notes/1": "ai-input=no", "/notes/open/1": "", "/papers/a.pdf": "ai-use=no", "/papers/a.html": "",
		"/both": "ai-input=no", "/all": "ai=no", "/except": "",
	} {
		if got := f.Signals("ibid", path).ForbidsInput(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if s := f.Signals("ibid", "/notes/1"); !s["search"] || s["ai-train"] {
		t.Errorf("%v; the general line still counts for what the special one does not mention", s)
	}
	if f.Signals("other", "/x").ForbidsInput() == "" {
		t.Error("an agent's own group is not heard")
	}
	for field, want := range map[string]string{
		"": "", "train-ai=n": "", "ai-train=no, ai-input=no": "ai-input=no", "AI-INPUT = NO": "ai-input=no", "ai-input": "", "ai-input=maybe": "",
		"ai-input=yes, ai-input=no": "ai-input=no", `ai-input="n"`: "ai-input=no", "ai-input=?0": "ai-input=no", ",;=,": "",
	} {
		if got := ParseSignals(field).ForbidsInput(); got != want {
			t.Errorf("%q: %q, want %q", field, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"User-agent: *\nDisallow: /*a*b$\nAllow: /index.html", "user-agent x\rcrawl-delay: 1e9\r\ncontent-signal: /a ai-input=no", "\xef\xbb\xbfallow:*%4"} {
		f.Add([]byte(s), "ibid", "/a/b?c=%c3")
	}
	f.Fuzz(func(t *testing.T, body []byte, agent, path string) {
		file := Parse(body)
		line, ok := file.Rule(agent, path)
		if ok != allowed(file, agent, path) || !ok && !strings.HasPrefix(line, "Disallow: ") {
			t.Errorf("%q decides that %q is allowed=%v", line, path, ok)
		}
		if d := file.Delay(agent); d != 0 && (d < minDelay || d > maxDelay) {
			t.Errorf("delay %v", d)
		}
		file.Signals(agent, path).ForbidsInput()
	})
}
