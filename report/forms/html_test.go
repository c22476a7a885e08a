package forms

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ibid/audit"
	"ibid/evidence"
	"ibid/internal/testset"
)

func page1(t testing.TB, r *Report) []byte {
	t.Helper()
	out, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCitationsOpen: in a browser that runs no script, a click on each citation opens its quote, marked, with its place.
func TestCitationsOpen(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	for _, text := range []string{"", draft} {
		r := ferry(t).report(text)
		b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
		b.look(320, "light")
		b.open(page1(t, r))
		cites := citations(strings.ReplaceAll(r.bundle.Report, `\_`, "_"))
		var buttons []string
		b.eval("[...document.querySelectorAll('button.cite')].map(e => e.textContent)", &buttons)
		if !slices.Equal(buttons, cites) {
			t.Fatalf("buttons %q; citations %q", buttons, cites)
		}
		for i, name := range buttons {
			var at struct{ X, Y float64 }
			b.eval(fmt.Sprintf("(() => { const e = document.querySelectorAll('button.cite')[%d]; e.scrollIntoView({block: 'center'}); const r = e.getClientRects()[0]; return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()", i), &at)
			b.click(at.X, at.Y)
			var open []struct{ Text, Marked, Link string }
			b.eval("[...document.querySelectorAll(':popover-open')].map(e => ({text: e.textContent, marked: [...e.querySelectorAll('mark')].map(m => m.textContent).join('\\n'), link: e.querySelector('a')?.href || ''}))", &open)
			if len(open) != 1 {
				t.Fatalf("%s opens %d quotes", name, len(open))
			}
			q := r.quotes[slices.IndexFunc(r.quotes, func(q quote) bool { return q.Citation.String() == name })]
			for _, f := range q.Found {
				if !strings.Contains(strings.ReplaceAll(open[0].Marked, "\n", " "), strings.ReplaceAll(f.Finding.Quote, "\n", " ")) {
					t.Errorf("%s marks %q, and not %q", name, open[0].Marked, f.Finding.Quote)
				}
			}
			if !strings.HasPrefix(open[0].Text, name) || !strings.Contains(open[0].Text, audit.Shown(q.Source.Title)) || !strings.Contains(open[0].Text, "read on 2026-05-04") || open[0].Link != q.Found[0].URL {
				t.Errorf("%s opens %q with %s", name, open[0].Text, open[0].Link)
			}
			b.eval("(() => { const r = document.querySelector(':popover-open .close').getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()", &at)
			b.click(at.X, at.Y)
			if b.eval("[...document.querySelectorAll(':popover-open')].map(() => ({}))", &open); len(open) != 0 {
				t.Errorf("%s does not close", name)
			}
		}
		var style struct {
			Family string
			Wide   float64
		}
		b.eval("({family: getComputedStyle(document.body).fontFamily, wide: document.documentElement.scrollWidth})", &style)
		if !strings.Contains(style.Family, "system-ui") || style.Wide > 320 {
			t.Errorf("the page's style does not apply, or it is wider than 320 px: %+v", style)
		}
	}
}

// TestPlacesLand: a browser that follows a link to words of a page marks these words, and no others that begin alike.
func TestPlacesLand(t *testing.T) {
	t.Parallel()
	paragraphs := []string{"In spring the mast came four months late and cost more.", "The yard, 2nd-best of 3, delivered the hull & the deck: “on time”, it said.", "In autumn the mast came four months late and cost less.",
		"Ærø's ferry costs 14.2 million crowns a year, or so, which is about 11 percent more than was planned for it."}
	w := newWorld(t, "What was late?")
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(out, "<!DOCTYPE html><meta charset=utf-8><title>Ferries</title>")
		for i, p := range paragraphs {
			fmt.Fprintf(out, "<p id=p%d style='margin-top: 3000px'>%s", i+1, strings.Replace(html.EscapeString(p), "months", "<b>months</b>", 1))
		}
	}))
	defer server.Close()
	var spans []string
	for i, p := range paragraphs {
		spans = append(spans, fmt.Sprintf("para.%d|%s", i+1, p))
	}
	id := w.source(evidence.Source{URL: server.URL + "/ferries", Title: "Ferries", Kind: evidence.HTML}, spans...)
	for i, quote := range []string{"the mast came four months late", "2nd-best of 3, delivered the hull & the deck: “on time”", "the mast came four months late", "ferry costs 14.2 million crowns a year, or so, which is about 11 percent more"} {
		w.finds(id, fmt.Sprintf("para.%d", i+1), quote)
	}
	b := openTab(t)
	b.look(800, "light")
	r := take(w.bundle(""))
	for _, q := range r.quotes {
		b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
		b.wait("load")
		b.call("Page.navigate", map[string]any{"url": q.Found[0].URL}, nil)
		b.wait("load")
		var shown []string
		b.eval("new Promise(done => setTimeout(() => done([...document.querySelectorAll('p')].filter(p => { const r = p.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }).map(p => p.id)), 200))", &shown)
		if want := fmt.Sprintf("p%d", q.Citation.Locator.A); !slices.Equal(shown, []string{want}) {
			t.Errorf("%s shows %q; want %s", q.Found[0].URL, shown, want)
		}
	}
}

