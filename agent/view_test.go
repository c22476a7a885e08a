package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ibid/budget"
	"ibid/llm"
)

// conversation makes a history out of bytes: answers with text, calls and thinking, results, and words of the program in
// between. Ids repeat, as some providers' do.
func conversation(data []byte) (history []llm.Message) {
	history = []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "question"}}}}
	for _, b := range data {
		answer := llm.Message{Role: llm.Assistant}
		if b&1 != 0 {
			answer.Blocks = append(answer.Blocks, llm.Block{Raw: json.RawMessage(`{"type":"thinking"}`)})
		}
		if b&2 != 0 || b&12 == 0 {
			answer.Blocks = append(answer.Blocks, llm.Block{Text: "words"})
		}
		said := llm.Message{Role: llm.User}
		for i := range int(b>>2) & 3 {
			id := fmt.Sprint("c", i)
			answer.Blocks = append(answer.Blocks, llm.Block{Call: &llm.ToolCall{ID: id, Name: "read", Args: "{}"}})
			said.Blocks = append(said.Blocks, llm.Block{Result: &llm.ToolResult{ID: id, Name: "read", Content: strings.Repeat("x", int(b))}})
		}
		if len(said.Blocks) == 0 || b&16 != 0 {
			said.Blocks = append(said.Blocks, llm.Block{Text: "go on"})
		}
		history = append(history, answer)
		if b&32 == 0 || b&12 != 0 {
			history = append(history, said)
		}
	}
	return history
}

// FuzzView: whatever the history, the cut, the stubs and the end, a call is in the view with its result or not at all;
// the history itself is not touched; and the same is made again.
func FuzzView(f *testing.F) {
	f.Add([]byte{4, 8, 2, 12, 40, 32, 63, 255}, byte(3), byte(9), uint16(5))
	f.Add([]byte{}, byte(0), byte(0), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, cut, end byte, stubs uint16) {
		history := conversation(data)
		before := encodedAll(t, history)
		c := Cuts{Prompt: 1, Stubs: map[Place]string{}, Marks: map[Place]bool{}}
		if starts := turns(history, 1); len(starts) > 0 {
			c.From = starts[int(cut)%len(starts)]
			c.Summary = []llm.Message{{Role: llm.Assistant, Blocks: []llm.Block{{Text: "{}"}}}, {Role: llm.User, Blocks: []llm.Block{{Text: "summary"}}}}
		}
		for i, m := range history {
			for k := range m.Blocks {
				if stubs>>((i+k)%16)&1 != 0 {
					c.Stubs[Place{i, k}] = "stub"
					c.Marks[Place{i, k}] = k == 0
				}
			}
		}
		history = history[:1+int(end)%len(history)]
		view := View(history, c)
		whole(t, closed(view))
		if encodedAll(t, view) != encodedAll(t, View(history, c)) {
			t.Fatal("the view differs from itself")
		}
		if encodedAll(t, conversation(data)) != before {
			t.Fatal("the history was changed")
		}
		repaired := llm.Repair(view, func(json.RawMessage) bool { return true })
		if text := encodedAll(t, repaired); strings.Contains(text, "Result of an earlier call") || !dangling(view) && strings.Contains(text, "No result of this call") {
			t.Fatalf("a call and its result were parted: %s", text)
		}
	})
}

// closed is a view without an answer at its end that was not yet answered itself.
func closed(view []llm.Message) []llm.Message {
	if dangling(view) {
		return view[:len(view)-1]
	}
	return view
}

func dangling(view []llm.Message) bool {
	return len(view) > 0 && view[len(view)-1].Role == llm.Assistant
}

