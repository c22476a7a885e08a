package sources

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/evidence"
)

// A passage is what was quoted at one place, with the sentences that the quotes stand in.
type passage struct {
	quotes []string
	around []string
	words  sketch
}

// name keeps what was quoted where, and finds whom the sentences there name.
func (s *Standing) name() {
	read := s.read
	for _, f := range s.findings {
		i, ok := s.order[f.Source]
		if !ok || f.Rejected != "" {
			continue
		}
		p := s.quotes[f.Key()]
		if p == nil {
			p = &passage{}
			s.quotes[f.Key()] = p
		}
		p.quotes = append(p.quotes, f.Quote)
		around := f.Quote
		if at := spanAt(read[i].spans, f.Locator); at != "" {
			around = sentenceOf(at, f.Quote)
		}
		p.around = append(p.around, around)
		for _, n := range namings(around, func(name string) bool { return len(called(read, name)) > 0 }) {
			l := Link{Source: f.Source, Of: s.resolve(i, n.name), Reason: Attributed, Words: n.words, At: &f.Locator, Only: &f.Locator}
			if l.Of != "" && l.Of != f.Source && !s.told(l) {
				s.passages = append(s.passages, l)
			}
		}
	}
	for _, p := range s.quotes {
		p.words = sketchOf(0, p.quotes...)
	}
}

func (s *Standing) told(l Link) bool {
	for _, o := range s.passages {
		if o.Source == l.Source && o.Of == l.Of && *o.Only == *l.Only {
			return true
		}
	}
	return false
}

// resolve is the id of the source that a name means, or else the name itself; "" if it means the source that says it.
func (s *Standing) resolve(from int, name string) string {
	if doi, ok := strings.CutPrefix(name, "doi "); ok {
		for i := range s.read {
			if strings.EqualFold(s.read[i].DOI, doi) {
				return s.read[i].ID
			}
		}
		return name
	}
	list := called(s.read, foldName(name))
	_, id := s.order[name]
	switch {
	case id || slices.Contains(list, from):
		return ""
	case len(list) > 0:
		return s.read[list[0]].ID
	}
	return name
}

// third is the key under which sources that name somebody meet.
func (s *Standing) third(of string) string {
	if _, ok := s.order[of]; ok {
		return of
	}
	return "of " + foldName(of)
}

// called are the sources that go by a name.
func called(read []reading, folded string) (list []int) {
	for i := range read {
		for _, n := range read[i].names() {
			if n == folded || len(n) > 5 && len(folded) > 5 && (folded == "the"+n || n == folded+"news" || folded == n+"news") {
				list = append(list, i)
				break
			}
		}
	}
	return list
}

// taken finds what a whole page says of where it is from.
func (s *Standing) taken(i int) {
	r := &s.read[i]
	say := func(name, words string, at *evidence.Locator) {
		of := s.resolve(i, name)
		if of == "" || of == r.ID || foldName(of) == r.publisher() || len(of) < 2 {
			return
		}
		s.wide = append(s.wide, Link{Source: r.ID, Of: of, Reason: TakenFrom, Words: excerpt(words), At: at})
	}
	for _, a := range r.authors {
		if isAgency(a) {
			say(a, "by "+a, nil)
		}
	}
	for n, sp := range ends(r.spans, 6) {
		text := sp.Text
		if len(text) > 2000 {
			text = text[:2000]
		}
		if n < 6 && strings.ContainsAny(text[:min(90, len(text))], "(/") {
			if m := dateline.FindStringSubmatch(text); m != nil {
				say(m[1], m[0], &sp.Locator)
			}
		}
		if strings.Contains(text, "©") || strings.Contains(text, "(c)") || strings.Contains(text, "opyright") {
			if m := credited.FindStringSubmatch(text); m != nil {
				say(m[1], m[0], &sp.Locator)
			}
		}
		if len(text) > 500 || !holds(text, origins) {
			continue // a paragraph of the story, not a line about it
		}
		for _, re := range origin {
			if m := re.FindStringSubmatch(text); m != nil {
				name := m[1]
				if name == "" {
					name = newReading(evidence.Source{URL: "https://" + m[2]}).label
				}
				if first, _, _ := strings.Cut(name, " "); !noNames[first] {
					say(name, m[0], &sp.Locator)
				}
			}
		}
	}
}

// sameWords links passages that say a thing in the same words.
func (s *Standing) sameWords(keys []evidence.Key) (links []Link) {
	for i, k := range keys {
		for _, o := range keys[:i] {
			p, q := s.quotes[k], s.quotes[o]
			if k.Source != o.Source && p != nil && q != nil && alike(p.words, q.words) {
				links = append(links, Link{Source: k.Source, Of: o.Source, Reason: SameWords, Words: excerpt(p.quotes[0]), At: &k.Locator, Only: &k.Locator})
			}
		}
	}
	return links
}

// announced links a passage that repeats what somebody wrote of himself with the one source of these that may be his.
func (s *Standing) announced(keys []evidence.Key) (links []Link) {
	for _, k := range keys {
		p := s.quotes[k]
		if p == nil {
			continue
		}
		words := ""
		for _, a := range p.around {
			if words == "" {
				words = announcement.FindString(a)
			}
		}
		if words == "" {
			continue
		}
		own := ""
		for _, o := range keys {
			if c := s.Card(o.Source); o.Source != k.Source && c != nil && c.speaksOfItself() && o.Source != own {
				if own != "" {
					own = ""
					break
				}
				own = o.Source
			}
		}
		if own != "" {
			links = append(links, Link{Source: k.Source, Of: own, Reason: Announced, Words: excerpt(words), At: &k.Locator, Only: &k.Locator})
		}
	}
	return links
}

func spanAt(spans []evidence.Span, at evidence.Locator) string {
	for _, s := range spans {
		if s.Locator == at {
			return s.Text
		}
	}
	return ""
}

// sentenceOf is a quote with the rest of the sentences that it begins and ends in.
func sentenceOf(text, quote string) string {
	at := strings.Index(text, quote)
	if at < 0 {
		return quote
	}
	const most = 300
	from, to := at, at+len(quote)
	for from > 0 && at-from < most && !stops(text, from) {
		from--
	}
	for to < len(text) && to-at-len(quote) < most && !(stops(text, to) && to > at+len(quote)-1 && to > at) {
		to++
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}

// stops reports whether a sentence ends right before a place: a full stop and white space stand there.
func stops(text string, at int) bool {
	if at < 2 || text[at-1] != ' ' && text[at-1] != '\n' {
		return false
	}
	return strings.IndexByte(".!?\n", text[at-2]) >= 0
}
