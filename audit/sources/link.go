package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ibid/evidence"
)

// link finds what makes whole sources one origin.
func (s *Standing) link() {
	read := s.read
	size := 0
	for i := range read {
		size += read[i].size()
	}
	mask := thinning(size)
	g := newGroups(len(read))
	join := func(i, j int, l Link) {
		if g.join(i, j) {
			s.wide = append(s.wide, l)
		}
	}
	for i := range read {
		read[i].words = sketchOf(mask, read[i].texts()...)
		for j := range i {
			if g.same(i, j) {
				continue // one reason is enough
			}
			if l, ok := oneMaker(&read[j], &read[i]); ok {
				join(j, i, l)
			} else if alike(read[j].words, read[i].words) {
				l := Link{Source: read[i].ID, Of: read[j].ID, Reason: SameText}
				words, at := shared(read[j].words, read[i].spans, mask)
				l.Words, l.At = words, &at
				join(j, i, l)
			}
		}
	}
	for i := range read {
		s.taken(i)
	}
}

// texts are what is read of a source, up to a bound.
func (r *reading) texts() []string {
	var list []string
	left := maxText
	for _, sp := range r.spans {
		if left -= len(sp.Text); left < 0 {
			break
		}
		list = append(list, sp.Text)
	}
	return list
}

func (r *reading) size() int {
	n := 0
	for _, sp := range r.spans {
		n += len(sp.Text)
	}
	return min(n, maxText)
}

// oneMaker says why two sources are of one house, of one author or one work.
func oneMaker(a, b *reading) (Link, bool) {
	l := Link{Source: b.ID, Of: a.ID}
	by := func(r Reason, format string, args ...any) (Link, bool) {
		l.Reason, l.Words = r, fmt.Sprintf(format, args...)
		return l, true
	}
	if doi := strings.ToLower(a.DOI); doi != "" && doi == strings.ToLower(b.DOI) {
		return by(SameWork, "doi %s", a.DOI)
	}
	author := sharedAuthor(a, b)
	if title := foldName(a.Title); len(title) > 24 && title == foldName(b.Title) && len(strings.Fields(a.Title)) > 4 && (author != "" || len(a.authors) == 0 || len(b.authors) == 0) {
		return by(SameWork, "%s", excerpt(a.Title))
	}
	if author != "" {
		return by(SameAuthor, "%s", author)
	}
	switch pa, pb := a.publisher(), b.publisher(); {
	case a.account != "" && a.account == b.account:
		return by(SamePublisher, "%s", a.account)
	case a.paper != "" && b.paper != "": // they are their authors', whoever prints them
	case !a.shared && !b.shared && a.site != "" && a.site == b.site:
		return by(SamePublisher, "%s", a.site)
	case a.paper != "" || b.paper != "": // a publisher of papers vouches for none of them
	case pa != "" && pa == pb:
		return by(SamePublisher, "%s", b.Publisher)
	case pa != "" && !b.shared && len(b.label) > 3 && pa == b.label:
		return by(SamePublisher, "%s (%s)", a.Publisher, b.site)
	case pb != "" && !a.shared && len(a.label) > 3 && pb == a.label:
		return by(SamePublisher, "%s (%s)", b.Publisher, a.site)
	case !a.shared && !b.shared && a.label == b.label && len(a.label) > 4 && !generic[a.label]: // example.de and example.com
		return by(SamePublisher, "%s, %s", a.site, b.site)
	}
	return l, false
}

// generic are domains' own parts that many houses have.
var generic = set("example blog news docs help support wiki forum store online group media press journal health energy science weather travel sport sports")

// sharedAuthor is a person who is named as author of both, "" if nobody is. A newsroom is no person.
func sharedAuthor(a, b *reading) string {
	for _, x := range a.authors {
		name := foldName(x)
		if len(strings.Fields(x)) < 2 || len(name) < 6 || isAgency(x) || newsroom.MatchString(x) {
			continue
		}
		if slices.ContainsFunc(b.authors, func(y string) bool { return foldName(y) == name }) {
			return x
		}
	}
	return ""
}

