package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// number emits a number with its group separators dropped, or a version with its dots kept. Where the writing has two
// readings, it is found and asked for by both: 12.500 is twelve and a half, or twelve thousand five hundred.
func (t *tokeniser) number() {
	start := t.pos
	t.buf = t.buf[:0]
	n := t.digits()
	if groups, separator := t.groups(start, n); groups > 0 {
		if separator != '.' {
			t.fraction('.')
		} else {
			t.fraction(',')
		}
		t.emit(t.buf, capital)
		return
	}
	for dots := 0; t.fraction('.'); dots++ {
		if dots == 0 && t.fractionAt('.') {
			t.emit(t.buf, part)
		}
	}
	if t.pos < len(t.text) && len(t.buf) == t.pos-start && t.pos-start == n {
		if r, _ := utf8.DecodeRuneInString(t.text[t.pos:]); (unicode.IsLetter(r) || unicode.IsMark(r)) && !unspaced(r) {
			t.word(start) // 4gb, 1st, 5ht
			return
		}
	}
	t.emit(t.buf, capital)
	if written := t.text[start:t.pos]; len(written) < maxWord {
		t.otherReadings(written, start)
	}
}

// groups reads the groups behind a number of n digits, and returns how many there were and what separates them.
func (t *tokeniser) groups(start, n int) (groups int, separator rune) {
	if n > 3 || t.text[start] == '0' {
		return 0, 0
	}
	if size := t.indian(n); size > 0 { // 1,25,000
		for range size {
			t.pos++
			t.digits()
		}
		return size, ','
	}
	for {
		r, size := utf8.DecodeRuneInString(t.text[t.pos:])
		if r != ',' && r != '\'' && r != 0xA0 && r != '.' || separator != 0 && r != separator || digitsAt(t.text, t.pos+size) != 3 {
			return groups, separator
		}
		if next := t.pos + 4; r == '.' && groups == 0 && !(digitsAt(t.text, next+1) == 3 && t.text[next] == '.') && !(digitsAt(t.text, next+1) > 0 && t.text[next] == ',') {
			return 0, 0 // 6.814 may be a decimal fraction, 6.814.000 and 6.814,50 are not
		}
		separator, groups = r, groups+1
		t.pos += size
		t.digits()
	}
}

// indian returns how many groups follow a number in the Indian way: two digits each, and three in the last.
func (t *tokeniser) indian(n int) (groups int) {
	i := t.pos
	for n <= 2 && strings.HasPrefix(t.text[min(i, len(t.text)):], ",") && digitsAt(t.text, i+1) == 2 {
		i, groups = i+3, groups+1
	}
	if groups == 0 || !strings.HasPrefix(t.text[i:], ",") || digitsAt(t.text, i+1) != 3 || strings.HasPrefix(t.text[i+4:], ",") && digitsAt(t.text, i+5) > 0 {
		return 0
	}
	return groups + 1
}

// otherReadings emits what a number that was written plainly, or with one point, may also mean.
func (t *tokeniser) otherReadings(written string, start int) {
	before, after, point := strings.Cut(written, ".")
	switch {
	case point && len(before) <= 3 && len(after) == 3 && before[0] != '0': // 12.500
		t.emit([]byte(before+after), also)
		if short := strings.TrimRight(after, "0"); short == "" {
			t.emit([]byte(before), also)
		} else if short != after {
			t.emit([]byte(before+"."+short), also)
		}
	case point || start < t.grouped:
	case len(written) <= 3 && written[0] != '0' && digitsAt(t.text, t.pos+1) == 3 && t.text[t.pos] == ' ': // 12 500
		joined, i := []byte(written), t.pos
		for i < len(t.text) && t.text[i] == ' ' && digitsAt(t.text, i+1) == 3 && len(joined) < maxWord-3 {
			joined, i = append(joined, t.text[i+1:i+4]...), i+4
		}
		t.grouped = i
		if n := digitsAt(t.text, i+1); n > 0 && t.text[i] == '.' && len(joined)+n < maxWord {
			joined = append(joined, t.text[i:i+1+n]...)
		}
		t.emit(joined, also)
	case t.fractionAt(',') && (start == 0 || t.text[start-1] != ','): // 3,14
		if n := digitsAt(t.text, t.pos+1); !strings.HasPrefix(t.text[t.pos+1+n:], ",") && len(written)+n < maxWord {
			t.emit([]byte(written+"."+t.text[t.pos+1:t.pos+1+n]), also)
		}
	}
}

// digits reads digits into the buffer and returns how many there were.
func (t *tokeniser) digits() (n int) {
	n = digitsAt(t.text, t.pos)
	room := max(maxWord-len(t.buf), 0)
	t.buf = append(t.buf, t.text[t.pos:t.pos+min(n, room)]...)
	t.pos += n
	return n
}

// digitsAt returns how many digits stand at a position, which may be behind the text.
func digitsAt(text string, i int) (n int) {
	for i+n < len(text) && digit(rune(text[i+n])) {
		n++
	}
	return n
}

// fractionAt reports whether a point and a digit come next.
func (t *tokeniser) fractionAt(point byte) bool {
	return t.pos+1 < len(t.text) && t.text[t.pos] == point && digit(rune(t.text[t.pos+1]))
}

// fraction reads a point and the digits behind it, and reports whether they were there.
func (t *tokeniser) fraction(point byte) bool {
	if !t.fractionAt(point) {
		return false
	}
	if len(t.buf) < maxWord {
		t.buf = append(t.buf, '.')
	}
	t.pos++
	t.digits()
	return true
}
