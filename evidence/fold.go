package evidence

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A folded text is a text in the one typography in which quotes are compared, with the way back to the text's own
// bytes. Folding is NFC and the folds named in fold1 and folder.step, never NFKC, which would turn 10² into 102. Case and accents stay.
type folded struct {
	text  string
	runs  []run // nil: every offset is the same in both
	marks int   // how many lineHyphen and hardLineHyphen text holds
}

// Two bytes that the fold drops from any text stand for hyphens at a line's end, which read in more than one way.
const (
	lineHyphen     = '\x01' // between letters: nothing, "-" or "- "
	hardLineHyphen = '\x02' // beside a digit, or an en dash: "-" or "- "
)

// A run maps text[f:], up to the next run, to the n raw bytes from r on: byte for byte if same, else as a whole.
type run struct {
	f, r, n int32
	same    bool
}

// rawStart is where the raw text of folded offset f begins.
func (t *folded) rawStart(f int) int {
	if t.runs == nil {
		return f
	}
	u := t.runs[sort.Search(len(t.runs), func(i int) bool { return int(t.runs[i].f) > f })-1]
	if u.same {
		return int(u.r) + f - int(u.f)
	}
	return int(u.r)
}

// rawEnd is where the raw text of the folded bytes before f ends; f > 0.
func (t *folded) rawEnd(f int) int {
	if t.runs == nil {
		return f
	}
	u := t.runs[sort.Search(len(t.runs), func(i int) bool { return int(t.runs[i].f) >= f })-1]
	if u.same {
		return int(u.r) + f - int(u.f)
	}
	return int(u.r + u.n)
}

// splits is what text[start:end] leaves out of the raw characters at its edges that fold to several: of … or of ﬁ. A
// space beside a dash is not missed.
func (t *folded) splits(start, end int) string {
	if t.runs == nil {
		return ""
	}
	from, to := start, end
	if u := t.runs[sort.Search(len(t.runs), func(i int) bool { return int(t.runs[i].f) > start })-1]; !u.same {
		from = int(u.f)
	}
	k := sort.Search(len(t.runs), func(i int) bool { return int(t.runs[i].f) >= end }) - 1
	if !t.runs[k].same {
		to = len(t.text)
		if k+1 < len(t.runs) {
			to = int(t.runs[k+1].f)
		}
	}
	return strings.TrimSpace(t.text[from:start] + t.text[end:to])
}

// fold folds a text. In code, "--" is an operator and a hyphen at a line's end is one, so neither is read otherwise.
func fold(raw string, code bool) *folded {
	f := folder{raw: raw, code: code}
	if n := f.plainLen(0); n == len(raw) {
		return &folded{text: raw}
	}
	f.out = make([]byte, 0, len(raw)+8)
	for i := 0; i < len(raw); {
		if n := f.plainLen(i); n > 0 {
			f.keep(i, n)
			f.prev = rune(raw[i+n-1])
			i += n
			continue
		}
		i = f.step(i)
	}
	for n := len(f.out); n > 0 && f.out[n-1] == ' '; n-- {
		f.out = f.out[:n-1]
	}
	for n := len(f.runs); n > 0 && int(f.runs[n-1].f) >= len(f.out); n-- {
		f.runs = f.runs[:n-1]
	}
	return &folded{text: string(f.out), runs: f.runs, marks: f.marks}
}

// A folder is a fold under way.
type folder struct {
	raw   string
	code  bool
	out   []byte
	runs  []run
	marks int
	prev  rune // the last rune of raw that left something in out and was no space
}

// plainLen is the length of the text from i on that folds to itself whatever stands around it: ASCII words with single
// spaces and hyphens between them.
func (f *folder) plainLen(i int) int {
	s, from := f.raw, i
	for ; i < len(s); i++ {
		if plainByte[s[i]] {
			continue
		}
		if (s[i] == ' ' || s[i] == '-') && i > from && s[i-1] != '-' && i+1 < len(s) && plainByte[s[i+1]] {
			continue
		}
		break
	}
	return i - from
}

