package foreign

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/claim"
)

// How much of a claim's content words a passage has to have.
const (
	enough   = 0.70 // to say so
	some     = 0.45 // to be about it in part
	sameness = 0.50 // in its own words, to be about the same thing and still contradict it
	near     = 0.80 // likewise, to contradict it whatever else the source says
	copied   = 0.95 // to be the same sentence but for a word or figure
	figured  = 0.25 // to be about it in part, where it has the claim's figures
)

// Bounds of the search for evidence.
const (
	looked    = 10 // sentences of one source
	joined    = 3  // sentences that are taken together
	elsewhere = 6  // sentences of other sources
)

// conflicts are the codes of rules that find the opposite, and not only too little.
var conflicts = map[claim.Code]bool{claim.NumberConflict: true, claim.UnitConflict: true, claim.BoundFlip: true, claim.OrdinalDiffers: true, claim.Statistic: true,
	claim.DateConflict: true, claim.NegationAdded: true, claim.NegationLost: true, claim.Antonym: true, claim.Direction: true, claim.KindConflict: true}

// hold holds each claim against its sources, as far as ctx lets it.
func (c *checker) hold(ctx context.Context) {
	for i := range c.result.Claims {
		cl := &c.result.Claims[i]
		refs := c.refsOf(cl)
		if ctx.Err() != nil && c.result.Stopped == "" {
			c.result.Stopped = stopped(ctx)
		}
		switch {
		case len(cl.Marks) == 0:
			cl.Verdict = Uncited
			c.lookElsewhere(ctx, cl, nil)
		case len(refs) == 0:
			cl.Verdict = Unread
			if slices.ContainsFunc(cl.marks, func(m mark) bool { return len(m.missing) > 0 }) {
				cl.Verdict = Dangling
				c.lookElsewhere(ctx, cl, nil)
			}
		default:
			c.holdOne(ctx, cl, refs)
		}
	}
}

// refsOf are the references that a claim cites, each once.
func (c *checker) refsOf(cl *Claim) []*Reference {
	var refs []*Reference
	for _, m := range cl.marks {
		for _, i := range m.refs {
			if r := c.refs[i]; !slices.Contains(refs, r) {
				refs = append(refs, r)
				cl.Cites = append(cl.Cites, r.ID)
			}
		}
	}
	return refs
}

// holdOne holds a claim against the sources that it cites.
func (c *checker) holdOne(ctx context.Context, cl *Claim, refs []*Reference) {
	var ids []string
	asked := true
	for _, r := range refs {
		switch {
		case r.source != "" && !slices.Contains(ids, r.source):
			ids = append(ids, r.source)
		case r.State == NotAsked:
			asked = false
		}
		if r.State == Failed || r.State == NoAddress || r.State == NotAsked && c.o.Read != nil {
			cl.Reasons = append(cl.Reasons, Reason{Code: string(r.State), Message: c.unread(r)})
		}
	}
	switch {
	case len(ids) == 0 && !asked:
		cl.Verdict = Unread
		return
	case len(ids) == 0:
		cl.Verdict = Unreachable
		c.lookElsewhere(ctx, cl, nil)
		return
	}
	all := true
	for _, r := range refs {
		all = all && r.source != ""
	}
	c.weigh(cl, ids)
	if cl.Verdict == NotFound && !all {
		cl.Verdict = Unreachable // it may stand in the one that could not be read
		if !asked {
			cl.Verdict = Unread
		}
	}
	if cl.Verdict != Supported {
		c.lookElsewhere(ctx, cl, ids)
	}
}

// unread says why a reference's source was not read.
func (c *checker) unread(r *Reference) string {
	s := r.name()
	if r.Outcome != "" {
		s += " could not be read (" + strings.ReplaceAll(r.Outcome, "_", " ") + ")"
	} else {
		s += " was not read"
	}
	return s + ": " + r.Reason
}

