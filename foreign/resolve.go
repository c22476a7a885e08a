package foreign

import (
	"fmt"
	"slices"
	"strings"

	"ibid/audit/claim"
)

// checker is the state of one check.
type checker struct {
	doc    *document
	o      Options
	result Result

	refs     []*Reference
	lists    []list
	at       map[*block]int
	labelled map[string][]int // label → references, in order
	known    map[string]int   // identity → the first reference
	ids      map[string]int   // name that a link leads to → reference
	places   map[string]bool  // likewise, of what is no reference
	raised   bool             // raised figures are citations in this report
	texts    texts            // what the sources say
	weighed  int              // sentences that were held against claims
	rules    claim.Checker
}

func newChecker(doc *document, o Options) *checker {
	c := &checker{doc: doc, o: o, at: map[*block]int{}, labelled: map[string][]int{}, known: map[string]int{}, ids: map[string]int{}, places: map[string]bool{}}
	c.result = Result{Version: 1, Claims: []Claim{}, References: []Reference{}, Problems: []Problem{}}
	for i, b := range doc.blocks {
		c.at[b] = i
	}
	return c
}

// resolve makes references of the entries, and gives each mark of the text its references.
func (c *checker) resolve() {
	entries := c.doc.entries()
	c.lists = c.doc.lists
	for i, e := range entries {
		if i == maxEntries {
			c.problem(TooMuch, e.line, fmt.Sprint(len(entries)), "", fmt.Sprintf("The report has %d references, and %d are looked at.", len(entries), maxEntries))
			break
		}
		c.enter(e)
	}
	var marked []*block
	for _, b := range c.doc.blocks {
		for _, id := range b.ids {
			c.places[id] = c.places[id] || !b.listed
		}
		if !b.listed && b.kind != note && len(b.marks) > 0 {
			marked = append(marked, b)
		}
	}
	glued := c.citesGlued(marked)
	for _, b := range marked { // what is raised counts if entries are cited so
		b.marks = slices.DeleteFunc(b.marks, func(m mark) bool { return m.glued && (!glued || len(c.lookAll(b, m)) == 0) })
		for _, m := range b.marks {
			c.raised = c.raised || m.weak && !m.glued && m.problem == "" && m.keys != nil && len(c.lookAll(b, m)) > 0
		}
	}
	for _, b := range marked {
		kept := b.marks[:0]
		for _, m := range b.marks {
			if c.resolveMark(b, &m) {
				kept = append(kept, m)
			}
		}
		b.marks = kept
	}
}

// enter makes a reference of an entry.
func (c *checker) enter(e entry) {
	r := &Reference{ID: fmt.Sprintf("R%d", len(c.refs)+1), Label: e.label, Kind: e.kind, Line: e.line, Text: oneLine(e.text), addresses: e.addresses(), list: e.list, ids: e.ids, cites: e.cites}
	if len(r.addresses) > 0 {
		r.Address = r.addresses[0]
		if i, ok := c.known[identity(r.Address)]; ok && e.kind == Definition { // the address of an entry, given a name
			c.labelled[e.label] = append(c.labelled[e.label], i)
			return
		}
	}
	n := len(c.refs)
	c.refs = append(c.refs, r)
	if e.label != "" {
		c.labelled[e.label] = append(c.labelled[e.label], n)
	}
	for _, a := range r.addresses {
		if _, ok := c.known[identity(a)]; !ok {
			c.known[identity(a)] = n
		}
	}
	for _, id := range e.ids {
		if _, ok := c.ids[id]; !ok {
			c.ids[id] = n
		}
	}
}

// look finds the reference of a label that is meant in a block: that of the first list behind it, of the last list else.
func (c *checker) look(b *block, label string) (int, bool) {
	all := c.labelled[label]
	if len(all) == 0 {
		if name, ok := strings.CutPrefix(label, "^"); ok {
			return c.look(b, name)
		}
		return 0, false
	}
	best := all[0]
	for _, i := range all {
		if c.refs[i].list < 0 || c.lists[c.refs[i].list].after > c.at[b] {
			return i, true
		}
		if c.refs[i].list > c.refs[best].list {
			best = i
		}
	}
	return best, true
}

func (c *checker) lookAll(b *block, m mark) (found []int) {
	for _, k := range m.keys {
		if i, ok := c.look(b, k); ok {
			found = append(found, i)
		}
	}
	return found
}

// resolveMark gives a mark its references and says what is wrong with it. It is false if the mark is no citation.
func (c *checker) resolveMark(b *block, m *mark) bool {
	said := string(b.text[m.Start:m.End])
	if m.problem == byAuthor {
		return c.resolveAuthor(b, m, said)
	}
	if m.keys == nil && m.address == "" && m.problem == "" {
		return true // a tag of a tool: it goes, and cites nothing
	}
	if m.address != "" {
		c.resolveAddress(b, m, said)
		return true
	}
	if len(m.keys) > 0 && strings.HasPrefix(m.keys[0], "#") {
		if i, ok := c.ids[m.keys[0][1:]]; ok {
			c.cite(m, i)
			return true
		}
		if c.places[m.keys[0][1:]] {
			return false // a link to another place of the report
		}
		m.keys = m.keys[1:]
	}
	if _, ok := c.look(b, "0"); !ok && slices.Contains(m.keys, "0") {
		return false // an interval or an index
	}
	found := c.lookAll(b, *m)
	if len(found) == 0 && m.problem == "" && m.weak && !c.raised {
		return false
	}
	if len(found) == 0 && m.problem != "" {
		c.unreadable(b, m, said)
		return true
	}
	m.problem = ""
	for _, k := range m.keys {
		if i, ok := c.look(b, k); ok {
			c.cite(m, i)
			c.ambiguous(b, m, k, i)
			continue
		}
		m.missing = append(m.missing, k)
		c.problem(DanglingMark, b.line(m.Start), said, "", c.danglingMessage(k))
	}
	return true
}

