// Package sources says what the sources of a run are worth to a reader, in facts and not in a score: a card for each
// (class, maker, dates, interest, status: FIND-5), which of them are one origin in several places (FIND-3), and which are too
// old for what is said of the present. Each fact carries what it rests on: words of the source, or a field of its record.
// Plain functions over what was read; the same record gives the same cards.
package sources

import (
	"slices"
	"strings"
	"sync"

	"ibid/evidence"
)

// A Fact is one thing that is known of a source, and what it rests on.
type Fact struct {
	Value string            `json:"value"`
	Basis string            `json:"basis"`
	At    *evidence.Locator `json:"at,omitempty"` // where the words of the basis stand, if they are of the source's text
}

// A Card is what a reader should know of a source before believing it. What is not known is left out.
type Card struct {
	Source    string `json:"source"`
	Class     Fact   `json:"class"`
	Author    Fact   `json:"author,omitzero"`
	Publisher Fact   `json:"publisher,omitzero"`
	Published Fact   `json:"published,omitzero"`
	Changed   Fact   `json:"changed,omitzero"`
	Fetched   Fact   `json:"fetched,omitzero"`
	Interest  Fact   `json:"interest,omitzero"`
	Status    []Fact `json:"status,omitempty"`
}

// Has is the fact of a status, nil if the card does not have it.
func (c *Card) Has(status string) *Fact {
	for i := range c.Status {
		if c.Status[i].Value == status {
			return &c.Status[i]
		}
	}
	return nil
}

// A Reason is why two sources count as one, or a source and somebody that it has it from.
type Reason string

const (
	SameText      Reason = "same_text"      // one holds most of the other's words
	SameWords     Reason = "same_words"     // the cited passages are the same
	SamePublisher Reason = "same_publisher" // one house
	SameAuthor    Reason = "same_author"
	SameWork      Reason = "same_work"    // one paper in two places
	TakenFrom     Reason = "taken_from"   // the whole page says that it is from there
	Attributed    Reason = "attributed"   // the cited passage says that it has it from there
	Announced     Reason = "announcement" // it repeats what the one it speaks of announced
)

// A Link is one reason why a source is not independent of another one, or of a third that is no source of the run.
type Link struct {
	Source string            `json:"source"`
	Of     string            `json:"of"` // another source's id, or the name of a third
	Reason Reason            `json:"reason"`
	Words  string            `json:"words"`          // that it rests on, of the source or of its record
	At     *evidence.Locator `json:"at,omitempty"`   // where in Source they stand
	Only   *evidence.Locator `json:"only,omitempty"` // it holds for what is cited there, and not for the whole source
}

// A Cluster is one origin: sources that count as one wherever they are cited.
type Cluster struct {
	Sources []string `json:"sources"`
	Links   []Link   `json:"links,omitempty"`
}

// A Standing is what is known of the sources of a run.
type Standing struct {
	Cards []Card // in the order of the sources

	order    map[string]int // of sources, by id
	read     []reading
	findings []evidence.Finding
	once     sync.Once // comparing texts is done for who asks
	wide     []Link    // hold wherever their source is cited
	passages []Link    // hold for what is cited at one place
	quotes   map[evidence.Key]*passage
}

// Weigh looks at the sources of a run, at their texts as far as they are given, and at what was quoted of them.
func Weigh(list []evidence.Source, spans map[string][]evidence.Span, findings []evidence.Finding, question string) *Standing {
	s := &Standing{Cards: []Card{}, order: map[string]int{}, quotes: map[evidence.Key]*passage{}, findings: findings}
	for _, src := range list {
		if _, twice := s.order[src.ID]; !twice {
			s.order[src.ID] = len(s.read)
			r := newReading(src)
			r.spans = spans[src.ID]
			r.paper = r.isPaper()
			s.read = append(s.read, r)
		}
	}
	about, asOf := subject(question, findings), latest(list)
	for i := range s.read {
		s.Cards = append(s.Cards, s.read[i].card(about, asOf))
	}
	noticed(s.read, s.Cards)
	return s
}

// Card is the card of a source, nil if there is none.
func (s *Standing) Card(id string) *Card {
	if i, ok := s.order[id]; ok {
		return &s.Cards[i]
	}
	return nil
}

// compare finds what makes sources one origin.
func (s *Standing) compare() {
	s.once.Do(func() {
		s.link()
		s.name()
	})
}

// excerpt is a text on one line, cut at a word if it is too long for a message.
func excerpt(text string) string {
	const most = 160
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], ' ')
	if cut < most/2 {
		for cut = most; text[cut]&0xC0 == 0x80; {
			cut--
		}
	}
	return text[:cut] + " …"
}

// ends are the first and the last n spans of a text: where a page says what it is.
func ends(spans []evidence.Span, n int) []evidence.Span {
	if len(spans) <= 2*n {
		return spans
	}
	return append(slices.Clone(spans[:n]), spans[len(spans)-n:]...)
}
