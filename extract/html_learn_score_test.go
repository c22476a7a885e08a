package extract

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// terms are the words of a text as the scorers of the sets count them: runs of letters, digits and underscores, in
// lower case.
func terms(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_'
	})
}

// overlap is how many members two multisets share.
func overlap[K comparable](a, b map[K]int) int {
	n := 0
	for k, v := range a {
		n += min(v, b[k])
	}
	return n
}

func count[K comparable](list []K) map[K]int {
	m := map[K]int{}
	for _, k := range list {
		m[k]++
	}
	return m
}

// wordScore is the score of html-wcxb for a page.
func wordScore(text, gold string) (p, r, f float64) {
	a, b := terms(text), terms(gold)
	if len(a) == 0 || len(b) == 0 {
		if len(a) == len(b) {
			return 1, 1, 1
		}
		return 0, 0, 0
	}
	o := float64(overlap(count(a), count(b)))
	return o / float64(len(a)), o / float64(len(b)), 2 * o / float64(len(a)+len(b))
}

// shingles are the runs of four words of a text; of a shorter one the whole.
func shingles(s string) map[[4]string]int {
	w, m := exactTerms(s), map[[4]string]int{}
	for i := 0; i == 0 || i+4 <= len(w); i++ {
		var g [4]string
		copy(g[:], w[min(i, len(w)):])
		if g[0] != "" {
			m[g]++
		}
	}
	return m
}

// exactTerms is terms in the case of the text.
func exactTerms(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '_' })
}

// shingleF1 is the score of html-aeb for a page, as precision and recall; the set's F1 is that of their means. Without a
// text there is no precision (-1).
func shingleF1(text, gold string) (p, r float64) {
	a, b := shingles(text), shingles(gold)
	o := float64(overlap(a, b))
	if p = -1; len(a) > 0 {
		p = o / float64(total(a))
	}
	return p, o / float64(max(total(b), 1))
}

func total[K comparable](m map[K]int) int {
	n := 0
	for _, v := range m {
		n += v
	}
	return n
}

var space = regexp.MustCompile(`[\s\x1c-\x1f\x85\p{Z}]+`)

func squeeze(s string) string { return strings.TrimSpace(space.ReplaceAllString(s, " ")) }

// segments is the score of html-segments for a page: phrases rightly in, wrongly in and wrongly out.
func segments(text string, g *goldPage) (tp, fp, fn int) {
	text = squeeze(text)
	for _, s := range g.With {
		if strings.Contains(text, squeeze(s)) {
			tp++
		}
	}
	for _, s := range g.Without {
		if text != "" && strings.Contains(text, squeeze(s)) {
			fp++
		}
	}
	return tp, fp, len(g.With) - tp
}

// scores are those of the sets.
type scores struct {
	words              map[string][]float64 // by type of page
	precision, recall  []float64
	rightly, in, out   int // phrases rightly in, wrongly in, wrongly out
	typed, wrong, told int // pages with a type, of them told another, told at all
}

func (s *scores) add(g *goldPage, page *Page) {
	text := page.Text(false)
	switch g.Set {
	case "html-wcxb":
		if s.words == nil {
			s.words = map[string][]float64{}
		}
		_, _, f := wordScore(text, g.Text)
		s.words[g.Type] = append(s.words[g.Type], f)
		s.typed++
		if page.Type != "" {
			s.told++
			if page.Type != g.Type {
				s.wrong++
			}
		}
	case "html-aeb":
		p, r := shingleF1(text, g.Text)
		if p >= 0 {
			s.precision = append(s.precision, p)
		}
		s.recall = append(s.recall, r)
	default:
		tp, fp, fn := segments(text, g)
		s.rightly, s.in, s.out = s.rightly+tp, s.in+fp, s.out+fn
	}
}

func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s / float64(max(len(v), 1))
}

// wordF1 is the mean over all pages of html-wcxb, and mixed that of its types in the shares that they have in the whole
// of that collection.
func (s *scores) wordF1() (all, mixed float64) {
	whole := [...]float64{1050, 133, 164, 224, 147, 139, 151}
	n, weight := 0, 0.0
	for t, w := range whole {
		list := s.words[typeNames[t]]
		all += mean(list) * float64(len(list))
		n += len(list)
		mixed += w * mean(list)
		weight += w
	}
	return all / float64(max(n, 1)), mixed / weight
}

// shingleF1 is that of html-aeb.
func (s *scores) shingleF1() float64 {
	p, r := mean(s.precision), mean(s.recall)
	return 2 * p * r / max(p+r, 1e-9)
}

// phraseF1 is that of html-segments.
func (s *scores) phraseF1() float64 {
	return float64(2*s.rightly) / float64(max(2*s.rightly+s.in+s.out, 1))
}

func (s *scores) String() string {
	all, mixed := s.wordF1()
	out := fmt.Sprintf("html-wcxb word F1 %.4f (with its types as in the whole collection %.4f):", all, mixed)
	for _, t := range typeNames[:typeNews] {
		out += fmt.Sprintf(" %s %.3f", t, mean(s.words[t]))
	}
	return out + fmt.Sprintf("\nhtml-aeb 4-gram F1 %.4f (P %.3f R %.3f)\nhtml-segments F1 %.4f (%d wrongly in, %d out)\ntype told of %d pages of %d, %d wrongly",
		s.shingleF1(), mean(s.precision), mean(s.recall), s.phraseF1(), s.in, s.out, s.told, s.typed, s.wrong)
}
