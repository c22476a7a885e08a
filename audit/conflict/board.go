package conflict

import (
	"slices"
	"strings"

	"ibid/audit/claim"
	"ibid/evidence"
)

// A board is findings, read.
type board struct {
	findings []evidence.Finding
	claims   [][]*statement             // by finding
	quotes   [][]*statement             // by finding; nil where the quote says the claim word by word
	ids      map[string]int             // of stems
	where    [][]int                    // by stem, the findings that have it
	year     map[string]string          // of a source
	called   map[string]string          // titles of sources
	title    map[string]map[string]bool // stems of a source's title, without the name of its site
	meeting  meeting                    // the one of the moment
	work     int                        // that was done, in pairs of terms
}

func newBoard(findings []evidence.Finding, sources []evidence.Source) *board {
	b := emptyBoard()
	b.take(live(findings), sources)
	return b
}

func emptyBoard() *board {
	return &board{ids: map[string]int{}, called: map[string]string{}, title: map[string]map[string]bool{}}
}

// live are the findings that are looked at.
func live(findings []evidence.Finding) []evidence.Finding {
	list := make([]evidence.Finding, 0, len(findings))
	for _, f := range findings {
		if f.Rejected == "" && len(list) < maxFindings {
			list = append(list, f)
		}
	}
	return list
}

// take brings the board up to findings that begin with those that it has.
func (b *board) take(findings []evidence.Finding, sources []evidence.Source) {
	b.work, b.meeting = 0, meeting{}
	b.year = make(map[string]string, len(sources))
	for _, s := range sources {
		if len(s.Published) >= 4 {
			b.year[s.ID] = s.Published[:4]
		}
		if said, known := b.called[s.ID]; !known || said != s.Title {
			b.called[s.ID], b.title[s.ID] = s.Title, titleStems(s.Title)
		}
	}
	for _, f := range findings[copy(b.findings, findings):] {
		b.add(f)
	}
}

// begins reports whether findings begin with those that were read for the board.
func (b *board) begins(findings []evidence.Finding) bool {
	return len(findings) >= len(b.findings) && slices.EqualFunc(b.findings, findings[:len(b.findings)], func(x, y evidence.Finding) bool { return x.Claim == y.Claim && x.Quote == y.Quote })
}

func (b *board) add(f evidence.Finding) {
	n := len(b.findings)
	b.findings = append(b.findings, f)
	said := claim.Read(cut(f.Claim))
	claims := b.statements(&said)
	var quotes []*statement
	if f.Quote != f.Claim {
		if quoted := claim.Read(cut(f.Quote)); !said.Same(quoted) {
			quotes = nearest(claims, b.statements(&quoted))
		}
	}
	b.claims, b.quotes = append(b.claims, claims), append(b.quotes, quotes)
	for _, list := range [][]*statement{claims, quotes} {
		for _, s := range list {
			for _, id := range s.ids {
				if at := b.where[id]; len(at) == 0 || at[len(at)-1] != n {
					b.where[id] = append(at, n)
				}
			}
		}
	}
}

// id is the number of a stem.
func (b *board) id(stem string) int {
	n, ok := b.ids[stem]
	if !ok {
		n = len(b.where)
		b.ids[stem] = n
		b.where = append(b.where, nil)
	}
	return n
}

// rare reports whether few of the findings have a stem: what all of them speak of says little of two.
func (b *board) rare(stem string) bool {
	return len(b.where[b.ids[stem]]) <= max(3, len(b.findings)/10)
}