func (c *checker) danglingMessage(label string) string {
	entries, labelled := 0, 0
	for _, r := range c.refs {
		if r.Kind != Linked {
			entries++
			if r.Label != "" {
				labelled++
			}
		}
	}
	name := strings.TrimPrefix(label, "^")
	switch {
	case strings.HasPrefix(label, "^"):
		return fmt.Sprintf("There is no footnote %s.", name)
	case entries == 0:
		return fmt.Sprintf("There is no entry %s: the report has no list of references.", name)
	case labelled == 0:
		return fmt.Sprintf("There is no entry %s: the entries of the list of references have no numbers.", name)
	}
	return fmt.Sprintf("There is no entry %s in the list of references.", name)
}

// cite adds a reference to a mark. A footnote that cites an entry stands for it.
func (c *checker) cite(m *mark, i int) {
	c.refs[i].Cited++
	if r := c.refs[i]; r.Kind == Footnote && len(r.addresses) == 0 {
		forwarded := false
		for _, inner := range r.cites {
			for _, k := range inner.keys {
				if j, ok := c.look(nil, k); ok && j != i && c.refs[j].Kind != Footnote {
					c.refs[j].Cited++
					m.refs, forwarded = append(m.refs, j), true
				}
			}
		}
		if low := strings.ToLower(r.Text); !forwarded && i > 0 && (strings.HasPrefix(low, "ibid") || strings.HasPrefix(low, "idem")) && c.refs[i-1].Kind == Footnote && len(c.refs[i-1].addresses) > 0 {
			m.refs, forwarded = append(m.refs, i-1), true
		}
		if forwarded {
			return
		}
	}
	if !slices.Contains(m.refs, i) {
		m.refs = append(m.refs, i)
	}
}

// ambiguous tells of a label that two sources have in one list.
func (c *checker) ambiguous(b *block, m *mark, label string, i int) {
	for _, j := range c.labelled[label] {
		if a, z := c.refs[i], c.refs[j]; j != i && a.list == z.list && a.Kind == z.Kind && (a.Address == "" || identity(a.Address) != identity(z.Address)) {
			c.problem(Ambiguous, b.line(m.Start), string(b.text[m.Start:m.End]), z.ID, fmt.Sprintf("Two entries have the label %s: %s and %s. The first is taken.", label, a.ID, z.ID))
			return
		}
	}
}

// resolveAddress gives a mark that is an address its reference: the entry of that address, or one of its own.
func (c *checker) resolveAddress(b *block, m *mark, said string) {
	i, ok := c.known[identity(m.address)]
	if !ok {
		i = len(c.refs)
		line := b.line(m.Start)
		c.refs = append(c.refs, &Reference{ID: fmt.Sprintf("R%d", i+1), Kind: Linked, Line: line, Text: oneLine(said), Address: m.address, addresses: []string{m.address}, list: -1})
		c.known[identity(m.address)] = i
	}
	if r := c.refs[i]; len(r.addresses) < 4 && !slices.Contains(r.addresses, m.address) {
		r.addresses = append(r.addresses, m.address)
	}
	c.cite(m, i)
	for _, k := range m.keys {
		if j, found := c.look(b, k); found && j != i && c.refs[j].Address != "" && identity(c.refs[j].Address) != identity(m.address) {
			c.problem(Mismatched, b.line(m.Start), said, c.refs[j].ID, fmt.Sprintf("The mark leads to %s, and entry %s to %s.", m.address, k, c.refs[j].Address))
		}
	}
}

// resolveAuthor looks for the entries that a citation by author and year means: where one alone fits each work that it names, that
// is it. Else those that may be meant count as cited, and what is meant is not decided.
func (c *checker) resolveAuthor(b *block, m *mark, said string) bool {
	i := strings.LastIndexByte(m.keys[0], ' ')
	name, year := strings.TrimPrefix(m.keys[0][:i], "@"), m.keys[0][i+1:]
	var found []int
	all := works(said, name)
	for _, w := range all {
		if may := c.means(w[0], w[1]); len(may) == 1 {
			found = append(found, may[0])
		}
	}
	if len(all) > 0 && len(found) == len(all) {
		m.problem = ""
		for _, i := range found {
			c.cite(m, i)
		}
		return true
	}
	listed := false
	for _, r := range c.refs {
		if r.Kind == Listed && strings.Contains(r.Text, name) && strings.Contains(r.Text, strings.TrimRight(year, "abcdefgh")) {
			r.Cited++
			listed = true
		}
	}
	if m.weak && !listed {
		return false
	}
	c.unreadable(b, m, said)
	return true
}

// unreadable tells of a citation that is not read, once for all that are written alike.
func (c *checker) unreadable(b *block, m *mark, said string) {
	message := "This citation is not read: " + m.problem + "."
	told := clip(oneLine(said), 300)
	if !slices.ContainsFunc(c.result.Problems, func(p Problem) bool { return p.Code == UnreadStyle && p.Text == told }) {
		c.problem(UnreadStyle, b.line(m.Start), said, "", message)
	}
}

// maxProblems are told of one report.
const maxProblems = 2000

func (c *checker) problem(code ProblemCode, line int, text, ref, message string) {
	if len(c.result.Problems) < maxProblems {
		c.result.Problems = append(c.result.Problems, Problem{Code: code, Line: line, Text: clip(oneLine(text), 300), Reference: ref, Message: message})
	}
}

// clip is at most about n bytes of a text.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
