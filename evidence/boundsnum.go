package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tightNumber finds numbers cut where no white space stands at the edge.
func (j *junction) tightNumber() cut {
	yes := false
	switch {
	case numeric(j.l1) && numeric(j.r1):
		yes = true
	case numeric(j.l1) && numeric(j.r2), numeric(j.l2) && numeric(j.r1): // 41|.6 and 41.|6
		c := j.r1
		if numeric(j.r1) {
			c = j.l1
		}
		yes = strings.ContainsRune(".,:'-/^⁄×*", c) || c == 0x066B || c == 0x066C
	}
	if yes {
		return cutNumber
	}
	if numeric(j.r1) || j.r1 == '.' && numeric(j.r2) { // what a number may carry in front
		switch {
		case j.l1 == '-', sign(j.l1), comparison(j.l1) && !j.arrow(), unicode.Is(unicode.Sc, j.l1), j.l1 == '#', j.l1 == '^':
			return cutNumber
		case j.l1 == '.' && !wordRune(j.l2) && j.l2 != '.': // |.5 read as 5
			return cutNumber
		}
	}
	if numeric(j.l1) { // what it may carry behind
		switch {
		case percent(j.r1), j.r1 == '^', j.r1 == '+', j.r1 == '×' && numeric(j.r2):
			return cutNumber
		case unicode.Is(unicode.Sc, j.r1) && !numeric(j.r2):
			return cutNumber
		}
	}
	return cutNothing
}

// spacedNumber finds numbers cut at a space: a sign, comparison or currency before, a percent sign or currency behind,
// groups of three digits, a range, a power of ten.
func (j *junction) spacedNumber() cut {
	l, r := numeric(j.l1), numeric(j.r1)
	yes := false
	switch {
	case r && (comparison(j.l1) && !j.arrow() || j.rawL1 == '−' || j.l1 == '±' || unicode.Is(unicode.Sc, j.l1)):
		yes = true
	case l && (percent(j.r1) || unicode.Is(unicode.Sc, j.r1) && !numeric(j.firstAfter())):
		yes = true
	case l && (j.r1 == '-' || j.r1 == '×') && numeric(j.firstAfter()), r && (j.l1 == '-' || j.l1 == '×') && numeric(j.lastBefore()):
		yes = true
	case l && r:
		yes = j.grouped()
	}
	if yes {
		return cutNumber
	}
	return cutNothing
}

// firstAfter is the first rune after r1 on its line that is no space; lastBefore the last before l1.
func (j *junction) firstAfter() rune {
	_, end := after(j.text, j.right)
	for {
		r, e := after(j.text, end)
		if r == 0 || !unicode.IsSpace(r) || isBreak(r) {
			return r
		}
		end = e
	}
}

func (j *junction) lastBefore() rune {
	_, at := before(j.text, j.left)
	for {
		r, a := before(j.text, at)
		if r == 0 || !unicode.IsSpace(r) || isBreak(r) {
			return r
		}
		at = a
	}
}

// arrow reports whether the ">" at the edge is no comparison: the head of an arrow, or the mark of a quoted line.
func (j *junction) arrow() bool {
	return j.l1 == '>' && (j.l2 == '-' || j.l2 == '=' || !j.tight && (j.l2 == 0 || isBreak(j.l2)))
}

// grouped reports whether one space at the edge parts groups of one number: one to three digits before, exactly three behind.
func (j *junction) grouped() bool {
	gap := strings.TrimFunc(j.text[j.left:j.right], invisible)
	r, n := utf8.DecodeRuneInString(gap)
	if n != len(gap) || isBreak(r) {
		return false
	}
	behind := 0
	for at := j.right; ; behind++ {
		r, end := after(j.text, at)
		if !unicode.IsDigit(r) {
			if wordRune(r) {
				return false
			}
			break
		}
		at = end
	}
	front, at := 0, j.left
	for ; front < 4; front++ {
		r, a := before(j.text, at)
		if !unicode.IsDigit(r) {
			if wordRune(r) {
				return false
			}
			if p, _ := before(j.text, a); (r == '.' || r == ',') && unicode.IsDigit(p) {
				return false
			}
			break
		}
		at = a
	}
	return behind == 3 && front >= 1 && front <= 3
}

