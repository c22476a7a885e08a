package forms

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"ibid/evidence"
)

// The shapes of the Web Annotation Data Model (W3C Recommendation of 2017-02-23) and of its note on selectors and states.
type (
	annotations struct {
		Context []any          `json:"@context"`
		ID      string         `json:"id"`
		Type    string         `json:"type"`
		Label   string         `json:"label"`
		Total   int            `json:"total"`
		First   annotationPage `json:"first"`
	}
	annotationPage struct {
		ID         string       `json:"id"`
		Type       string       `json:"type"`
		StartIndex int          `json:"startIndex"`
		Items      []annotation `json:"items"`
	}
	annotation struct {
		ID         string               `json:"id"`
		Type       string               `json:"type"`
		Motivation string               `json:"motivation"`
		Created    string               `json:"created,omitempty"`
		Body       annotationBody       `json:"body"`
		Accepted   *evidence.Acceptance `json:"ibid:accepted,omitempty"` // by a person, though rules block it
		Target     annotationTarget     `json:"target"`
	}
	annotationBody struct {
		Type    string `json:"type"`
		Value   string `json:"value"`
		Format  string `json:"format"`
		Purpose string `json:"purpose"`
	}
	annotationTarget struct {
		Type     string     `json:"type"`
		Source   string     `json:"source"`
		Selector []selector `json:"selector"`
		State    state      `json:"state"`
	}
	selector struct {
		Type       string `json:"type"`
		Exact      string `json:"exact,omitempty"`
		Prefix     string `json:"prefix,omitempty"`
		Suffix     string `json:"suffix,omitempty"`
		Start      *int   `json:"start,omitempty"` // code points
		End        *int   `json:"end,omitempty"`
		ConformsTo string `json:"conformsTo,omitempty"`
		Value      string `json:"value,omitempty"`
	}
	state struct {
		Type       string `json:"type"`
		SourceDate string `json:"sourceDate"`
		Cached     string `json:"cached,omitempty"` // the bytes as fetched, by their hash (RFC 6920)
		Locator    string `json:"ibid:locator"`
		Extract    string `json:"ibid:extract"` // hex SHA-256 of the text that positions count in
	}
)

// beside is how much text stands in prefix and suffix of a quote, in characters.
const beside = 32

// Annotations writes each finding that the report rests on as a Web Annotation: its claim over the words of its source. A
// position counts the code points of the source's extract: its spans in order, a line feed between each two.
func (r *Report) Annotations() ([]byte, error) {
	run := "urn:ibid:run:" + r.bundle.Run
	a := annotations{Context: []any{"http://www.w3.org/ns/anno.jsonld", map[string]string{"ibid": "urn:ibid:ns:"}}, ID: run, Type: "AnnotationCollection", Label: r.bundle.Question,
		First: annotationPage{ID: run + ":findings", Type: "AnnotationPage", Items: []annotation{}}}
	created := ""
	if f := r.bundle.Facts; !f.Finished.IsZero() {
		created = f.Finished.UTC().Format(time.RFC3339)
	}
	for _, f := range r.bundle.Findings {
		s := r.sources[f.Source]
		m := r.doc(f.Source).Match(f.Locator, f.Quote)
		if f.Rejected != "" || s == nil || !m.OK() {
			continue
		}
		source := s.URL
		if source == "" {
			source = run + ":" + s.ID
		}
		a.First.Items = append(a.First.Items, annotation{ID: run + ":" + f.ID, Type: "Annotation", Motivation: "describing", Created: created, Accepted: f.Accepted,
			Body: annotationBody{"TextualBody", f.Claim, "text/plain", "describing"},
			Target: annotationTarget{Type: "SpecificResource", Source: source, Selector: r.selectors(s, m),
				State: state{"TimeState", s.Fetched.UTC().Format(time.RFC3339), named(s.SHA256), f.Locator.String(), s.TextSHA256}}})
	}
	a.Total = len(a.First.Items)
	return indented(a)
}

// selectors say where a quote stands: by its words, by its position, and by the fragment of its page or moment.
func (r *Report) selectors(s *evidence.Source, m evidence.Match) []selector {
	text, start, end := r.extract(s.ID, m)
	at := utf8.RuneCountInString(text[:start])
	to := at + utf8.RuneCountInString(text[start:end])
	list := []selector{
		{Type: "TextQuoteSelector", Exact: text[start:end], Prefix: lastRunes(text[:start], beside), Suffix: firstRunes(text[end:], beside)},
		{Type: "TextPositionSelector", Start: &at, End: &to}}
	switch m.Locator.Unit {
	case evidence.Page:
		list = append(list, selector{Type: "FragmentSelector", ConformsTo: "http://tools.ietf.org/rfc/rfc3778", Value: fmt.Sprintf("page=%d", m.Locator.A)})
	case evidence.Time:
		list = append(list, selector{Type: "FragmentSelector", ConformsTo: "http://www.w3.org/TR/media-frags/", Value: fmt.Sprintf("t=%d", m.Locator.A)})
	}
	return list
}

// An extracted is the text of a source, and where in it each span begins, in bytes.
type extracted struct {
	text   string
	starts map[evidence.Locator]int
}

// extract is the text of a source, and where in it a quote begins and ends, in bytes.
func (r *Report) extract(source string, m evidence.Match) (text string, start, end int) {
	x, made := r.extracts[source]
	if !made {
		x.starts = map[evidence.Locator]int{}
		var b strings.Builder
		for i, s := range r.bundle.Spans[source] {
			if i > 0 {
				b.WriteByte('\n')
			}
			if _, twice := x.starts[s.Locator]; !twice { // the first counts, as for quotes
				x.starts[s.Locator] = b.Len()
			}
			b.WriteString(s.Text)
		}
		x.text = b.String()
		r.extracts[source] = x
	}
	last := m.Locator
	if m.Until != nil {
		last = *m.Until
	}
	return x.text, x.starts[m.Locator] + m.Start, x.starts[last] + m.End
}

func lastRunes(s string, n int) string {
	at := len(s)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return s[at:]
}

func firstRunes(s string, n int) string {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// named names bytes by their hash (RFC 6920).
func named(sum string) string {
	raw, err := hex.DecodeString(sum)
	if err != nil || len(raw) != 32 {
		return ""
	}
	return "ni:///sha-256;" + base64.RawURLEncoding.EncodeToString(raw)
}