// plainByte is true for printable ASCII but space and hyphen.
var plainByte = func() (t [256]bool) {
	for c := '!'; c <= '~'; c++ {
		t[c] = c != '-'
	}
	return t
}()

// keep copies n raw bytes from i on as they are.
func (f *folder) keep(i, n int) {
	f.same(i, n)
	f.out = append(f.out, f.raw[i:i+n]...)
}

// same records that the next n bytes of out map one to one to raw from i on.
func (f *folder) same(i, n int) {
	if k := len(f.runs); k > 0 {
		if u := &f.runs[k-1]; u.same && int(u.r+u.n) == i && int(u.f+u.n) == len(f.out) {
			u.n += int32(n)
			return
		}
	}
	f.runs = append(f.runs, run{int32(len(f.out)), int32(i), int32(n), true})
}

// put writes s for the raw bytes from i to end.
func (f *folder) put(s string, i, end int) {
	if len(s) == 1 && end-i == 1 {
		f.same(i, 1)
	} else {
		f.runs = append(f.runs, run{int32(len(f.out)), int32(i), int32(end - i), false})
	}
	f.out = append(f.out, s...)
}

// spaced reports whether out ends where a space would add nothing.
func (f *folder) spaced() bool { return len(f.out) == 0 || f.out[len(f.out)-1] == ' ' }

// step folds what stands at i and returns where to go on.
func (f *folder) step(i int) int {
	r, n := utf8.DecodeRuneInString(f.raw[i:])
	switch {
	case r == softHyphen, r == lineEndMark, isDash(r):
		return f.hyphen(i, r, n)
	case invisible(r):
		return i + n
	case unicode.IsSpace(r):
		return f.space(i)
	case isEmDash(r):
		end := i + n
		for end < len(f.raw) {
			r, n := utf8.DecodeRuneInString(f.raw[end:])
			if !isEmDash(r) {
				break
			}
			end += n
		}
		return f.emDash(i, end)
	case r == utf8.RuneError:
		f.put("\uFFFD", i, i+n)
	default:
		s := fold1(r)
		if s == "" {
			s = f.raw[i : i+n]
		}
		if !alwaysNFC(r) && s[0] >= utf8.RuneSelf { // what folds to ASCII begins a letter of its own
			return f.compose(i, n, s)
		}
		if len(s) == n && s == f.raw[i:i+n] {
			f.keep(i, n)
		} else {
			f.put(s, i, i+n)
		}
	}
	f.prev = r
	return i + n
}

// space folds a run of white space to one space, or to nothing: at either end of the text, in text that is written
// without spaces, and inside guillemets where it does not break.
func (f *folder) space(i int) int {
	end, noBreak := i, true
	var next rune
	for end < len(f.raw) {
		r, n := utf8.DecodeRuneInString(f.raw[end:])
		if !unicode.IsSpace(r) && (!invisible(r) || r == lineEndMark) {
			next = r
			break
		}
		noBreak = noBreak && (noBreakSpace(r) || invisible(r))
		end += n
	}
	switch {
	case f.spaced() || end == len(f.raw):
	case cjk(f.prev) || cjk(next):
	case noBreak && (f.prev == '«' || f.prev == '‹' || next == '»' || next == '›'):
	default:
		f.put(" ", i, end)
	}
	return end
}

// emDash writes a dash that parts clauses as " - ".
func (f *folder) emDash(i, end int) int {
	s := " - "
	if f.spaced() {
		s = "- "
	}
	f.put(s, i, end)
	f.prev = '—'
	return end
}

