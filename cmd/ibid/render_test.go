package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/fetch/render"
	"ibid/internal/city"
	"ibid/llm"
)

const appPage = `<!DOCTYPE html><html><head><title>App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>
<script src="/app.js"></script></body></html>`

const appScript = `fetch('/data.json').then(r => r.json()).then(d => { document.getElementById('root').innerHTML = '<main><h1>Losses</h1><p>' + d.text + '</p></main>'; });
fetch('http://127.0.0.1:' + PORT + '/?q=1').catch(() => {}); navigator.sendBeacon('http://canary.example/b', 'x'); new WebSocket('ws://127.0.0.1:' + PORT); new Image().src = 'http://canary.example/i.png';`

// TestRendering: a page that needs its scripts says so, is read with a browser where that is allowed, and is asked about
// otherwise. The browser reaches nothing but through the guarded client.
func TestRendering(t *testing.T) {
	if _, err := render.Find(""); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	const url = "http://app.example/losses"
	const words = "Losses in the eastern grid fell to 2.7 percent in 2024, the operator said."
	turn := func(_ context.Context, r llm.Request) (llm.Response, error) {
		step := 0
		for _, m := range r.Messages {
			if m.Role == llm.Assistant {
				step++
			}
		}
		calls := [][2]string{{"plan", `{"subquestions":["How large were losses in the eastern grid?"],"reason":"x"}`},
			{"read_pages", `{"urls":["` + url + `"],"reason":"x"}`}, {"read_pages", `{"urls":["` + url + `"],"reason":"x","render":true}`},
			{"record_finding", `{"claim":"Losses in the eastern grid fell to 2.7 percent in 2024.","quote":"Losses in the eastern grid fell to 2.7 percent in 2024","span":"S1:para.2","subquestion":"q1"}`}}
		if step >= len(calls) || len(r.Tools) == 0 || r.Choice == llm.ChoiceNone {
			return llm.Response{Stop: llm.StopEnd, Usage: llm.Usage{In: 9, Out: 1, Known: true}}, nil
		}
		call := llm.ToolCall{ID: "c" + calls[step][0], Name: calls[step][0], Args: calls[step][1]}
		return llm.Response{Stop: llm.StopTools, Usage: llm.Usage{In: 9, Out: 1, Known: true}, Blocks: []llm.Block{{Call: &call}}}, nil
	}
	data, err := json.Marshal(map[string]string{"text": words})
	if err != nil {
		t.Fatal(err)
	}
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer canary.Close()
	go func() {
		if conn, err := canary.Accept(); err == nil {
			t.Error("something connected to this machine")
			conn.Close()
		}
	}()
	script := strings.ReplaceAll(appScript, "PORT", fmt.Sprint(canary.Addr().(*net.TCPAddr).Port))
	c := city.Start(t, city.Options{Answer: turn, Inject: city.Inject{Pages: []city.Page{{Host: "app.example", Path: "/losses", ContentType: "text/html", Body: []byte(appPage)},
		{Host: "app.example", Path: "/app.js", ContentType: "text/javascript", Body: []byte(script)}, {Host: "app.example", Path: "/data.json", ContentType: "application/json", Body: data}}}})
	dir := moveIn(t)
	for name, value := range map[string]string{"OPENAI_BASE_URL": c.OpenAI, "OPENAI_API_KEY": city.Key("openai"), "TAVILY_API_KEY": city.Key("tavily")} {
		t.Setenv(name, value)
	}
	config := filepath.Join(dir, "ibid.toml")
	if err := os.WriteFile(config, cityConfig(c), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]bool{"allow": true, "ask": false, "never": false} {
		var out, errs bytes.Buffer
		run(t.Context(), []string{"--config", config, "research", "--tier", "standard", "--render", mode, "How large were losses in the eastern grid? See " + url}, strings.NewReader(""), &out, &errs)
		if got := strings.Contains(out.String(), "2.7 percent") && strings.Contains(out.String(), "[S1 para.2]"); got != want {
			t.Errorf("--render %s: the page is in the report: %t\n%s%s", mode, got, out.String(), errs.String())
		}
		if mode == "allow" {
			var again bytes.Buffer
			if code := run(t.Context(), []string{"--config", config, "replay", "last"}, strings.NewReader(""), &again, &errs); code != exitOK || again.String() != out.String() {
				t.Errorf("the replay differs: %d\n%s%s", code, again.String(), errs.String())
			}
		}
	}
	if hits := c.Canary.Hits(); len(hits) > 0 {
		t.Errorf("the page's scripts reached this machine, or loaded what is neither script nor data: %v", hits)
	}
}