// A judged passage is one that a claim was held against.
type judged struct {
	passage
	own, share float64 // of the claim's content words: that it has itself; also counting what stands above and beside it
	verdicts   []claim.Verdict
}

// worth orders passages: what has more of the claim's words, and of two alike the shorter.
func (j judged) worth() float64 { return j.share - 0.01*float64(j.to-j.from-1) }

func (j judged) blocked() bool { return claim.Blocks(j.verdicts) }

// conflict is a rule's finding that the passage says the opposite, if it is about the same thing.
func (j judged) conflict() (claim.Verdict, bool) {
	if j.own < sameness {
		return claim.Verdict{}, false
	}
	for _, v := range j.verdicts {
		if v.Severity == claim.Block && conflicts[v.Code] && v.Source != "" {
			return v, true
		}
		if v.Severity == claim.Block && (v.Code == claim.NumberAbsent || v.Code == claim.DateAbsent) && j.own >= copied && audit.HasNumber(j.words()) {
			return v, true // the same sentence but for its figure
		}
	}
	return claim.Verdict{}, false
}

// judge holds a claim against a passage.
func judge(text string, words map[string]bool, p passage) judged {
	around := p.around()
	j := judged{passage: p, verdicts: claim.Check(text, p.words(), around)}
	j.own, j.share = shares(words, p.words(), around.Title+" "+around.Heading+" "+around.Table+" "+around.Before)
	return j
}

// beside is what a content word counts that stands above a passage or before it.
const beside = 0.7

func shares(words map[string]bool, said, around string) (own, all float64) {
	if len(words) == 0 {
		return 1, 1
	}
	in, above := stems(said), stems(around)
	n, m := 0, 0
	for w := range words {
		switch {
		case in[w]:
			n++
		case above[w]:
			m++
		}
	}
	of := float64(len(words))
	return float64(n) / of, (float64(n) + beside*float64(m)) / of
}

// weigh decides on a claim by what the sources of these ids say.
func (c *checker) weigh(cl *Claim, ids []string) {
	words := stems(cl.Text)
	search := cl.Text + " " + strings.Join(cl.heads, " ")
	var all []judged
	for _, id := range ids {
		x := c.texts.each[id]
		places := x.passages(search, looked)
		for _, q := range cl.said {
			for _, part := range fragments(q) {
				if m := c.texts.docs.Doc(id).Find(part); m.OK() {
					places = append(x.holding(m), places...)
				}
			}
		}
		for _, p := range places {
			all = append(all, judge(cl.Text, words, p))
		}
	}
	if slices.ContainsFunc(all, func(j judged) bool { return j.exact.End > 0 && !j.blocked() }) {
		all = slices.DeleteFunc(all, judged.blocked) // what else its sentence says does not turn what is quoted
	}
	slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(b.worth(), a.worth()) })
	if missing := c.misquoted(cl, ids); missing != nil {
		cl.Verdict = Misquoted
		cl.Reasons = append(missing, cl.Reasons...)
		return
	}
	c.decide(cl, words, all)
}

