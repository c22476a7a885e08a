package llm

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// A local model's wire form loses nothing, is the same bytes each time, and does not escape what a page may hold.
func TestLocalRoundTrip(t *testing.T) {
	want := Request{Model: "m", System: "s <&> \u2028", Choice: ChoiceAuto, MaxTokens: 5, Tools: []Tool{{Name: "t", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []Message{{Role: User, Blocks: []Block{{Text: "q"}, {Result: &ToolResult{ID: "1", Content: "<p>", IsError: true}}}},
			{Role: Assistant, Blocks: []Block{{Call: &ToolCall{ID: "1", Name: "t", Args: `{"broken`}}, {Raw: json.RawMessage(`{"thinking":1}`)}}}}}
	var got Request
	m := &Local{ID: "m", Answer: func(_ context.Context, r Request) (Response, error) {
		got = r
		return Response{Blocks: []Block{{Text: "a"}, {Call: &ToolCall{ID: "2", Name: "t", Args: "{}"}}}, Stop: StopTools, Usage: Usage{In: 1, Out: 2, CacheRead: 3, Known: true}}, nil
	}}
	body, err := m.Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := m.Encode(want)
	if err != nil || string(again) != string(body) || !strings.Contains(string(body), "<p>") {
		t.Errorf("encoded %s, again %s, %v", body, again, err)
	}
	out, err := m.Send(context.Background(), body, "key")
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("received %+v, sent %+v, %v", got, want, err)
	}
	resp, err := m.Decode(out)
	if err != nil || resp.Text() != "a" || len(resp.Calls()) != 1 || resp.Calls()[0].ID != "2" || resp.Usage.Total() != 6 || resp.Model != "m" {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := m.Decode([]byte("no JSON")); err == nil {
		t.Error("decoded what is no answer")
	}
	fault := errors.New("fault")
	broken := &Local{ID: "b", Answer: func(context.Context, Request) (Response, error) { return Response{}, fault }}
	if _, err := broken.Send(context.Background(), body, ""); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
}
