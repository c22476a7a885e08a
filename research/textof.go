package research

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"ibid/agent"
	"ibid/evidence"
	"ibid/gate"
	"ibid/llm"
	"ibid/research/prompts"
)

// textTool returns the text of a source, for programs outside that ask for documents by id.
type textTool struct {
	*state
	text prompts.Text
}

// shownText bounds the text of a source in an answer, in characters.
const shownText = 40_000

// textView is a document as those programs expect it: id, title, text and url have no other form.
type textView struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Text     string   `json:"text"`
	URL      string   `json:"url"`
	Metadata textMeta `json:"metadata"`
}

// textMeta is what else is known of it. Its values are strings.
type textMeta struct {
	Source  string `json:"source"`
	Kind    string `json:"kind"`
	Span    string `json:"span,omitempty"`
	Passage string `json:"passage,omitempty"` // what the span says
	Cut     string `json:"cut,omitempty"`     // what of the text was left out
}

func (t *textTool) Spec() llm.Tool {
	return spec("fetch", t.text, property{"id", `{"type":"string"}`, true})
}

func (t *textTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		ID string `json:"id"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	source, rest, spanned := strings.Cut(strings.TrimSpace(args.ID), ":")
	var key evidence.Key
	if spanned {
		var err error
		if key, err = evidence.ParseKey(source + ":" + rest); err != nil {
			return agent.Action{}, t.text.Error("bad_id", "reason", err)
		}
	}
	return now(func() agent.Result {
		src, ok := t.corpus.Source(source)
		if !ok {
			return refuse(t.text.Error("unknown_source", "source", source, "sources", t.sourceIDs()))
		}
		v := textView{ID: source, Title: src.Title, URL: src.URL, Metadata: textMeta{Source: source, Kind: string(src.Kind)}}
		spans := t.corpus.Spans(source)
		first := 0
		if spanned {
			i := spanAt(spans, key.Locator)
			if i < 0 {
				return refuse(t.text.Error("unknown_span", "source", source, "span", key.Locator))
			}
			v.ID, v.URL = key.String(), PlaceURL(src.URL, key.Locator, spans[i].Text)
			v.Metadata.Span, v.Metadata.Passage = key.Locator.String(), gate.Clip(spans[i].Text, shownText/4)
			first = i
		}
		v.Text, v.Metadata.Cut = textFrom(spans, first)
		return reply(v)
	}), nil
}

func spanAt(spans []evidence.Span, l evidence.Locator) int {
	for i, s := range spans {
		if s.Locator == l {
			return i
		}
	}
	return -1
}

// textFrom joins spans, one paragraph each: all of them where they fit, or else a window that begins shortly before the
// first one asked for. cut says what was left out.
func textFrom(spans []evidence.Span, first int) (text, cut string) {
	total := 0
	for _, s := range spans {
		total += utf8.RuneCountInString(s.Text) + 2
	}
	from := 0
	if total > shownText {
		from = first
		for before := 0; from > 0; from-- {
			if before += utf8.RuneCountInString(spans[from-1].Text) + 2; before > shownText/8 {
				break
			}
		}
	}
	var b strings.Builder
	size, to := 0, from
	for ; to < len(spans); to++ {
		n := utf8.RuneCountInString(spans[to].Text) + 2
		if size > 0 && size+n > shownText {
			break
		}
		if size > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(gate.Clip(spans[to].Text, shownText))
		size += n
	}
	if from > 0 || to < len(spans) {
		cut = "spans " + strconv.Itoa(from+1) + " to " + strconv.Itoa(to) + " of " + strconv.Itoa(len(spans)) + " are shown; search the source for the rest"
	}
	return b.String(), cut
}

// PlaceURL is the address of the place in a source where a span stands, as a browser finds it: the page of a PDF, a moment of
// a recording, or the words themselves (URL Fragment Text Directives). It is never empty where the source has an address.
func PlaceURL(source string, l evidence.Locator, text string) string {
	base, _, _ := strings.Cut(source, "#")
	switch l.Unit {
	case evidence.Page:
		return base + "#page=" + strconv.Itoa(l.A)
	case evidence.Time:
		return base + "#t=" + strconv.Itoa(l.A)
	case evidence.Para:
		words := strings.Fields(text)
		if len(words) == 0 || !strings.HasPrefix(base, "http") {
			return base + "#" + l.String()
		}
		directive := func(words []string) string {
			return strings.ReplaceAll(url.QueryEscape(strings.Join(words, " ")), "+", "%20")
		}
		const edge = 6
		if len(words) <= 2*edge {
			return base + "#:~:text=" + strings.ReplaceAll(directive(words), "-", "%2D")
		}
		return base + "#:~:text=" + strings.ReplaceAll(directive(words[:edge])+","+directive(words[len(words)-edge:]), "-", "%2D")
	}
	return base + "#" + url.PathEscape(l.String())
}