// decide takes the best passage that no rule objects to, unless one that says the opposite is nearer to the claim.
func (c *checker) decide(cl *Claim, words map[string]bool, all []judged) {
	good := slices.IndexFunc(all, func(j judged) bool { return !j.blocked() })
	bad := slices.IndexFunc(all, func(j judged) bool { _, is := j.conflict(); return is })
	var best judged
	if good >= 0 {
		best = all[good]
	}
	if bad >= 0 && (good < 0 || all[bad].share > best.share+0.001) && c.stands(cl, words, all, all[bad]) {
		c.contradict(cl, all[bad])
		return
	}
	agreeing := slices.DeleteFunc(slices.Clone(all), func(j judged) bool { _, is := j.conflict(); return is })
	together, parts := join(cl.Text, words, agreeing)
	switch {
	case good >= 0 && best.share >= enough:
		c.support(cl, best)
		return
	case parts != nil && !together.blocked() && together.share >= enough && together.share > best.share:
		c.support(cl, together, parts...)
		return
	}
	nearest := best
	if len(all) > 0 && (good < 0 || all[0].share > best.share+0.1) {
		nearest = all[0]
	}
	cl.Words = round2(nearest.share)
	if nearest.sourceText != nil {
		cl.Quotes = []Quote{c.quote(cl, nearest.passage)}
	}
	least := some
	if nearest.sourceText != nil && audit.HasNumber(cl.Text) && nearest.hasFigures() {
		least = figured
	}
	if nearest.sourceText == nil || nearest.share < least || nearest.own < least/2 {
		cl.Verdict = NotFound
		return
	}
	cl.Verdict = Partly
	c.reasons(cl, nearest)
	if len(nearest.verdicts) == 0 {
		cl.Reasons = append(cl.Reasons, Reason{Code: "words", Claim: strings.Join(lacking(cl.Text, nearest), ", "), Message: "The nearest sentence does not have these words of the claim."})
	}
}

// hasFigures reports whether no rule misses a figure or date of the claim in a passage.
func (j judged) hasFigures() bool {
	return !slices.ContainsFunc(j.verdicts, func(v claim.Verdict) bool {
		return strings.HasPrefix(string(v.Code), "number_") || strings.HasPrefix(string(v.Code), "date_") || strings.HasPrefix(string(v.Code), "unit_")
	})
}

// stands reports whether a conflict stands: the passage has nearly all of the claim, or it is still found when the best
// passages are read together.
func (c *checker) stands(cl *Claim, words map[string]bool, all []judged, bad judged) bool {
	if bad.own >= near {
		return true
	}
	together, parts := join(cl.Text, words, all)
	if parts == nil {
		return true
	}
	together.own = 1
	_, is := together.conflict()
	return is
}

// join takes the sentences together that have the most words of a claim between them.
func join(text string, words map[string]bool, all []judged) (judged, []passage) {
	if len(all) == 0 {
		return judged{}, nil
	}
	parts := []passage{all[0].passage}
	for len(parts) < joined {
		best, gain := -1, 0.0
		said := joinedWords(parts)
		now, _ := shares(words, said, "")
		for i, j := range all {
			if slices.ContainsFunc(parts, func(p passage) bool { return p.sourceText == j.sourceText && j.from < p.to && p.from < j.to }) {
				continue
			}
			own, _ := shares(words, said+"\n"+j.words(), "")
			if own-now > gain+0.001 {
				best, gain = i, own-now
			}
		}
		if best < 0 {
			break
		}
		parts = append(parts, all[best].passage)
	}
	together := all[0]
	if len(parts) == 1 {
		return together, nil
	}
	around := parts[0].around()
	around.After = ""
	for _, p := range parts[1:] {
		more := p.around()
		around.Title += "\n" + more.Title
		around.Heading += "\n" + more.Heading
		around.Table += "\n" + more.Table
	}
	together.verdicts = claim.Check(text, joinedWords(parts), around)
	together.own, together.share = shares(words, joinedWords(parts), around.Title+" "+around.Heading+" "+around.Table)
	return together, parts
}

func joinedWords(parts []passage) string {
	var said []string
	for _, p := range parts {
		said = append(said, p.words())
	}
	return strings.Join(said, "\n")
}

// support says that a claim is supported, or partly where a rule has a doubt.
func (c *checker) support(cl *Claim, j judged, parts ...passage) {
	cl.Verdict, cl.Words = Supported, round2(j.share)
	if parts == nil {
		parts = []passage{j.passage}
	}
	for _, p := range parts {
		cl.Quotes = append(cl.Quotes, c.quote(cl, p))
	}
	if len(j.verdicts) > 0 {
		cl.Verdict = Partly
		c.reasons(cl, j)
	}
}

func (c *checker) contradict(cl *Claim, j judged) {
	cl.Verdict, cl.Words = Contradicted, round2(j.share)
	cl.Quotes = []Quote{c.quote(cl, j.passage)}
	c.reasons(cl, j)
}

