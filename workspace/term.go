package workspace

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of looking for words in text.
const (
	maxTermBytes = 512 << 20 // of files that are read for one search
	aroundTerm   = 80        // characters that are shown before and behind a match
	perFile      = 3         // matches of one file that are listed
)

// A Passage is a part of a file's text, with its locator and, where the file has lines, the line on which it begins.
type Passage struct {
	At   string
	Line int
	Text string
}

// Texts is how the text of files is come by.
type Texts struct {
	// Read returns the passages of a file. A *Refused says that it has no text that can be read.
	Read func(ctx context.Context, path string) ([]Passage, error)
	// Prepare is called once before a search; may be nil.
	Prepare func(ctx context.Context) error
	// Known returns all of a file's text as it is known without reading it, to pass over those without the words; may be nil.
	Known func(path string) (text string, ok bool)
}

// A Term is words to look for: as they are written, one after the other and whole, without regard to case, to the form of
// quotation marks and dashes, and to how lines are broken.
type Term struct {
	Words  string
	Name   string // pattern of ByName that the files must fit; "": any
	Folder string
	Most   int // matches that are listed
}

// A TermMatch is a place where the words stand.
type TermMatch struct {
	Path string `json:"path"`
	At   string `json:"at"`
	Line int    `json:"line,omitempty"`
	Text string `json:"untrusted_text"` // around the words, as it is written
}

// TermMatches is where words stand, by path and place; of each file the first few places.
type TermMatches struct {
	Matches []TermMatch
	More    int  // places that are not listed
	Unread  int  // files whose text could not be read
	Cut     bool // not all files were looked at
}

// ByTerm finds words in the text of files.
func (r *Root) ByTerm(ctx context.Context, t Term, texts Texts) (TermMatches, error) {
	found := TermMatches{Matches: []TermMatch{}}
	words, _ := plain(t.Words)
	if len(words) == 0 {
		return found, &Refused{t.Words, "there are no words to look for"}
	}
	fits := func(string) bool { return true }
	var err error
	if t.Name != "" {
		if fits, err = matcher(t.Name); err != nil {
			return found, err
		}
	}
	if texts.Prepare != nil {
		if err := texts.Prepare(ctx); err != nil {
			return found, err
		}
	}
	l, err := r.list(ctx, t.Folder, maxSeen, func(f File) bool { return fits(f.Path) }, nil)
	if err != nil {
		return found, err
	}
	found.Cut = l.Cut
	left := int64(maxTermBytes)
	for _, f := range l.Files {
		if texts.Known != nil {
			if text, ok := texts.Known(f.Path); ok {
				if known, _ := plain(text); index(known, words, 0) < 0 {
					continue
				}
			}
		}
		if left -= f.Size; left < 0 {
			found.Cut = true
			break
		}
		passages, err := texts.Read(ctx, f.Path)
		if refused := (*Refused)(nil); errors.As(err, &refused) {
			found.Unread++
			continue
		} else if err != nil {
			return found, err
		}
		listed := 0
		for _, p := range passages {
			for _, m := range matches(p, words) {
				m.Path = f.Path
				if listed == perFile || len(found.Matches) == t.Most {
					found.More++
					continue
				}
				listed++
				found.Matches = append(found.Matches, m)
			}
		}
	}
	return found, nil
}

// matches finds the words in a passage.
func matches(p Passage, words []rune) (list []TermMatch) {
	text, at := plain(p.Text)
	for i := 0; ; {
		i = index(text, words, i)
		if i < 0 {
			return list
		}
		from, to := at[i], len(p.Text)
		if end := i + len(words); end < len(at) {
			to = at[end]
		}
		m := TermMatch{At: p.At, Text: around(p.Text, from, to)}
		if p.Line > 0 {
			m.Line = p.Line + strings.Count(p.Text[:from], "\n")
		}
		list = append(list, m)
		i += len(words)
	}
}

// around is the text about a match, at whole characters.
func around(text string, from, to int) string {
	for range aroundTerm {
		if from > 0 {
			_, n := utf8.DecodeLastRuneInString(text[:from])
			from -= n
		}
		if to < len(text) {
			_, n := utf8.DecodeRuneInString(text[to:])
			to += n
		}
	}
	return strings.TrimSpace(text[from:to])
}

// plain is a text without what does not count when words are looked for, and where each of its characters stands in the
// text.
func plain(text string) (runes []rune, at []int) {
	runes, at = make([]rune, 0, len(text)), make([]int, 0, len(text))
	space := true // at the beginning none is kept
	add := func(r rune, i int) {
		if unicode.IsSpace(r) {
			if !space {
				runes, at = append(runes, ' '), append(at, i)
			}
			space = true
			return
		}
		space = false
		runes, at = append(runes, r), append(at, i)
	}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != 2 { // a hyphen at the end of a line of a PDF
				add(rune(c), i)
			} else if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			i++
			continue
		}
		n := norm.NFKC.NextBoundaryInString(text[i:], true)
		if n <= 0 {
			n = 1
		}
		for _, r := range norm.NFKC.String(text[i : i+n]) {
			switch r = unicode.ToLower(r); {
			case r == '’' || r == '‘' || r == '‛' || r == 'ʼ':
				add('\'', i)
			case r == '“' || r == '”' || r == '„' || r == '«' || r == '»':
				add('"', i)
			case r >= '‐' && r <= '―' || r == '−':
				add('-', i)
			case unicode.Is(unicode.Cf, r): // soft hyphens, and what has no width
			default:
				add(r, i)
			}
		}
		i += n
	}
	for len(runes) > 0 && runes[len(runes)-1] == ' ' {
		runes, at = runes[:len(runes)-1], at[:len(at)-1]
	}
	return runes, at
}

// index finds words from a position on where they stand whole: what joins them on either side is no letter and no digit.
// Scripts without spaces have no word ends to look for.
func index(text, words []rune, from int) int {
	first, last := words[0], words[len(words)-1]
	for i := from; i+len(words) <= len(text); i++ {
		if text[i] != first || !same(text[i:i+len(words)], words) {
			continue
		}
		if i > 0 && joined(text[i-1], first) {
			continue
		}
		if end := i + len(words); end < len(text) && joined(last, text[end]) {
			continue
		}
		return i
	}
	return -1
}

func same(a, b []rune) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// joined says whether two neighbours are of one word.
func joined(a, b rune) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' }
	return word(a) && word(b) && !unicode.In(a, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) && !unicode.In(b, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