// String says a link in words.
func (l Link) String() string {
	switch l.Reason {
	case SameText:
		return fmt.Sprintf("%s has the text of %s (“%s”)", l.Source, l.Of, l.Words)
	case SameWords:
		return fmt.Sprintf("%s says it in the words of %s (“%s”)", l.Source, l.Of, l.Words)
	case SamePublisher:
		return fmt.Sprintf("%s is of the house of %s (%s)", l.Source, l.Of, l.Words)
	case SameAuthor:
		return fmt.Sprintf("%s is by the author of %s (%s)", l.Source, l.Of, l.Words)
	case SameWork:
		return fmt.Sprintf("%s is the work that %s is (%s)", l.Source, l.Of, l.Words)
	default:
		return fmt.Sprintf("%s has it from %s (“%s”)", l.Source, l.Of, l.Words)
	}
}

// Origins groups the sources that some passages are of: those of one group count as one for what is said there. The links
// are the reasons.
func (s *Standing) Origins(keys []evidence.Key) (groups [][]string, links []Link) {
	s.compare()
	nodes := map[string]int{}
	node := func(id string) int {
		n, ok := nodes[id]
		if !ok {
			n = len(nodes)
			nodes[id] = n
		}
		return n
	}
	cited := map[string]bool{}
	for _, k := range keys {
		if _, ok := s.order[k.Source]; ok {
			cited[k.Source] = true
		}
	}
	applies := slices.Clone(s.wide)
	for _, l := range s.passages {
		if slices.ContainsFunc(keys, func(k evidence.Key) bool { return k.Source == l.Source && l.Only != nil && k.Locator == *l.Only }) {
			applies = append(applies, l)
		}
	}
	applies = append(applies, s.sameWords(keys)...)
	applies = append(applies, s.announced(keys)...)
	for _, l := range applies {
		node(l.Source)
		node(s.third(l.Of))
	}
	for id := range cited {
		node(id) // the number does not show
	}
	g := newGroups(len(nodes))
	for _, l := range applies {
		g.join(node(l.Source), node(s.third(l.Of)))
	}
	ids := make([]string, 0, len(cited))
	for id := range cited {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(s.order[a], s.order[b]) })
	at := map[int]int{}
	for _, id := range ids {
		root := g.root(node(id))
		n, ok := at[root]
		if !ok {
			n = len(groups)
			at[root] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], id)
	}
	for _, l := range applies {
		if n, ok := at[g.root(node(l.Source))]; ok && len(groups[n]) > 1 {
			links = append(links, l)
		}
	}
	return groups, links
}

// Clusters groups the sources by what holds wherever they are cited, in the order of the sources.
func (s *Standing) Clusters() []Cluster {
	list := []Cluster{}
	ids := make([]string, len(s.order))
	for id, i := range s.order {
		ids[i] = id
	}
	keys := make([]evidence.Key, len(ids))
	for i, id := range ids {
		keys[i] = evidence.Key{Source: id} // no passage stands there
	}
	groups, links := s.Origins(keys)
	of := map[string]int{}
	for n, g := range groups {
		list = append(list, Cluster{Sources: g})
		for _, id := range g {
			of[id] = n
		}
	}
	for _, l := range links {
		c := &list[of[l.Source]]
		c.Links = append(c.Links, l)
	}
	return list
}

// groups are sets of things that are joined step by step.
type groups []int

func newGroups(n int) groups {
	g := make(groups, n)
	for i := range g {
		g[i] = i
	}
	return g
}

func (g groups) root(i int) int {
	for g[i] != i {
		g[i] = g[g[i]]
		i = g[i]
	}
	return i
}

func (g groups) same(i, j int) bool { return g.root(i) == g.root(j) }

// join makes one group of two, and reports whether they were two.
func (g groups) join(i, j int) bool {
	i, j = g.root(i), g.root(j)
	if i == j {
		return false
	}
	g[max(i, j)] = min(i, j)
	return true
}