// reasons are what rules say of a passage.
func (c *checker) reasons(cl *Claim, j judged) {
	for _, v := range j.verdicts {
		cl.Reasons = append(cl.Reasons, Reason{Code: string(v.Code), Claim: v.Claim, Source: v.Source, Message: v.Message})
	}
}

// quote is a passage as it is shown, under the reference that the claim cites, or the first one that leads to it.
func (c *checker) quote(cl *Claim, p passage) Quote {
	r := c.refs[c.texts.first[p.id]]
	for _, m := range cl.marks {
		for _, i := range m.refs {
			if c.refs[i].source == p.id {
				r = c.refs[i]
			}
		}
	}
	return Quote{Reference: r.ID, URL: r.URL, Locator: p.span().Locator, Text: p.words()}
}

// lookElsewhere looks for a claim in the sources that it does not cite.
func (c *checker) lookElsewhere(ctx context.Context, cl *Claim, but []string) {
	if ctx.Err() != nil || len(c.texts.each) == 0 {
		return
	}
	words := stems(cl.Text)
	if len(words) < 3 {
		return
	}
	var best judged
	for _, p := range c.texts.anywhere(cl.Text+" "+strings.Join(cl.heads, " "), elsewhere, but) {
		if own, _ := shares(words, p.words(), ""); own < enough {
			continue
		}
		if j := judge(cl.Text, words, p); len(j.verdicts) == 0 && (best.sourceText == nil || j.worth() > best.worth()) {
			best = j
		}
	}
	if best.sourceText != nil {
		cl.Also = []Quote{c.quote(cl, best.passage)}
	}
}

// lacking are the content words of a claim that neither a passage nor what is around it has, as the claim has them.
func lacking(text string, j judged) []string {
	around := j.around()
	have := stems(j.words() + " " + around.Title + " " + around.Heading + " " + around.Table)
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \u00a0\n,.;:!?()[]\"“”|/", r) }) {
		for s := range stems(w) {
			if !have[s] && !slices.Contains(out, w) && len(out) < 12 {
				out = append(out, w)
				break
			}
		}
	}
	return out
}

func round2(x float64) float64 { return float64(int(x*100+0.5)) / 100 }

// finish counts and orders what was found.
func (c *checker) finish() {
	r := &c.result
	for _, ref := range c.refs {
		r.References = append(r.References, *ref)
		if ref.State == Read && ref.SameAs == "" {
			r.Counts.Read++
		}
	}
	r.Counts.References = len(c.refs)
	r.OK = true
	r.Counts.Claims = len(r.Claims)
	count := map[Verdict]*int{Supported: &r.Counts.Supported, Partly: &r.Counts.Partly, Contradicted: &r.Counts.Contradicted, Misquoted: &r.Counts.Misquoted,
		NotFound: &r.Counts.NotFound, Unreachable: &r.Counts.Unreachable, Unread: &r.Counts.Unread, Dangling: &r.Counts.Dangling, Uncited: &r.Counts.Uncited}
	for _, cl := range r.Claims {
		*count[cl.Verdict]++
		r.OK = r.OK && (cl.Verdict == Supported || cl.Verdict == Uncited)
	}
	for _, p := range r.Problems {
		r.OK = r.OK && p.Code != DanglingMark && p.Code != UnreadStyle && p.Code != TooMuch
	}
	r.Complete = r.Stopped == ""
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
}

// Sound reports whether nothing wrong was seen: no claim is worse than not read yet, and no citation leads nowhere.
func (r Result) Sound() bool {
	n := r.Counts
	for _, p := range r.Problems {
		if p.Code == DanglingMark || p.Code == UnreadStyle {
			return false
		}
	}
	return n.Partly+n.Contradicted+n.Misquoted+n.NotFound+n.Unreachable+n.Dangling == 0
}