func encodedAll(t testing.TB, messages []llm.Message) string {
	t.Helper()
	b, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What is elided: see the fields.
func TestElisionRules(t *testing.T) {
	long, short := strings.Repeat("word ", 2000), "short"
	type call struct {
		tool, content, cites string // cites: what the answer that makes the call says
	}
	read := func(content, cites string) call { return call{"read", content, cites} }
	note := call{"note", short, ""}
	for _, tt := range []struct {
		name   string
		calls  []call // one in each step
		left   int64  // steps of the budget, 0: 1,000
		free   bool   // cached tokens cost nothing
		forced bool
		want   string // handles
	}{
		{"old and long, two at once", []call{read(long, ""), read(long, ""), note, note, note, read(short, "")}, 0, false, false, "r1.0 r2.0"},
		{"one alone waits", []call{read(long, ""), note, note, note, read(short, "")}, 0, false, false, ""},
		{"one alone that is very long does not", []call{read(strings.Repeat(long, 6), ""), note, note, note, read(short, "")}, 0, false, false, "r1.0"},
		{"short results stay", []call{read(short, ""), read(short, ""), note, note, note, read(short, "")}, 0, false, false, ""},
		{"young ones stay", []call{note, note, read(long, ""), read(long, ""), read(short, "")}, 0, false, false, ""},
		{"the newest of a tool stays", []call{read(long, ""), {"list", long, ""}, note, note, note, note}, 0, false, false, ""},
		{"what is cited stays", []call{read(long, ""), read(long, ""), note, note, read(short, ""), {"note", short, "as S1:p says"}}, 0, false, false, ""},
		{"what is cited by part of a name goes", []call{read(long, ""), read(long, ""), note, note, read(short, ""), {"note", short, "as S12 says"}}, 0, false, false, "r1.0 r2.0"},
		{"what was cited long ago goes", []call{read(long, ""), read(long, ""), {"note", short, "S1"}, note, note, read(short, "")}, 0, false, false, "r1.0 r2.0"},
		{"what the run keeps stays", []call{{"keep", long, ""}, {"keep", long, ""}, note, note, note, {"keep", short, ""}}, 0, false, true, ""},
		{"nothing near the end", []call{read(long, ""), read(long, ""), note, note, note, read(short, "")}, 3, false, false, ""},
		{"but for the window", []call{read(long, ""), read(long, ""), note, note, note, read(short, "")}, 3, false, true, "r1.0 r2.0"},
		{"one alone for the window", []call{read(long, ""), note, note, note, read(short, "")}, 0, false, true, "r1.0"},
		{"never where the cache is free", []call{read(long, ""), read(long, ""), note, note, note, read(short, "")}, 0, true, false, ""},
		{"not with a long tail and few steps", []call{read(long, ""), read(long, ""), {"keep", strings.Repeat(long, 8), ""}, note, note, read(short, "")}, 0, false, false, ""},
	} {
		r := &looping{Loop: &Loop{Price: func(u llm.Usage) int64 {
			if tt.free {
				return u.Out
			}
			return u.CacheRead/10 + u.CacheWrite*5/4 + u.Out*5
		}}, Session: session(limitOf(tt.left)), step: len(tt.calls) + 1}
		r.Context = &Context{Elide: true, Keeps: func(tool string) bool { return tool == "keep" }}
		r.Context.About = func(_ llm.ToolCall, _ string) Subject { return Subject{Names: []string{fmt.Sprint("S", r.step)}} }
		r.history = r.Prompt
		r.remember()
		r.memory.permille = 1000
		for i, c := range tt.calls {
			r.step = i + 1
			made := llm.ToolCall{ID: "c", Name: c.tool, Args: "{}"}
			r.say(llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: c.cites}, {Call: &made}}})
			r.heard([]llm.ToolCall{made}, []llm.Block{{Result: &llm.ToolResult{ID: "c", Name: c.tool, Content: c.content}}})
		}
		r.step++
		size := r.memory.used()
		e := r.elide(tt.forced)
		if got := strings.Join(e.Elided, " "); got != tt.want {
			t.Errorf("%s: %q is elided, want %q", tt.name, got, tt.want)
		}
		if now := r.memory.used(); size-now != e.Saved && tt.want != "" && (size-now)/8 != e.Saved/8 {
			t.Errorf("%s: %d tokens became %d, and %d are said to be saved", tt.name, size, now, e.Saved)
		}
		for _, b := range flat(r.view(r.history)) {
			if b.Result != nil && b.Result.Elided && !strings.HasPrefix(b.Result.Content, "[r") {
				t.Errorf("%s: a stub says %q", tt.name, b.Result.Content)
			}
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for text, want := range map[string][]string{
		`{"source":"S3","url":"https://halden.example/losses?y=2024","at":"para.2"}`: {"S3", "https://halden.example/losses?y=2024", "para.2"},
		"Losses fell to 4.1 percent (order EU 2024/1689 Art. 6).":                    {"4.1 percent", "EU 2024/1689 Art. 6"},
		"The Northern Grid Authority paid $1,250,000 on 12 March 2024, or 7 %.":      {"Northern Grid Authority", "$1,250,000", "12 March 2024", "7 %"},
		"It is so. But there are 12 of them, in S1:para.2 and doi 10.1000/xyz-1.":    {"S1:para.2", "10.1000/xyz-1"},
		"no identifiers at all, in a sentence":                                       nil,
		`"text":"Über 3,5 Mio. Euro zahlte die Stadt Halden\nam 2024-05-01"`:         {"3,5 Mio", "Stadt Halden", "2024-05-01"},
		"r12.0 and F7 and q1": {"r12.0", "F7", "q1"},
	} {
		got := Identifiers(unescape.Replace(text))
		for _, id := range want {
			if !slices.Contains(got, id) {
				t.Errorf("%s: %q is missing in %q", text, id, got)
			}
		}
		if len(got) > len(want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		for _, id := range got {
			if !occurs(fold(text), fold(id)) {
				t.Errorf("%s: %q does not occur in what it was found in", text, id)
			}
		}
	}
	for _, tt := range []struct {
		text, id string
		want     bool
	}{
		{"it is 14.12 percent", "4.1", false}, {"it is 4.12", "4.1", false}, {"it is 4.1.", "4.1", true}, {"s12", "s1", false}, {"s1:para.2", "s1", true}, {"para.21", "para.2", false},
		{"1,250", "250", false}, {"was 250, and", "250", true}, {`\ns3 says`, "s3", true}, {"", "x", false}, {"x", "", false},
	} {
		if got := occurs(tt.text, tt.id); got != tt.want {
			t.Errorf("%q in %q: %t", tt.id, tt.text, got)
		}
	}
}

// FuzzIdentifiers: each identifier occurs in its text, and is found by itself.
func FuzzIdentifiers(f *testing.F) {
	for _, s := range []string{"S3 https://halden.example/losses para.2: 4.1 percent (order EU 2024/1689 Art. 6)", "The A An 12 March 2024", "$€1.2.3-–4:5 %", "\xff\xf0A1 B2 C"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, id := range Identifiers(text) {
			if seen[id] || id == "" || !strings.Contains(text, id) {
				t.Fatalf("%q in %q", id, text)
			}
			seen[id] = true
		}
	})
}

// BenchmarkView is the view of a history of 120 steps of which much was elided.
func BenchmarkView(b *testing.B) {
	var history []llm.Message
	c := Cuts{Prompt: 1, Stubs: map[Place]string{}, Marks: map[Place]bool{}}
	history = append(history, llm.Message{Role: llm.User, Blocks: []llm.Block{{Text: "question"}}})
	for i := range 120 {
		history = append(history, llm.Message{Role: llm.Assistant, Blocks: []llm.Block{{Text: "next"}, {Call: &llm.ToolCall{ID: "c", Name: "read", Args: "{}"}}}},
			llm.Message{Role: llm.User, Blocks: []llm.Block{{Result: &llm.ToolResult{ID: "c", Content: strings.Repeat("x", 24_000)}}}})
		if i < 110 {
			c.Stubs[Place{2 * (i + 1), 0}] = "stub"
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		View(history, c)
	}
}

// limitOf is a budget of so many steps, besides the one for the answer.
func limitOf(steps int64) budget.Limits {
	if steps == 0 {
		steps = 1000
	}
	return budget.Limits{Steps: steps}
}
