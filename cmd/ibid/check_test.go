package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ibid/fetch"
	"ibid/fetch/render"
	"ibid/foreign"
	"ibid/internal/city"
	"ibid/internal/testset"
)

// TestCheckLive: a report of somebody else over live pages, with links in its text. What stands in a page's place is told by what
// it is, nothing of this machine is asked, and a page that a source leads to by force is not believed.
func TestCheckLive(t *testing.T) {
	body := func(title, text string) []byte {
		return []byte("<!doctype html><title>" + title + "</title><main><h1>" + title + "</h1><p>" + text + "</p><p>This page was written for the people of the fjord, and it is a page like others.</p></main>")
	}
	fees := "The port of Halden raised its crane fees by four percent in May 2024."
	pages := []city.Page{
		{Host: "port.example", Path: "/fees", ContentType: "text/html", Body: body("Harbour fees", fees)},
		{Host: "mirror.example", Path: "/a/fees", ContentType: "text/html", Body: body("Harbour fees", fees)},
		{Host: "ferry.example", Path: "/log", ContentType: "text/html", Body: body("Log of the ferry", "The ferry carried 412 wagons in 2024.")},
	}
	c := city.Start(t, city.Options{Hostile: true, Inject: city.Inject{Pages: pages}})
	report := `# Halden

[The port](http://port.example/fees) raised its crane fees by four percent in May 2024.
The ferry carried 512 wagons in 2024 ([log](http://ferry.example/log?utm_source=mail)).
The pilots struck [5].
A page about batch sizes says so [here](http://hop.example/start).

1. It was so in the beginning ([a](http://port.example/gone)).
2. The internal page says so ([b](http://inward.example/page)).
3. The report is for eyes ([c](http://closed.example/report)).
4. The report is guarded ([d](http://guarded.example/report)).
5. The report has partners ([e](http://consent.example/report)).
6. The report is a script ([f](http://shell.example/report)).

## Sources

- [1] Fees. http://port.example/fees
- [2] The same. https://www.port.example/fees/?fbclid=7
- [3] A copy. http://mirror.example/a/fees
`
	r := liveCheck(t, c, report)
	for words, want := range map[string]foreign.Verdict{"crane fees": foreign.Supported, "512 wagons": foreign.Contradicted, "pilots": foreign.Dangling, "beginning": foreign.Unreachable} {
		got := foreign.Verdict("")
		for _, cl := range r.Claims {
			if strings.Contains(cl.Text, words) {
				got = cl.Verdict
			}
		}
		if got != want {
			t.Errorf("%q is %q, not %s", words, got, want)
		}
	}
	outcome := map[string]string{}
	for _, ref := range r.References {
		outcome[ref.Address] = ref.Outcome
	}
	for at, want := range map[string]string{"http://hop.example/start": "", "http://port.example/gone": "not_found", "http://inward.example/page": "refused", "http://closed.example/report": "blocked",
		"http://guarded.example/report": "blocked", "http://consent.example/report": "consent_wall", "http://shell.example/report": "js_required"} {
		if got, ok := outcome[at]; !ok || got != want {
			t.Errorf("%s: %q, not %q", at, got, want)
		}
	}
	codes := map[string]int{}
	for _, p := range r.Problems {
		codes[string(p.Code)]++
	}
	if codes["dangling"] != 1 || codes["doubled"] != 2 || codes["unused"] != 2 {
		t.Errorf("%v: %+v", codes, r.Problems)
	}
	if hits := c.Canary.Hits(); len(hits) > 0 {
		t.Errorf("the canary was called: %v", hits)
	}
	if n := len(c.RequestsTo("port.example")); n > 4 { // robots.txt, two pages
		t.Errorf("one host was asked %d times", n)
	}
}

// TestCheckRendered: with --render a page that needs its scripts is read in a browser.
func TestCheckRendered(t *testing.T) {
	if _, err := render.Find(""); err != nil {
		testset.Lacks(t, "a browser", err.Error())
	}
	script := "document.getElementById('root').innerHTML = '<main><h1>Losses</h1><p>Losses in the eastern grid fell to 2.7 percent in 2024, the operator said.</p></main>';"
	c := city.Start(t, city.Options{Inject: city.Inject{Pages: []city.Page{{Host: "app.example", Path: "/losses", ContentType: "text/html", Body: []byte(appPage)},
		{Host: "app.example", Path: "/app.js", ContentType: "text/javascript", Body: []byte(script)}}}})
	const report = "Losses in the eastern grid fell to 2.7 percent in 2024 ([a](http://app.example/losses))."
	if r := liveCheck(t, c, report); r.Counts.Unreachable != 1 || r.References[0].Outcome != "js_required" {
		t.Errorf("%+v", r)
	}
	if r := liveCheck(t, c, report, "--render"); r.Counts.Supported != 1 || !slices.Contains(r.References[0].Flags, fetch.FlagRendered) {
		t.Errorf("%+v", r)
	}
}

// liveCheck runs the program on a report, in a home of its own.
func liveCheck(t *testing.T, c *city.City, report string, flags ...string) (r foreign.Result) {
	t.Helper()
	dir := moveIn(t)
	config, file := filepath.Join(dir, "ibid.toml"), filepath.Join(dir, "report.md")
	for name, text := range map[string][]byte{config: append([]byte("[fetch]\ntimeout = 5\n"), bytes.TrimPrefix(cityConfig(c), []byte("[fetch]\n"))...), file: []byte(report)} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"--config", config, "--json", "check", file}, flags...), strings.NewReader(""), &out, &errs)
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, out.Bytes(), errs.Bytes())
	}
	if want := map[bool]int{true: exitOK, false: exitIntegrity}[r.OK]; code != want {
		t.Errorf("exit status %d, want %d", code, want)
	}
	return r
}
