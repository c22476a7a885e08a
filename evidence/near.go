package evidence

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// This file reads what was meant. It serves suggestions and the detection of look-alikes only; nothing that it reads
// is ever accepted as a citation.

// looseForms finds source ids and locators in text as people and models write them. Group names tell which.
var looseForms = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bsheet\.(?P<sheet>[^!\[\];]{1,80})!(?P<cells>[a-z]{1,3}[0-9]+(?::[a-z]{1,3}[0-9]+)?)`,
	`(?P<path>[^\s:#,;()\[\]]+)(?::|#)\s?L(?P<l1>[0-9]+)(?:\s?[-:]\s?L?(?P<l2>[0-9]+))?`,
	`(?P<path2>[^\s:#,;()\[\]]+[./][^\s:#,;()\[\]]+)(?::|,?\s(?:L|lines?\s?))(?P<l3>[0-9]+)(?:\s?[-:]\s?L?(?P<l4>[0-9]+))?\b`,
	`\b(?:s|src|source)[ .#-]?0*(?P<id>[1-9][0-9]*)\b`,
	`\bch(?:apter)?[ .]{1,2}0*(?P<ch>[1-9][0-9]*),?\s?(?:para(?:graph)?|[¶§])\s?[.:]?\s?0*(?P<cpara>[1-9][0-9]*)`,
	`\b(?P<slide>slide|cell)[ .]{1,2}0*(?P<sn>[1-9][0-9]*)(?:\.0*(?P<sp>[1-9][0-9]*))?`,
	`(?:^|\s)(?P<ptr>/[^\s\[\];,)]+)`,
	`(?:\bpara(?:graph)?s?|\bpar|[¶§])\s?[.:#]?\s?0*(?P<para>[0-9]+)`,
	`\b(?:pages?|pgs?|pp?)(?:\s?[.:#]\s?|\s)0*(?P<page>[0-9]+)(?:\.0*(?P<pp>[1-9][0-9]*))?`,
	`\bt\s?=\s?(?P<t>[0-9]{1,4}(?::[0-9]{1,2}){1,2})\b`,
	`\b(?P<clock>[0-9]{1,3}(?::[0-9]{2}){1,2})\b`,
}, "|"))

// A form is one thing that looseForms found: a source id, or a locator.
type form struct {
	start, end int
	source     string  // "S1", or "" for a locator
	loc        Locator // zero where what is written names no place (p.0)
	plain      bool    // a clock or page such as any prose may hold: 12:30, page 3
}

