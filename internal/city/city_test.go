package city

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ibid/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A reply is an answer as it was received.
type reply struct {
	status int
	header http.Header
	body   []byte
	err    error // of the connection or of the body
}

// client sends plain requests: names of the city's web lead to it, redirects are not followed, nothing is unpacked.
func (c *City) client(t *testing.T) *http.Client {
	transport := &http.Transport{DisableCompression: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if host := hostOnly(address); net.ParseIP(host) == nil {
			address = c.Web
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends one request. Headers come as "Name: value".
func (c *City) ask(t *testing.T, method, url, body string, headers ...string) reply {
	t.Helper()
	return c.askWith(t, c.client(t), method, url, body, headers...)
}

func (c *City) askWith(t *testing.T, client *http.Client, method, url, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "city-test/1 (+http://city.example)")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	return reply{resp.StatusCode, resp.Header, got, err}
}

// value reads a JSON answer.
func (r reply) value(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if r.err != nil || json.Unmarshal(r.body, &v) != nil {
		t.Fatalf("%d %v, no JSON object: %.300s", r.status, r.err, r.body)
	}
	return v
}

// at walks into a JSON value: names and positions.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// events cuts a stream into the data of its events, by the rules of server-sent events.
func events(t *testing.T, stream []byte) (names []string, data []map[string]any) {
	t.Helper()
	name := ""
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			var v map[string]any
			if s := text.String(); s != "[DONE]" {
				if err := json.Unmarshal([]byte(s), &v); err != nil {
					t.Fatalf("event %q: %v", s, err)
				}
			}
			names, data = append(names, name), append(data, v)
		}
		name = ""
		text.Reset()
	}
	for line := range bytes.SplitSeq(bytes.ReplaceAll(stream, []byte("\r\n"), []byte("\n")), []byte("\n")) {
		field, value, _ := strings.Cut(string(line), ":")
		switch value = strings.TrimPrefix(value, " "); {
		case len(line) == 0:
			flush()
		case field == "event":
			name = value
		case field == "data":
			text.WriteString(value)
		}
	}
	flush()
	return names, data
}

// scripted answers with two calls first, and with a text once there is a result.
func scripted(_ context.Context, r llm.Request) (llm.Response, error) {
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			if b.Result != nil {
				return llm.Response{Blocks: []llm.Block{{Text: "Caching – “the cheap half” – cut it by 46 %. 燃料費は四割。"}}}, nil
			}
		}
	}
	return llm.Response{Blocks: []llm.Block{
		{Text: "I look."},
		{Call: &llm.ToolCall{ID: "x1.1", Name: "search_web", Args: `{"query":"cost of <agent> runs \u2013 “now”"}`}},
		{Call: &llm.ToolCall{ID: "x1.2", Name: "search_web", Args: `{"query":"b"}`}},
	}}, nil
}

// sign of life: a fresh city, asked a question, plans.
func TestTheResearcherAnswersInBothProtocols(t *testing.T) {
	c := Start(t, Options{})
	question := `Question: What makes agent runs expensive, and what fixes it?\n\nDepth: standard.`
	plan := `{"type":"object","properties":{"subquestions":{"type":"array","items":{"type":"string"}}}}`
	v := c.ask(t, "POST", c.Anthropic+"/v1/messages", `{"model":"claude-city-1","max_tokens":1000,"tools":[{"name":"plan","input_schema":`+plan+`}],"messages":[{"role":"user","content":"`+question+`"}]}`, claudeHeaders...).value(t)
	if at(v, "stop_reason") != "tool_use" || at(v, "content", 0, "name") != "plan" || at(v, "content", 0, "input", "subquestions") == nil {
		t.Errorf("messages: %v", v)
	}
	v = c.ask(t, "POST", c.OpenAI+"/chat/completions", `{"model":"gpt-city-1","tools":[{"type":"function","function":{"name":"plan","parameters":`+plan+`}}],"messages":[{"role":"user","content":"`+question+`"}]}`, gptHeaders...).value(t)
	if at(v, "choices", 0, "finish_reason") != "tool_calls" || at(v, "choices", 0, "message", "tool_calls", 0, "function", "name") != "plan" {
		t.Errorf("chat: %v", v)
	}
	calls := c.ModelCalls()
	if len(calls) != 2 || calls[0].Request.Messages[0].Blocks[0].Text != calls[1].Request.Messages[0].Blocks[0].Text {
		t.Errorf("the two protocols were understood differently: %+v", calls)
	}
}

// The same requests get the same answers, in the same city and in another.
func TestNothingDependsOnTimeOrChance(t *testing.T) {
	var seen []string
	for range 2 {
		c := Start(t, Options{Answer: scripted, Thinking: true})
		all := ""
		for _, stream := range []string{"false", "true"} {
			all += string(c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn(stream), claudeHeaders...).body)
			all += string(c.ask(t, "POST", c.OpenAI+"/chat/completions", chatTurn(stream), gptHeaders...).body)
		}
		all += string(c.ask(t, "GET", c.SearchURL("brave")+"/res/v1/web/search?q=agent+cost", "", "X-Subscription-Token: "+Key("brave")).body)
		seen = append(seen, all)
	}
	if seen[0] != seen[1] {
		t.Errorf("two cities answer differently:\n%s\n%s", seen[0], seen[1])
	}
}

func TestKeysAreNotLogged(t *testing.T) {
	c := Start(t, Options{Answer: scripted})
	c.ask(t, "POST", c.Anthropic+"/v1/messages", firstTurn("false"), claudeHeaders...)
	c.ask(t, "POST", c.OpenAI+"/chat/completions", "{}", "Authorization: Bearer sk-somebody-elses")
	c.ask(t, "GET", c.SearchURL("openalex")+"/works?search=x&api_key="+Key("openalex"), "")
	log := c.Requests("api")
	if len(log) != 3 {
		t.Fatalf("%d entries", len(log))
	}
	all, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{Key("anthropic"), "somebody-elses", Key("openalex")} {
		if strings.Contains(string(all), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if log[0].Header.Get("X-Api-Key") != RightKey || log[1].Header.Get("Authorization") != WrongKey || !strings.Contains(log[2].Path, "api_key="+RightKey) {
		t.Errorf("the log does not say what the keys were worth: %v %v %v", log[0].Header, log[1].Header, log[2].Path)
	}
	if log[0].Status != 200 || log[1].Status != 401 || string(log[0].Body) != firstTurn("false") {
		t.Errorf("%+v", log[:2])
	}
}
