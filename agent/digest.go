package agent

import (
	"fmt"
	"slices"
	"strings"

	"ibid/llm"
	"ibid/llm/fence"
)

// A dropped is what a compaction says of a result that it takes out of the conversation: how it is brought back, and its
// exact identifiers, or all of it where it is short.
type dropped struct {
	Handle      string   `json:"handle"`
	Tool        string   `json:"tool"`
	Arguments   string   `json:"arguments,omitempty"`
	Tokens      int64    `json:"tokens"`
	Text        string   `json:"untrusted_text,omitempty"`
	Identifiers []string `json:"untrusted_identifiers,omitempty"`
}

// shortResult is the bytes up to which a result is said again in full.
const shortResult = 240

// A digest is what code makes of the messages that a compaction takes out.
type digest struct {
	Said    []string  `json:"identifiers,omitempty"` // of what the model itself said and asked
	Unsaid  int       `json:"identifiers_left_out,omitempty"`
	Results []dropped `json:"results,omitempty"`
	Before  string    `json:"earlier_results,omitempty"` // handles that there was no room for
}

// digest lists the identifiers and results of the messages before cut, in so many tokens at most. What stands in known is
// not said again. Where there is no room for all, results lose identifiers first, and then the oldest lose their lines.
func (r *looping) digest(cut int, known string, room int64) string {
	m := r.memory
	var d digest
	seen := map[string]bool{}
	fresh := func(ids []string) []string {
		return slices.DeleteFunc(ids, func(id string) bool {
			old := seen[id] || occurs(known, fold(id))
			seen[id] = true
			return old
		})
	}
	for _, message := range r.history[m.cuts.Prompt:cut] {
		for _, b := range message.Blocks {
			if message.Role == llm.Assistant {
				d.Said = append(d.Said, fresh(Identifiers(unescape.Replace(b.Text)))...)
			}
			if b.Call != nil {
				d.Said = append(d.Said, fresh(Identifiers(unescape.Replace(b.Call.Args)))...)
			}
		}
	}
	for i := range m.results {
		one := &m.results[i]
		if one.Message >= cut || !one.failed && r.Context.Keeps != nil && r.Context.Keeps(one.call.Name) {
			continue
		}
		content := r.history[one.Message].Blocks[one.Block].Result.Content
		line := dropped{Handle: one.handle, Tool: one.call.Name, Arguments: clipped(one.call.Args, 160), Tokens: m.corrected(one.size)}
		if len(content) <= shortResult {
			line.Text = content
		} else {
			if one.ids == nil {
				one.ids = append([]string{}, Identifiers(unescape.Replace(content))...)
			}
			line.Identifiers = fresh(slices.Clone(one.ids))
		}
		d.Results = append(d.Results, line)
	}
	return r.fitting(d, room)
}

// fitting writes a digest in so many tokens at most.
func (r *looping) fitting(d digest, room int64) string {
	fits := func(d digest) (string, bool) {
		text := r.fence(d)
		return text, r.memory.corrected(countedText(text)) <= room
	}
	text, ok := fits(d)
	for _, most := range []int{80, 40, 20, 10, 5, 0} {
		if ok {
			return text
		}
		results := slices.Clone(d.Results)
		for i := range results {
			results[i].Identifiers = results[i].Identifiers[:min(most, len(results[i].Identifiers))]
		}
		text, ok = fits(digest{Said: d.Said, Results: results})
		if ok || most == 0 {
			d.Results = results
		}
	}
	all := d
	for keep := 100; !ok && keep >= 0; keep -= 10 { // percent of the lines, the newest
		from, first := len(all.Results)*(100-keep)/100, len(all.Said)*(100-max(keep, 20))/100
		d.Results, d.Said, d.Unsaid = all.Results[from:], all.Said[first:], first
		if from > 0 {
			d.Before = fmt.Sprintf("%s to %s", all.Results[0].Handle, all.Results[from-1].Handle)
		}
		text, ok = fits(d)
	}
	return text
}

func (r *looping) fence(v any) string {
	if r.Context.Fence == nil {
		return string(fence.JSON(v))
	}
	return r.Context.Fence(v)
}

// folded is all that a conversation holds up to a message, as fold gives it.
func (r *looping) folded(to int) string {
	var b strings.Builder
	for _, message := range r.history[:to] {
		for _, block := range message.Blocks {
			b.WriteString(block.Text + "\n")
			if block.Call != nil {
				b.WriteString(block.Call.Args + "\n")
			}
			if block.Result != nil {
				b.WriteString(block.Result.Content + "\n")
			}
		}
	}
	return fold(b.String())
}