// looseRead lists the ids and locators in s, which should have gone through plainText.
func looseRead(s string) []form {
	var fs []form
	for _, m := range looseForms.FindAllStringSubmatchIndex(s, 2*maxJoint) {
		g := func(name string) string {
			i := looseForms.SubexpIndex(name)
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		n := func(name string) int { v, _ := number(g(name)); return v }
		f := form{start: m[0], end: m[1]}
		switch {
		case g("id") != "":
			f.source = "S" + g("id")
		case g("sheet") != "":
			f.loc = Locator{Unit: Cells, Path: g("sheet") + "!" + strings.ToUpper(g("cells"))}
		case g("l1") != "":
			f.loc = looseLines(g("path"), n("l1"), n("l2"))
		case g("l3") != "":
			f.loc = looseLines(g("path2"), n("l3"), n("l4"))
		case g("ch") != "":
			f.loc = Locator{Unit: Chapter, A: n("ch"), B: n("cpara")}
		case g("slide") != "":
			f.loc = Locator{Unit: Slide, A: n("sn"), B: n("sp")}
			if strings.EqualFold(g("slide"), "cell") {
				f.loc.Unit = Cell
			}
			f.plain = true
		case g("ptr") != "":
			if p, err := unescapePath(g("ptr")); err == nil {
				f.loc = Locator{Unit: Pointer, Path: p}
			}
			f.plain = true
		case g("para") != "":
			f.loc = Locator{Unit: Para, A: n("para")}
		case g("page") != "":
			f.loc = Locator{Unit: Page, A: n("page"), B: n("pp")}
			f.plain = true
		default:
			f.loc = Locator{Unit: Time, A: looseClock(g("t") + g("clock"))}
			f.plain = g("clock") != ""
		}
		if f.source == "" && !f.loc.Valid() {
			f.loc = Locator{}
		}
		fs = append(fs, f)
	}
	return fs
}

func looseLines(path string, a, b int) Locator {
	if p, err := unescapePath(path); err == nil {
		path = p
	}
	if b == 0 {
		b = a
	}
	return Locator{Unit: Lines, Path: path, A: min(a, b), B: max(a, b)}
}

func looseClock(s string) int {
	secs := 0
	for p := range strings.SplitSeq(s, ":") {
		n, _ := strconv.Atoi(p)
		secs = secs*60 + n
	}
	return secs
}

// nearLocator is the locator that s seems to mean.
func nearLocator(s string) (Locator, bool) {
	for _, t := range []string{plainText(s, false), plainText(s, true)} {
		for _, f := range looseRead(t) {
			if f.loc != (Locator{}) {
				return f.loc, true
			}
		}
	}
	return Locator{}, false
}

// nearCitation is the citation that the inside of a bracket seems to mean, without brackets, or "". A locator without
// a source of its own belongs to the source before it; of a range it is the first.
func nearCitation(s string) string {
	for _, alike := range []bool{false, true} {
		var cs []Citation
		source, end := "", 0
		t := plainText(s, alike)
		for _, f := range looseRead(t) {
			rangeEnd := end > 0 && strings.TrimSpace(t[end:f.start]) == "-"
			switch {
			case f.source != "":
				source = f.source
			case f.loc != (Locator{}) && source != "" && !rangeEnd:
				cs = append(cs, Citation{source, f.loc})
			}
			end = f.end
		}
		if len(cs) > 0 && len(cs) <= maxJoint {
			return joinCitations(cs)
		}
	}
	return ""
}

// plainText strips the disguises of a citation: entities, Markdown escapes, invisible characters, width and font
// variants, digits of other scripts, dashes; with alike also letters of other scripts that look like ours.
// Case stays.
func plainText(s string, alike bool) string {
	if strings.Contains(s, "&") {
		s = html.UnescapeString(s)
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case invisible(r) || r == softHyphen:
		case r == '\\' && i+1 < len(s) && strings.IndexByte(`[]().:;#-_*!`, s[i+1]) >= 0:
		case r < 0x80 && r != '\n' && r != '\t' && r != '\r':
			b.WriteRune(r)
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsDigit(r):
			b.WriteByte('0' + digitValue(r))
		case isDash(r):
			b.WriteByte('-')
		case alike && lookAlike[r] != 0:
			b.WriteByte(lookAlike[r])
		default:
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(norm.NFKC.String(b.String())), " ")
}

// digitValue is the value of a decimal digit: every script's digits are runs of ten from its zero (Unicode §4.6).
func digitValue(r rune) byte {
	n := byte(0)
	for unicode.IsDigit(r-1) && n < 9 {
		r--
		n++
	}
	// Mathematical digits are five runs of ten without a gap; the first starts at U+1D7CE.
	if r >= 0x1D7CE-9 && r <= 0x1D7FF {
		return byte((r + rune(n) - 0x1D7CE) % 10)
	}
	return n
}

// lookAlike holds letters that pass for the ones which ids and locators are made of.
var lookAlike = map[rune]byte{
	'Ѕ': 'S', 'ѕ': 's', 'Ꮪ': 'S', 'ꓢ': 'S', 'Տ': 'S', 'ƽ': 's', 'ꜱ': 's',
	'р': 'p', 'Р': 'P', 'ρ': 'p', 'Ρ': 'P', 'ᴘ': 'p', 'а': 'a', 'А': 'A', 'α': 'a', 'Α': 'A', 'ɑ': 'a', 'ᴀ': 'a',
	'г': 'r', 'ʀ': 'r', 'т': 't', 'Т': 'T', 'τ': 't', 'Τ': 'T', 'Ⅼ': 'L', 'ʟ': 'L', 'Ꮮ': 'L',
	'е': 'e', 'Е': 'E', 'о': 'o', 'О': 'O', 'с': 'c', 'һ': 'h', 'Ғ': 'F', 'Ϝ': 'F',
	'ı': '1', 'Ӏ': '1', 'ӏ': '1', '․': '.', '꞉': ':', '∶': ':', 'ː': ':', '＝': '=', '꓿': '=',
}