func cut(s string) string {
	if len(s) > maxText {
		return strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

// titleStems reads a title up to the last mark that parts it from the name of its site, and without what it is told apart by:
// Halden, Ohio; Halden (film).
func titleStems(title string) map[string]bool {
	at := -1
	for _, sep := range []string{" | ", " - ", " – ", " — ", " · "} {
		at = max(at, strings.LastIndex(title, sep))
	}
	if at > 0 {
		title = title[:at]
	}
	for _, sep := range []string{", ", " ("} {
		if i := strings.Index(title, sep); i > 0 {
			title = title[:i]
		}
	}
	m := map[string]bool{}
	for _, w := range claim.Read(cut(title)).Words {
		if w.Content {
			m[w.Stem] = true
		}
	}
	return m
}

// candidates are the pairs of findings that share two words or more.
func (b *board) candidates() [][2]int {
	mine := make([][]int, len(b.findings))
	for id, at := range b.where {
		for _, n := range at {
			mine[n] = append(mine[n], id)
		}
	}
	var out [][2]int
	shared := make([]int, len(b.findings))
	for i := range b.findings {
		clear(shared)
		for _, id := range mine[i] {
			at := b.where[id]
			k, _ := slices.BinarySearch(at, i+1)
			for _, j := range at[k:] {
				shared[j]++
			}
		}
		for j := i + 1; j < len(shared); j++ {
			if shared[j] >= 2 {
				out = append(out, [2]int{i, j})
			}
		}
	}
	return out
}

// compare holds two findings against each other: their claims, and their quotes where those are other words.
func (b *board) compare(i, j int) (Conflict, bool) {
	x, y := &b.findings[i], &b.findings[j]
	if x.Quote == y.Quote && x.Source == y.Source && x.Locator == y.Locator {
		return Conflict{}, false
	}
	best, ok := b.settle(x, y, b.claims[i], b.claims[j])
	if qa, qb := b.quotes[i], b.quotes[j]; qa != nil || qb != nil {
		if qa == nil {
			qa = b.claims[i]
		}
		if qb == nil {
			qb = b.claims[j]
		}
		if q, okQ := b.settle(x, y, qa, qb); okQ && (!ok || best.Severity == Possible && q.Severity == Certain) {
			best, ok = q, true
		}
	}
	best.A, best.B = x.ID, y.ID
	return best, ok
}

// settle is the surest conflict between the statements of two findings, after a look at where they are from.
func (b *board) settle(x, y *evidence.Finding, as, bs []*statement) (Conflict, bool) {
	v, ok := b.meetAll(as, bs)
	if !ok {
		return Conflict{}, false
	}
	unlike := (!v.named || v.bare) && b.unlike(x.Source, y.Source, v)
	m, n := b.year[x.Source], b.year[y.Source]
	switch {
	case v.bare && unlike:
		return Conflict{}, false
	case unlike, v.bare && (v.Kind == Figures || v.Kind == Dates), v.open && m != "" && n != "" && m != n:
		v.Severity = Possible
	}
	return v.Conflict, true
}

// meetAll is the surest conflict between two lists of statements.
func (b *board) meetAll(as, bs []*statement) (verdict, bool) {
	best, found := verdict{}, false
	for _, s := range as {
		for _, t := range bs {
			if !s.overlaps(t) {
				continue
			}
			if b.work += len(s.terms) * len(t.terms); b.work > maxWork {
				return best, found
			}
			m := &b.meeting
			if !m.meet(s, t) {
				continue
			}
			m.rare = slices.ContainsFunc(m.shared, func(at [2]int) bool { return b.rare(s.r.Words[at[0]].Stem) })
			if v, ok := m.judge(); ok && (!found || best.Severity == Possible && v.Severity == Certain) {
				best, found = v, true
			}
		}
	}
	return best, found
}

// unlike reports whether two sources have titles without a word in common, nor with what the other says: then "the film" is
// hardly the same one.
func (b *board) unlike(x, y string, v verdict) bool {
	s, t := b.title[x], b.title[y]
	if x == y || len(s) == 0 || len(t) == 0 {
		return false
	}
	for stem := range s {
		if t[stem] || b.says(v.b, stem) {
			return false
		}
	}
	for stem := range t {
		if b.says(v.a, stem) {
			return false
		}
	}
	return true
}

// says reports whether a statement has a stem.
func (b *board) says(s *statement, stem string) bool {
	id, ok := b.ids[stem]
	if ok {
		_, ok = slices.BinarySearch(s.ids, id)
	}
	return ok
}
