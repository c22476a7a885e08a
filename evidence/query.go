package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits say how short a quote may be. A quote passes with either MinWords words or MinChars characters (white space
// folded); zero means the default of 3 and 12. Six Han or kana count as three words. Shorter code that states
// something, such as n=24, passes as well.
type Limits struct {
	MinWords, MinChars int
}

const maxQuote = 8 << 10 // bytes of a quote

// A query is a quote made ready for comparing. It is used by one goroutine.
type query struct {
	raw   string // without the white space around it
	limit Limits
	fold  [2]*folded  // of raw, as prose and as code
	forms [2][]string // see texts
	inner [2][]string // see missing
	loose string      // its words, for transcripts; see looseKey
}

func newQuery(quote string, limit Limits) *query {
	if limit.MinWords == 0 {
		limit.MinWords = 3
	}
	if limit.MinChars == 0 {
		limit.MinChars = 12
	}
	return &query{raw: strings.TrimSpace(quote), limit: limit}
}

func mode(code bool) int {
	if code {
		return 1
	}
	return 0
}

func (q *query) folded(code bool) *folded {
	k := mode(code)
	if q.fold[k] == nil {
		q.fold[k] = fold(q.raw, code)
	}
	return q.fold[k]
}

// texts lists the spellings of the quote to look for, the offered one first. Free are: the case of the first letter,
// one full stop, comma, semicolon or colon at the end, a dash left hanging there, and quotation marks around the whole
// that the copyist added. In code nothing is free.
func (q *query) texts(code bool) []string {
	k := mode(code)
	if q.forms[k] != nil {
		return q.forms[k]
	}
	t := q.folded(code)
	forms := []string{t.text}
	if !code {
		add := func(s string) string {
			s = strings.TrimSpace(s)
			for _, f := range forms {
				if f == s {
					return s
				}
			}
			if s != "" {
				forms = append(forms, s)
			}
			return s
		}
		add(stripEnd(t.text))
		inner := add(unwrap(t.text))
		add(stripEnd(inner))
		add(unwrap(stripEnd(t.text)))
		for _, f := range forms {
			add(flipFirst(f))
		}
	}
	q.forms[k] = forms
	return forms
}

// missing reports whether more than spare words of the quote stand in none of the folded texts. It is a quick test that
// rules a place out: a hyphen at a line's end, or the end of a span, hides one word each. The first and last words do
// not count, as what is free at the ends is theirs, nor do words beside a hyphen at a line's end of the quote.
func (q *query) missing(spare int, code bool, texts ...string) bool {
	k := mode(code)
	if q.inner[k] == nil {
		words := strings.FieldsFunc(q.folded(code).text, func(r rune) bool { return r == ' ' || r == '-' })
		q.inner[k] = []string{}
		for i, w := range words {
			if i > 0 && i < len(words)-1 && len(w) > 2 && strings.IndexByte(w, lineHyphen) < 0 && strings.IndexByte(w, hardLineHyphen) < 0 {
				q.inner[k] = append(q.inner[k], w)
			}
		}
	}
next:
	for _, w := range q.inner[k] {
		for _, t := range texts {
			if strings.Contains(t, w) {
				continue next
			}
		}
		if spare--; spare < 0 {
			return true
		}
	}
	return false
}

// stripEnd drops one closing mark, but never a part of an ellipsis.
func stripEnd(s string) string {
	if t := strings.TrimSuffix(s, "--"); t != s {
		return t
	}
	if t := strings.TrimSuffix(s, " -"); t != s {
		return t
	}
	if n := len(s); n > 1 && strings.IndexByte(".,;:", s[n-1]) >= 0 && s[n-2] != '.' {
		return s[:n-1]
	}
	return s
}

// unwrap drops quotation marks around the whole.
func unwrap(s string) string {
	if n := len(s); n > 2 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : n-1]
	}
	return s
}

// flipFirst changes the case of the first letter, where nothing but an opening mark stands before it.
func flipFirst(s string) string {
	at := len(s) - len(strings.TrimLeft(s, `"'([`))
	r, n := utf8.DecodeRuneInString(s[at:])
	flipped := unicode.ToLower(r)
	if flipped == r {
		flipped = unicode.ToUpper(r)
	}
	if flipped == r || !unicode.IsLetter(r) {
		return s
	}
	return s[:at] + string(flipped) + s[at+n:]
}

// tooShort reports whether the quote is too short to mean anything.
func (q *query) tooShort(code bool) bool {
	text := q.folded(code).text
	words, han := 0, 0
	for field := range strings.FieldsSeq(text) {
		latin := false
		for _, r := range field {
			if cjk(r) && wordRune(r) {
				han++
			} else if wordRune(r) {
				latin = true
			}
		}
		if latin {
			words++
		}
	}
	switch {
	case words+han == 0:
		return true
	case words+han/2 >= q.limit.MinWords, utf8.RuneCountInString(text) >= q.limit.MinChars:
		return false
	}
	return !states(text, code)
}

// states reports whether a short text is code that says something: name=value, or in code a name with a digit in it.
func states(s string, code bool) bool {
	name, value, ok := strings.Cut(s, "=")
	if ok && strings.ContainsFunc(name, wordRune) && strings.ContainsFunc(value, wordRune) {
		return true
	}
	return code && len(s) >= 4 && strings.ContainsFunc(s, numeric) && strings.ContainsFunc(s, func(r rune) bool { return !numeric(r) && r != '.' && r != ',' && r != ' ' })
}

// elision is a place in the quote where something was left out or put in, which the source does not have: an ellipsis
// between its words, or (but in code) words in square brackets. It returns "" if there is none.
func (q *query) elision(source string, code bool) string {
	text := q.folded(false).text
	for _, dots := range []string{"[...]", "(...)", "...", ". . ."} {
		for from := 0; ; {
			i := strings.Index(text[from:], dots)
			if i < 0 {
				break
			}
			i += from
			end := i + len(dots)
			if !strings.Contains(source, around(text, i, end)) {
				return text[i:end]
			}
			from = end
		}
	}
	if i := strings.IndexByte(text, '['); i >= 0 && !code {
		if n := strings.IndexByte(text[i:], ']'); n > 0 && !strings.Contains(source, text[i:i+n+1]) {
			return text[i : i+n+1]
		}
	}
	return ""
}

// around widens text[i:end] by up to one word on each side.
func around(text string, i, end int) string {
	left := strings.TrimRight(text[:i], " ")
	left = left[strings.LastIndexByte(left, ' ')+1:]
	right := strings.TrimLeft(text[end:], " ")
	if n := strings.IndexByte(right, ' '); n >= 0 {
		right = right[:n]
	}
	from := i - (len(text[:i]) - strings.LastIndex(text[:i], left))
	to := end + strings.Index(text[end:], right) + len(right)
	return text[from:to]
}
