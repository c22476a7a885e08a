package city

import (
	"strings"
	"testing"

	"ibid/llm"
)

// FuzzRequests: no body, however broken, stops a model server; and a request that is taken keeps the rules of both
// protocols as this program's history has them.
func FuzzRequests(f *testing.F) {
	for _, s := range []string{
		firstTurn("true"), chatTurn("false"), conversation(userAsks, oneCall, oneResult), chatWith(`{"role":"user","content":"x"}`, chatCall, chatResult), "{}", "[]", `{"model":"m","messages":[{}],"max_tokens":1}`,
		strings.Replace(conversation(userAsks), `"max_tokens"`, `"thinking":{"type":"enabled","budget_tokens":2000},"cache_control":{"type":"ephemeral","ttl":"1h"},"max_tokens"`, 1),
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"tools":[{"type":"web_search"}]}`,
		conversation(userAsks, `{"role":"assistant","content":[]}`, userAsks), conversation(userAsks, `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"},{"type":"tool_use","id":"a","name":"b","input":{}}]}`, oneResult),
	} {
		f.Add([]byte(s))
	}
	c := &City{options: Options{MinCache: 1}}
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, e := c.readAnthropic(body); e == nil {
			keeps(t, r.request)
			if u := new(blockCache).account(r.units, 1); u.in < 0 || u.read < 0 || u.write < 0 || u.writeLong > u.write {
				t.Errorf("%+v", u)
			}
		}
		if r, e := c.readChat(body); e == nil {
			answered(t, r.request)
			if u := new(prefixCache).account(r.prompt, 1); u.in < 0 || u.read < 0 {
				t.Errorf("%+v", u)
			}
		}
		if query, model, _, e := c.readResponses(body); e == nil && (query == "" || model == "") {
			t.Errorf("taken without a query or a model: %s", body)
		}
	})
}

// keeps checks that turns alternate, begin and end with the user, and that nothing is empty.
func keeps(t *testing.T, r llm.Request) {
	for i, m := range r.Messages {
		if (m.Role == llm.User) != (i%2 == 0) || len(m.Blocks) == 0 && m.Role == llm.User {
			t.Errorf("message %d of %+v", i, r.Messages)
		}
	}
	if len(r.Messages)%2 == 0 || r.MaxTokens < 1 {
		t.Errorf("%+v", r)
	}
	answered(t, r)
}

// answered checks that every call has one answer, and every answer a call before it.
func answered(t *testing.T, r llm.Request) {
	open := map[string]bool{}
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				open[b.Call.ID] = true
			case b.Result != nil && !open[b.Result.ID]:
				t.Errorf("result %s answers no open call", b.Result.ID)
			case b.Result != nil:
				delete(open, b.Result.ID)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without an answer: %v", open)
	}
}
