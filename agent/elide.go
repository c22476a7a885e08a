package agent

import (
	"fmt"
	"strings"

	"ibid/gate"
	"ibid/llm"
)

// handle names the result of call number i of a step.
func handle(step, i int) string { return fmt.Sprintf("r%d.%d", step, i) }

// An elision is what was decided, as it is noted.
type elision struct {
	Elided []string `json:"elided"` // handles
	Saved  int64    `json:"saved"`  // tokens of each further request, estimated
	Tail   int64    `json:"tail"`   // tokens behind the first of them, which are written to the provider's cache again
	Used   int64    `json:"used"`   // tokens of the next request, estimated
	Window int64    `json:"window"`
	Forced bool     `json:"forced,omitempty"` // by the window, whether it pays or not
}

// elide replaces old long results by stubs, several at once: where it pays, or where the window forces it. It returns what
// it elided.
func (r *looping) elide(forced bool) elision {
	m := r.memory
	clear(m.cuts.Marks)
	var old []result
	if r.Context.Elide {
		old = r.old()
	}
	e := elision{Window: m.window, Forced: forced}
	stubs := make([]string, len(old))
	var taken int64
	for i, one := range old {
		stubs[i] = r.stub(one)
		taken += m.corrected(one.size)
		e.Saved += m.corrected(one.size - perBlock - countedText(stubs[i]))
		e.Elided = append(e.Elided, one.handle)
	}
	if len(old) > 0 {
		e.Tail = m.behind(old[0].Message) - e.Saved
	}
	if len(old) == 0 || !forced && (len(old) < leastBatch && taken < batchSize || !r.elisionPays(e.Saved, e.Tail)) {
		r.markFrontier()
		return elision{}
	}
	for i, one := range old {
		r.hide(one, stubs[i])
	}
	m.cuts.Marks[old[0].Place] = true
	r.markFrontier()
	e.Used = m.used()
	r.observe(Event{Kind: Elided, Key: string(r.key("context")), Text: fmt.Sprintf("%s elided (%s): about %d tokens less in each request", count(int64(len(old)), "results"), strings.Join(e.Elided, ", "), e.Saved)})
	return e
}

// hide puts a stub in a result's place.
func (r *looping) hide(one result, stub string) {
	m := r.memory
	m.cuts.Stubs[one.Place] = stub
	m.sizes[one.Message] += perBlock + countedText(stub) - one.size
	m.elided++
}

// old lists the results that may be elided, the oldest first: long, older than three steps, not cited in the last turns,
// and not the newest of their tool.
func (r *looping) old() []result {
	newest := map[string]string{}
	for _, one := range r.memory.results {
		newest[one.call.Name] = one.handle
	}
	var list []result
	said := ""
	for _, one := range r.memory.results {
		if !r.open(one) || r.step-one.step <= oldAge || newest[one.call.Name] == one.handle {
			continue
		}
		if said == "" {
			said = r.lastWords()
		}
		if !cited(said, one) {
			list = append(list, one)
		}
	}
	return list
}

// open says whether a result is shown in full and may be elided some day.
func (r *looping) open(one result) bool {
	_, elided := r.memory.cuts.Stubs[one.Place]
	return !elided && one.Message >= r.memory.cuts.From && r.long(one)
}

// lastWords is what the model said and asked in its last turns.
func (r *looping) lastWords() string {
	var b strings.Builder
	b.WriteByte(' ')
	for i, turns := len(r.history)-1, 0; i >= 0 && turns < lastTurns; i-- {
		if r.history[i].Role != llm.Assistant {
			continue
		}
		turns++
		for _, block := range r.history[i].Blocks {
			b.WriteString(block.Text + "\n")
			if block.Call != nil {
				b.WriteString(block.Call.Args + "\n")
			}
		}
	}
	return b.String()
}

func cited(said string, one result) bool {
	for _, name := range append(one.Names, one.handle) {
		if occurs(said, name) {
			return true
		}
	}
	return false
}

// markFrontier wants a cache breakpoint before the oldest result that is still to be elided, so that the next elision
// begins at a cached prefix.
func (r *looping) markFrontier() {
	for _, one := range r.memory.results {
		if r.open(one) {
			r.memory.cuts.Marks[one.Place] = true
			return
		}
	}
}

// behind is the tokens of the next request from a message on.
func (m *memory) behind(message int) int64 {
	var n int64
	for _, size := range m.sizes[message:] {
		n += size
	}
	return m.corrected(n)
}

// stub is what stands in a result's place.
func (r *looping) stub(one result) string {
	return r.Context.Texts.fill(r.Context.Texts.Stub, stubText, "handle", one.handle, "tool", one.call.Name, "arguments", clipped(one.call.Args, 200),
		"tokens", r.memory.corrected(one.size), "about", one.Text)
}

// clipped is one line of at most n characters.
func clipped(s string, n int) string {
	return gate.Clip(strings.Join(strings.Fields(s), " "), n)
}
