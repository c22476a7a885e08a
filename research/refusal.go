package research

import (
	"strings"

	"ibid/agent"
	"ibid/evidence"
)

// refused answers a quote that does not stand where it should. The closest real text is text from a source, so it
// stands in a field of its own.
type refused struct {
	Error   string `json:"error"`
	Span    string `json:"closest_span,omitempty"`
	Closest string `json:"untrusted_text,omitempty"`
}

func (r refused) result(f fence) agent.Result {
	result := f.reply(r)
	result.IsError = true
	return result
}

// refusal says why a quote was not accepted, where it stands instead, or what stands there instead.
func (t *findingTool) refusal(doc *evidence.Doc, key evidence.Key, quote string, match evidence.Match) agent.Result {
	why := doc.Explain(key.Locator, quote, match)
	r := refused{Error: t.text.Note("refused", "reason", why.Message), Span: key.String(), Closest: why.Closest}
	if len(why.FoundIn) > 0 {
		r.Span, r.Closest = evidence.Key{Source: key.Source, Locator: why.FoundIn[0]}.String(), ""
		return r.result(t.fence)
	}
	if match.Reason == evidence.ReasonTooShort || match.Reason == evidence.ReasonTooLong {
		return r.result(t.fence)
	}
	for _, s := range t.corpus.Sources() {
		if found := t.corpus.Doc(s.ID).Find(quote); s.ID != key.Source && found.OK() {
			r.Span, r.Closest = evidence.Key{Source: s.ID, Locator: found.Locator}.String(), ""
			r.Error = t.text.Note("other_span", "found", r.Span, "span", key)
			return r.result(t.fence)
		}
	}
	if r.Closest == "" {
		r.Span = ""
	}
	return r.result(t.fence)
}

// notFound says where the closest words of a source stand.
func (t *quoteTool) notFound(doc *evidence.Doc, source, needle string, match evidence.Match) agent.Result {
	r := refused{Error: t.text.Note("refused", "reason", match.Message())}
	if match.Reason != evidence.ReasonNotFound {
		return r.result(t.fence)
	}
	r.Error = t.text.Note("nothing_close", "source", source)
	for _, hit := range t.corpus.Search(needle, 20) {
		if hit.Key.Source != source {
			continue
		}
		if closest := doc.Closest(hit.Key.Locator, needle); closest != "" {
			r.Error = t.text.Note("not_found", "source", source)
			r.Span, r.Closest = hit.Key.String(), closest
			break
		}
	}
	return r.result(t.fence)
}

// planIDs lists the sub-questions for an error text.
func (s *state) planIDs() string {
	ids := make([]string, len(s.plan))
	for i, q := range s.plan {
		ids[i] = q.ID
	}
	return strings.Join(ids, ", ")
}