// hyphen folds hyphens, dashes of their length, minus signs, soft hyphens and PDFium's mark.
func (f *folder) hyphen(i int, r rune, n int) int {
	shows := r != softHyphen && r != lineEndMark
	if !f.code && wordRune(f.prev) && !f.spaced() {
		if end, next := f.lineEnd(i+n, r == lineEndMark); wordRune(next) {
			mark := lineHyphen
			if numeric(f.prev) || numeric(next) || shows && r != '-' && r != '\u2010' && r != '\u2011' {
				mark = hardLineHyphen
			}
			f.put(string(mark), i, end)
			f.marks, f.prev = f.marks+1, '-'
			return end
		}
	}
	if !shows {
		return i + n
	}
	if r == '-' {
		for i+n < len(f.raw) && f.raw[i+n] == '-' {
			n++
		}
		if !f.code && (n == 2 || n == 3) {
			after, _ := utf8.DecodeRuneInString(f.raw[i+n:])
			if f.spaced() == (i+n == len(f.raw) || unicode.IsSpace(after)) {
				return f.emDash(i, i+n)
			}
		}
		f.keep(i, n)
	} else {
		f.put("-", i, i+n)
	}
	f.prev = '-'
	return i + n
}

// lineEnd looks from i on for a line's end and white space around it, and returns where the next line's text begins
// and its first rune, 0 if there is no line's end. PDFium's mark is a line's end by itself.
func (f *folder) lineEnd(i int, marked bool) (end int, next rune) {
	breaks := 0
	for i < len(f.raw) {
		r, n := utf8.DecodeRuneInString(f.raw[i:])
		switch {
		case r == '\r' && i+1 < len(f.raw) && f.raw[i+1] == '\n':
			n = 2
			breaks++
		case isBreak(r):
			breaks++
		case !unicode.IsSpace(r) && !invisible(r):
			if breaks == 1 || breaks == 0 && marked {
				return i, r
			}
			return i, 0
		}
		i += n
	}
	return i, 0
}

// compose folds a rune that may belong to the letter before it, or that has another canonical form: the whole letter,
// with all that combines with it, is composed (NFC) and stands for its raw bytes as one.
func (f *folder) compose(i, n int, s string) int {
	end, letter := i+n, []byte(s)
	back := !norm.NFC.PropertiesString(s).BoundaryBefore()
	for end < len(f.raw) {
		r, n := utf8.DecodeRuneInString(f.raw[end:])
		if invisible(r) && r != lineEndMark {
			end += n
			continue
		}
		t := fold1(r)
		if t == "" {
			t = f.raw[end : end+n]
		}
		if r < 0x300 || norm.NFC.PropertiesString(t).BoundaryBefore() {
			break
		}
		letter = append(letter, t...)
		end += n
	}
	start := i
	if back {
		if j := f.lastLetter(); j >= 0 {
			letter = append(f.out[j:len(f.out):len(f.out)], letter...)
			start = f.popTo(j)
		}
	} else {
		f.prev, _ = utf8.DecodeRuneInString(f.raw[i:])
	}
	f.put(string(norm.NFC.Bytes(letter)), start, end)
	return end
}

// lastLetter is where in out the last letter with its marks begins, -1 if out ends with none, or with more marks than
// any script heaps up.
func (f *folder) lastLetter() int {
	const heap = 64 // bytes
	j := len(f.out)
	for j > 0 && j > len(f.out)-heap {
		r, n := utf8.DecodeLastRune(f.out[:j])
		if r <= ' ' {
			return -1
		}
		j -= n
		if norm.NFC.Properties(f.out[j:]).BoundaryBefore() {
			for k := len(f.runs) - 1; k >= 0; k-- { // a run that is not byte for byte is never split
				if u := f.runs[k]; int(u.f) <= j {
					if !u.same {
						j = int(u.f)
					}
					break
				}
			}
			return j
		}
	}
	return -1
}

// popTo drops out[j:] and returns the raw offset where it began.
func (f *folder) popTo(j int) int {
	for {
		u := &f.runs[len(f.runs)-1]
		if int(u.f) < j {
			n := int32(j) - u.f
			start := int(u.r + n)
			u.n = n
			f.out = f.out[:j]
			return start
		}
		start := int(u.r)
		f.runs = f.runs[:len(f.runs)-1]
		if int(u.f) == j {
			f.out = f.out[:j]
			return start
		}
	}
}
