package audit

import (
	"fmt"

	"ibid/audit/conflict"
	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// disagreement is how a report says that two of its sources do not say the same, in a heading or beside them.
var disagreement = lazyregexp.New(`(?i)\b(?:(?:dis|not )agree|differ|conflict|contradict|diverg|discrepan|at odds|inconsisten|disput|on the other hand|by contrast|in contrast|contrary|whereas|while|but|however|although|` +
	`though|yet|instead|rather than|as against|unlike|abweich|widersp|dagegen|hingegen|jedoch|aber|contredi|cependant|tandis|mais|contradic|sin embargo|pero)`)

// checkConflicts looks for findings that do not agree of which the report tells one side, as if there were no other
// (FIND-4). It flags them: which of the two is right, and whether the other matters, is for a reader.
func (c *checker) checkConflicts(doc *document) {
	list := conflict.Find(c.rec.Findings, c.rec.Sources)
	if len(list) == 0 || c.rec.Unweighed {
		return
	}
	byID := map[string]evidence.Finding{}
	for _, f := range c.rec.Findings {
		if _, again := byID[f.ID]; !again {
			byID[f.ID] = f
		}
	}
	told := map[string]bool{} // findings that are told to be in conflict
	parts := doc.together()
	for _, x := range list {
		for _, p := range parts {
			if p[byID[x.A].Key()] && p[byID[x.B].Key()] {
				told[x.A], told[x.B] = true, true
			}
		}
	}
	for _, x := range list {
		a, b := byID[x.A], byID[x.B]
		shownA, shownB := c.used[a.Key()], c.used[b.Key()]
		if told[x.A] || told[x.B] || a.Key() == b.Key() || !shownA && !shownB && x.Severity != conflict.Certain {
			continue
		}
		f := Failure{Code: ConflictHidden, Severity: Flag, Text: x.A + ", " + x.B, Message: hiddenMessage(x, shownA, shownB)}
		if q, is := Clash(c.rec, x); is {
			f.Judge = c.rulings[q.ID()] // what a judge says of it, for whoever looks; no threshold was found for it
		}
		c.fail(f)
	}
}

func hiddenMessage(x conflict.Conflict, shownA, shownB bool) string {
	do := "do not agree"
	if x.Severity != conflict.Certain {
		do = "may not agree"
	}
	silent := "the report tells neither"
	switch {
	case shownA && shownB:
		silent = "the report tells both and does not say so"
	case shownA:
		silent = fmt.Sprintf("the report tells only %s", x.A)
	case shownB:
		silent = fmt.Sprintf("the report tells only %s", x.B)
	}
	return fmt.Sprintf("Findings %s and %s %s (%q and %q, of %s), and %s. Say what each of them says, and that they differ.", x.A, x.B, do, x.SaysA, x.SaysB, x.About, silent)
}

// together lists what is cited side by side with a word that says that it may not agree: in a paragraph, in the lines under
// one lead, or under a heading that says so.
func (d *document) together() []map[evidence.Key]bool {
	var out []map[evidence.Key]bool
	add := func(group []*block, says bool) {
		cited := map[evidence.Key]bool{}
		for _, b := range group {
			says = says || disagreement.Match(b.text)
			for _, ci := range b.cites() {
				cited[evidence.Key(ci)] = true
			}
		}
		if says && len(cited) > 1 {
			out = append(out, cited)
		}
	}
	var section []*block
	var head *block
	close := func() {
		if head != nil && disagreement.Match(head.text) {
			add(section, true)
		}
		section = nil
	}
	led := map[*block][]*block{}
	var leads []*block
	for _, b := range d.blocks {
		if b.kind == heading || b.kind == title {
			close()
			head = b
			continue
		}
		section = append(section, b)
		add([]*block{b}, false)
		if b.lead != nil {
			if led[b.lead] == nil {
				leads = append(leads, b.lead)
			}
			led[b.lead] = append(led[b.lead], b)
		}
	}
	close()
	for _, l := range leads {
		add(append(led[l], l), false)
	}
	return out
}
