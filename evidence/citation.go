package evidence

import (
	"fmt"
	"strings"
)

// A Citation points from a report at a span. It prints as S1 para.2; in running text it stands in brackets, alone
// [S1 para.2] or joined with others [S1 p.2; S2 p.3] (REPORT-1).
type Citation struct {
	Source  string
	Locator Locator
}

// String prints the citation without brackets.
func (c Citation) String() string { return c.Source + " " + c.Locator.String() }

// FormatCitations prints one bracket that cites all of cs, and "" for none.
func FormatCitations(cs ...Citation) string {
	if len(cs) == 0 {
		return ""
	}
	return "[" + joinCitations(cs) + "]"
}

func joinCitations(cs []Citation) string {
	var b strings.Builder
	for i, c := range cs {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.String())
	}
	return b.String()
}

const maxJoint = 32 // citations in one bracket

// ParseCitation reads the text of one citation, with or without its brackets. The grammar is strict and ASCII outside
// of paths, so that a bracket either is a citation or is refused, never half read:
//
//	citation = member *( "; " member )
//	member   = source " " locator          ; one space, locator in its canonical form
//	source   = "S" number                  ; no zero in front
func ParseCitation(s string) ([]Citation, error) {
	if len(s) >= 2 && s[0] == '[' && s[len(s)-1] == ']' {
		return parseInner(s[1 : len(s)-1])
	}
	return parseInner(s)
}

// parseInner reads what stands between the brackets of a citation.
func parseInner(s string) ([]Citation, error) {
	members := strings.SplitN(s, "; ", maxJoint+1)
	if len(members) > maxJoint {
		return nil, fmt.Errorf("citation %q: more than %d spans", Clip(s, 80), maxJoint)
	}
	cs := make([]Citation, 0, len(members))
	for _, m := range members {
		source, loc, ok := strings.Cut(m, " ")
		if !ok {
			return nil, fmt.Errorf("citation %q: expected a source and a locator, as in S1 para.2", Clip(s, 80))
		}
		if _, ok := ParseSourceID(source); !ok {
			return nil, fmt.Errorf("citation %q: %q is no source id, as S1 is", Clip(s, 80), Clip(source, 20))
		}
		l, err := ParseLocator(loc)
		if err != nil {
			return nil, fmt.Errorf("citation %q: %w", Clip(s, 80), err)
		}
		cs = append(cs, Citation{source, l})
	}
	return cs, nil
}

// String prints the key: S5:para.2.
func (k Key) String() string { return k.Source + ":" + k.Locator.String() }

// ParseKey reads S5:para.2, in that one form.
func ParseKey(s string) (Key, error) {
	source, loc, ok := strings.Cut(s, ":")
	if _, isID := ParseSourceID(source); !ok || !isID {
		return Key{}, fmt.Errorf("span key %q: expected a source and a locator, as in S5:para.2", Clip(s, 80))
	}
	l, err := ParseLocator(loc)
	if err != nil {
		return Key{}, fmt.Errorf("span key %q: %w", Clip(s, 80), err)
	}
	return Key{source, l}, nil
}

// MarshalText makes a key its printed form, also as a key of a JSON object.
func (k Key) MarshalText() ([]byte, error) {
	if _, err := k.Locator.MarshalText(); err != nil {
		return nil, err
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Key) UnmarshalText(b []byte) error {
	p, err := ParseKey(string(b))
	if err == nil {
		*k = p
	}
	return err
}