// payloads are what a hostile source says; CANARY is the address of a server that counts who asks.
var payloads = []string{
	`<script>fetch("CANARY/a")</script>`, `"><img src="CANARY/b" onerror="window.ran=1">`, `<svg onload="window.ran=1"><use href="CANARY/c"/></svg>`, `</style><style>@import "CANARY/d";`,
	`</blockquote></div><iframe src="CANARY/e"></iframe>`, `<base href="CANARY/f/"><link rel="stylesheet" href="CANARY/g">`, `<meta http-equiv="refresh" content="0;url=CANARY/h">`,
	`![x](CANARY/i)`, `[click](javascript:window.ran=1)`, `<a href="javascript:window.ran=1" autofocus onfocus="window.ran=1">x</a>`, `' onmouseover='window.ran=1' x='`, "`<img src=CANARY/j>`",
	`{{.}} {{template "x"}} ${window.ran=1}`, `&lt;script&gt;window.ran=1&lt;/script&gt;`, `&#60;img src=CANARY/k&#62;`, `<!--><script>window.ran=1</script>-->`, `]]><script>window.ran=1</script>`,
	`<div popover id=q1><object data="CANARY/l"></object></div>`, `<template><img src="CANARY/m"></template>`, `</title><script>window.ran=1</script>`, `<video autoplay poster="CANARY/n"><source src="CANARY/o"></video>`,
	`<form action="CANARY/p"><input autofocus onfocus="this.form.submit()"></form>`, `<p style="background:url(CANARY/q)">`, `<math><mtext></form><form><mglyph><style></math><img src onerror=window.ran=1>`, "\\<script\\>window.ran=1\\</script\\>",
}

var hostileURLs = []string{"https://poison%d.example/page", "javascript:fetch('CANARY/u%d')", "data:text/html,<script>fetch('CANARY/v%d')</script>", `https://poison%d.example/"><img src=CANARY/w>`, "file:///poison/%d", "https://пoison%d.example/p"}

