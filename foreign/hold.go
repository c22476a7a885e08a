package foreign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/extract"
	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// How much of a claim's content words a passage has to have.
const (
	enough   = 0.70 // to say so
	some     = 0.45 // to be about it in part
	sameness = 0.50 // in its own words, to be about the same thing and still contradict it
	near     = 0.80 // likewise, to contradict it whatever else the source says
	copied   = 0.95 // to be the same sentence but for a word or figure
	figured  = 0.25 // to be about it in part, where it has the claim's figures
	asMany   = 0.05 // so much fewer than another, to say it as well
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
	if c.weighed > cmp.Or(c.o.Comparisons, DefaultComparisons) {
		c.result.Stopped = cmp.Or(c.result.Stopped, "comparisons")
		cl.Verdict = Unread
		cl.Reasons = append(cl.Reasons, Reason{Code: "too_much", Message: fmt.Sprintf("%d sentences were compared with claims, which is the limit. Check the report in parts.", c.weighed)})
		return
	}
	c.weighEach(cl, ids)
	if cl.Verdict == NotFound && !all {
		cl.Verdict = Unreachable // it may stand in the one that could not be read
		if !asked {
			cl.Verdict = Unread
		}
	}
	if cl.Verdict != Supported {
		c.readInPart(cl, refs)
		c.lookElsewhere(ctx, cl, ids)
	}
}

// inPart are the flags of sources of which not all was read, with what they mean.
var inPart = map[string]string{fetch.FlagPaywall: "the rest stands behind a paywall", extract.FlagPaywalled: "parts of it are not free", extract.FlagTruncated: "it is longer than is read",
	extract.FlagHub: "it is a page of links, and what is mostly links is not quoted", extract.FlagNoText: "some of its pages have no text", extract.FlagGarbled: "some of its text does not decode"}

// readInPart says of which sources not all was read, so that nobody takes for absent what was not seen (law 7).
func (c *checker) readInPart(cl *Claim, refs []*Reference) {
	for _, r := range refs {
		for _, flag := range r.Flags {
			if why := inPart[flag]; why != "" && r.State == Read {
				cl.Reasons = append(cl.Reasons, Reason{Code: "in_part", Message: fmt.Sprintf("%s was read in part: %s.", r.name(), why)})
			}
		}
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
func (c *checker) judge(text string, words map[string]bool, p passage) judged {
	j := judged{passage: p, verdicts: c.rules.Check(text, p.words(), p.around())}
	j.own, j.share = shares(words, p)
	return j
}

// beside is what a content word counts that stands above a passage or before it.
const beside = 0.7

// shares is how much of the content words of a claim some passages have, and have with what stands above and before them.
func shares(words map[string]bool, parts ...passage) (own, all float64) {
	if len(words) == 0 {
		return 1, 1
	}
	in, above := 0, 0
	for w := range words {
		switch {
		case slices.ContainsFunc(parts, func(p passage) bool { return p.has(w) }):
			in++
		case slices.ContainsFunc(parts, func(p passage) bool { return p.near(w) }):
			above++
		}
	}
	of := float64(len(words))
	return float64(in) / of, (float64(in) + beside*float64(above)) / of
}

// bothSay is said of two sources, each of which then has to say it.
var bothSay = lazyregexp.New(`(?i)\bboth (?:(?:the )?[\pL-]+ (?:and (?:the )?[\pL-]+ )?)?(?:report|state|say|find|found|show|confirm|give|put|agree|reported|stated|said|showed|confirmed|gave|agreed)(?: that)?\b`)

// weighEach is weigh; but of a claim that both of its two sources say a thing, what each says by itself, and the worse of it.
func (c *checker) weighEach(cl *Claim, ids []string) {
	if len(ids) != 2 || !bothSay.MatchString(cl.Text) {
		c.weigh(cl, ids)
		return
	}
	var worst Claim
	for i, id := range ids {
		one := *cl
		one.Text = strings.TrimSpace(bothSay.ReplaceAllString(cl.Text, "")) // who says so is no part of what is said
		one.Quotes, one.Reasons = []Quote{}, slices.Clone(cl.Reasons)
		c.weigh(&one, []string{id})
		if i == 0 || gravity[one.Verdict] > gravity[worst.Verdict] {
			worst = one
		} else if one.Verdict == Supported && worst.Verdict == Supported {
			worst.Quotes = append(worst.Quotes, one.Quotes...)
		}
	}
	if worst.Verdict != Supported {
		worst.Reasons = append(worst.Reasons, Reason{Code: "both", Message: "Both sources are said to say so, and one of them by itself does not."})
	}
	worst.Text = cl.Text
	*cl = worst
}

// gravity orders verdicts by how wrong a claim is with them.
var gravity = map[Verdict]int{Partly: 1, NotFound: 2, Misquoted: 3, Contradicted: 4}

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
		c.weighed += len(places)
		for _, p := range places {
			all = append(all, c.judge(cl.Text, words, p))
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
		if own, _ := shares(words, p); own < enough {
			continue
		}
		if j := c.judge(cl.Text, words, p); len(j.verdicts) == 0 && (best.sourceText == nil || j.worth() > best.worth()) {
			best = j
		}
	}
	if best.sourceText != nil {
		cl.Also = []Quote{c.quote(cl, best.passage)}
	}
}

// lacking are the content words of a claim that neither a passage nor what is around it has, as the claim has them.
func lacking(text string, j judged) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \u00a0\n,.;:!?()[]\"“”|/", r) }) {
		for s := range stems(w) {
			if !j.has(s) && !j.near(s) && !slices.Contains(out, w) && len(out) < 12 {
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
		r.OK = r.OK && p.Code != DanglingMark && p.Code != UnreadStyle && p.Code != Withdrawn && p.Code != TooMuch
	}
	r.Complete = r.Stopped == ""
	slices.SortStableFunc(r.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
}

// Sound reports whether nothing wrong was seen: no claim is worse than not read yet, and no citation leads nowhere.
func (r Result) Sound() bool {
	n := r.Counts
	for _, p := range r.Problems {
		if p.Code == DanglingMark || p.Code == UnreadStyle || p.Code == Withdrawn {
			return false
		}
	}
	return n.Partly+n.Contradicted+n.Misquoted+n.NotFound+n.Unreachable+n.Dangling == 0
}