// numberWords finds numbers cut between words: 5 | million, 8 | percent, twenty | six, two hundred | and six, four | point one.
func (j *junction) numberWords() cut {
	l, r := lastWords(j.text[:j.left]), firstWords(j.text[j.right:])
	num := func(w string) bool { return numberWord[w] > 0 || w != "" && numeric(lastRune(w)) }
	yes := false
	switch lw, rw := numberWord[l[0]], numberWord[r[0]]; {
	case num(l[0]) && lw != isHundred && rw == isHundred, lw == isHundred && rw > 0:
		yes = true
	case lw == isTens && rw == isUnit:
		yes = true
	case num(l[0]) && percentWord(r[0], r[1]):
		yes = true
	case lw == isHundred && r[0] == "and" && numberWord[r[1]] > 0, numberWord[l[1]] == isHundred && l[0] == "and" && rw > 0:
		yes = true
	case num(l[0]) && r[0] == "point" && numberWord[r[1]] > 0, numberWord[l[1]] > 0 && l[0] == "point" && rw > 0:
		yes = true
	}
	if yes {
		return cutNumber
	}
	return cutNothing
}

// Classes of words that make up a number.
const (
	isUnit    = 1 + iota // one to nineteen
	isTens               // twenty to ninety
	isHundred            // hundred and up
)

var numberWord = func() map[string]int {
	m := make(map[string]int)
	for class, words := range []string{
		isUnit: "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
		isTens: "twenty thirty forty fifty sixty seventy eighty ninety", isHundred: "hundred thousand million billion trillion bn mn crore lakh dozen",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = class
		}
	}
	return m
}()

func percentWord(w, next string) bool {
	return w == "percent" || w == "percentage" || w == "pct" || w == "per" && (next == "cent" || next == "mille")
}

// lastWords are the last two words of s, the nearer first, lower case, "" where something else stands; firstWords the first two.
func lastWords(s string) (w [2]string) {
	for i := range w {
		at := strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) })
		if at >= 0 {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		} else {
			at = 0
		}
		if len(s)-at > 16 {
			return w
		}
		w[i] = strings.ToLower(s[at:])
		s = strings.TrimRightFunc(s[:at], unicode.IsSpace)
	}
	return w
}

func firstWords(s string) (w [2]string) {
	for i := range w {
		n := strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) })
		if n < 0 {
			n = len(s)
		}
		if n > 16 {
			return w
		}
		w[i] = strings.ToLower(s[:n])
		s = strings.TrimLeftFunc(s[n:], unicode.IsSpace)
	}
	return w
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// sign reports whether r right before a number changes its value.
func sign(r rune) bool { return r == '+' || r == '±' || r == '∓' || r == '×' || r == '√' }

// comparison reports whether r before a number, with or without a space, makes it a bound or a guess.
func comparison(r rune) bool {
	return strings.ContainsRune("~∼≈≃≅<>≤≥⩽⩾≦≧≲≳≪≫≠", r)
}

// percent reports whether r behind a number, with or without a space, is part of its value.
func percent(r rune) bool {
	return r == '%' || r == '‰' || r == '‱' || r == '°' || r == '¢' || r == '٪'
}

// hanNumeral and hanMagnitude read numbers written in Han: 二十六, 5万.
func hanNumeral(r rune) bool {
	return hanMagnitude(r) || strings.ContainsRune("〇零一二三四五六七八九两兩", r)
}

func hanMagnitude(r rune) bool { return strings.ContainsRune("十百千万萬億亿兆", r) }