// TestInert: a report over 200 poisoned sources asks for nothing and runs nothing, whatever of it is open (SAFE-1).
func TestInert(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	var hits atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer canary.Close()
	poison := func(s string) string { return strings.ReplaceAll(s, "CANARY", canary.URL) }
	w := newWorld(t, poison("What do 200 sources say of <script>fetch('CANARY/t')</script> and ![x](CANARY/t)?"))
	known := map[string]bool{}
	for i := range 200 {
		bad := poison(payloads[i%len(payloads)])
		at := poison(fmt.Sprintf(hostileURLs[i%len(hostileURLs)], i))
		known[at] = true
		words := fmt.Sprintf("Meter number %d lost water %s in the spring.", i, bad)
		id := w.source(evidence.Source{URL: at, Title: fmt.Sprint(bad, " ", i), Kind: []evidence.Kind{evidence.HTML, evidence.Text}[i%2], Author: bad, Publisher: bad, Published: bad, DOI: bad, Licence: bad, Language: `en" onclick="window.ran=1`},
			"para.1|"+bad, "para.2|Before it. "+words+" "+bad)
		w.in.Record.Spans[id][1].Heading, w.in.Record.Spans[id][1].Caption, w.in.Record.Spans[id][1].Columns = bad, bad, bad
		w.finds(id, "para.2", words)
	}
	r := w.report("")
	if len(r.quotes) != 200 {
		t.Fatalf("%d quotes", len(r.quotes))
	}
	for i, form := range []func() ([]byte, error){r.HTML, r.Paper} {
		out, err := form()
		if err != nil {
			t.Fatal(err)
		}
		at := b.open(out)
		var got struct {
			Ran, Foreign, Elements []string
			Open                   int
		}
		b.eval(`new Promise(done => { for (const e of document.querySelectorAll('[popover]')) e.showPopover();
			const all = [...document.querySelectorAll('*')];
			setTimeout(() => done({ran: window.ran ? ['yes'] : [], open: document.querySelectorAll('[popover]').length,
				foreign: [...document.querySelectorAll('[href]')].map(e => e.getAttribute('href')).filter(h => !/^(https?:|#q)/.test(h)),
				elements: [...new Set(all.map(e => e.localName))].concat(all.flatMap(e => e.getAttributeNames().filter(n => /^on|^src|^style$|^action$|^data$/.test(n))))}), 300); })`, &got)
		allowed := strings.Fields("html head meta title style body main h1 h2 h3 p ul ol li a button div section blockquote mark strong em code pre hr br")
		got.Elements = slices.DeleteFunc(got.Elements, func(e string) bool { return slices.Contains(allowed, e) })
		if len(got.Ran)+len(got.Foreign)+len(got.Elements) > 0 || got.Open != 200*(1-i) {
			t.Errorf("%+v", got)
		}
		if asked := slices.DeleteFunc(b.requests(), func(u string) bool {
			return u == at || strings.HasPrefix(u, "file://") && strings.HasSuffix(u, "/report.html")
		}); len(asked) > 0 {
			t.Errorf("it asked for %q", asked)
		}
		if ran := b.scripts(); len(ran) > 0 {
			t.Errorf("scripts ran: %q", ran)
		}
		for _, m := range regexp.MustCompile(`href="(https?:[^"#]*)`).FindAllStringSubmatch(string(out), -1) {
			if to := strings.ReplaceAll(m[1], "&#34;", `"`); !strings.Contains(to, ".example/") {
				t.Errorf("a link to %s", to)
			}
		}
	}
	if n := hits.Load(); n > 0 {
		t.Errorf("the canary was asked %d times", n)
	}
	// The same, with a way out: what the canary would hear of.
	b.eval(fmt.Sprintf("fetch(%q, {mode: 'no-cors'}).then(() => 1, () => 1)", canary.URL+"/control"), nil)
	if n := hits.Load(); n > 0 {
		t.Error("the page's policy lets a script of the tester's through") // connect-src 'none' holds for it too
	}
	b.call("Page.navigate", map[string]any{"url": canary.URL + "/control"}, nil)
	b.wait("load")
	if hits.Load() == 0 {
		t.Error("the canary hears nothing at all")
	}
}

// TestAccessible: axe finds nothing, light and dark, on a phone and on a desk, with a quote open and without.
func TestAccessible(t *testing.T) {
	t.Parallel()
	axe := axeCore(t)
	b := openTab(t)
	w := ferry(t)
	w.doubted()
	b.open(page1(t, w.report(draft)))
	b.eval(axe, nil)
	for _, width := range []int{320, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, scheme)
			for _, open := range []string{"hidePopover", "showPopover"} {
				b.eval(within("q1")+"."+open+"()", nil)
				var found []string
				b.eval(`axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ' ' + n.html + ' ' + n.failureSummary)))`, &found)
				if len(found) > 0 {
					t.Errorf("%d px, %s, %s: %s", width, scheme, open, strings.Join(found, "\n"))
				}
				var wide int
				if b.eval("document.documentElement.scrollWidth", &wide); wide > width {
					t.Errorf("at %d px the page is %d px wide", width, wide)
				}
			}
			b.eval(within("q1")+".hidePopover()", nil)
		}
	}
}

// axeCore is the source of axe-core, where npm has it.
func axeCore(t *testing.T) string {
	t.Helper()
	dirs := []string{os.Getenv("NODE_PATH"), "/usr/share/nodejs", "/usr/local/lib/node_modules", "/usr/lib/node_modules"}
	if out, err := exec.Command("npm", "root", "-g").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, dir := range dirs {
		if body, err := os.ReadFile(filepath.Join(dir, "axe-core", "axe.min.js")); err == nil && dir != "" {
			return string(body)
		}
	}
	testset.Lacks(t, "axe-core", "npm install -g axe-core, or name the folder of its package in NODE_PATH")
	return ""
}
