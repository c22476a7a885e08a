package knowledge

import (
	"context"
	"strings"
	"unicode"

	"ibid/audit"
	"ibid/budget"
)

// Rules draw facts without a model, from the shapes of sentences: a subject, a verb and what follows it; what something is; a
// figure with its measure. A sentence whose parts they cannot tell apart is a statement as a whole. They take words from the
// text and put none in; the same text gives the same facts.
type Rules struct{}

// rulesID names the rules in what they have drawn. It changes when that does.
const rulesID = "rules/2"

// Limits of a sentence that is a fact, in bytes and in words.
const (
	maxSentence = 1000
	minWords    = 3
	maxEntity   = 12 // words
	maxTarget   = 40
)

// Extract draws the facts of a snippet.
func (Rules) Extract(_ context.Context, s Snippet) ([]Draft, string, budget.Amount, error) {
	return byRule(s.Text), rulesID, budget.Amount{}, nil
}

func byRule(text string) []Draft {
	var out []Draft
	for _, paragraph := range strings.Split(text, "\n\n") {
		// A printed line ends no sentence.
		for _, r := range audit.Sentences(strings.ReplaceAll(paragraph, "\n", " ")) {
			if len(out) == 4*maxFacts {
				break
			}
			if d, ok := fromSentence(paragraph[r.Start:r.End]); ok {
				out = append(out, d)
			}
		}
	}
	return once(out)
}

// fromSentence makes a fact of a sentence, if it is one that states something.
func fromSentence(s string) (Draft, bool) {
	d := Draft{Kind: Statement, Description: s, Quote: s}
	ws := split(s)
	if len(ws) < minWords || len(s) > maxSentence || strings.ContainsRune("?؟？:", lastMark(s)) {
		return d, false
	}
	if !strings.ContainsRune(".!。！।…", lastMark(s)) && len(ws) < 5 { // a heading, an entry of a menu
		return d, false
	}
	if p, ok := parse(s, ws); ok && p.clean() {
		d.Entity, d.Relation, d.Target = p.entity, p.relation, p.target
		d.Kind = kindOf(p.relation, p.target)
	} else if hasFigure(s) {
		d.Kind = Figure
	}
	return d, true
}

// clean takes from an entity the bracket that the parts of the sentence have cut through. It is false where they are none: the
// verb stood in a title, or what comes before it is no subject.
func (p *parts) clean() bool {
	if i := strings.LastIndex(p.entity, "("); i > 0 && !strings.Contains(p.entity[i:], ")") {
		p.entity = strings.TrimSpace(p.entity[:i])
	}
	if i := strings.IndexAny(p.target, "\"”"); i > 0 && p.target[i-1] != ' ' && p.target[i-1] != '(' { // a quotation ends that began before
		return false
	}
	if i := strings.IndexAny(p.target, "()"); i >= 0 && p.target[i] == ')' { // and so does a bracket, that the verb stands in
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(p.entity), " ")
	return p.entity != "" && !subjectless[first]
}

// subjectless begin a clause whose subject comes later.
var subjectless = map[string]bool{"despite": true, "prior": true, "before": true, "after": true, "during": true, "following": true, "since": true,
	"although": true, "though": true, "while": true, "upon": true, "due": true, "unlike": true, "located": true, "established": true, "founded": true,
	"born": true, "based": true, "named": true, "known": true, "originally": true, "immediately": true, "formerly": true, "previously": true,
	"initially": true, "situated": true, "built": true, "written": true, "directed": true, "produced": true, "released": true}

// lastMark is the last character of a sentence, but for quotation marks and brackets that close it.
func lastMark(s string) rune {
	r := []rune(strings.TrimRight(s, "\"'”’»)] "))
	if len(r) == 0 {
		return 0
	}
	return r[len(r)-1]
}

// A token is a word of a sentence, with its place.
type token struct {
	start, end int    // of the word without the marks around it
	low        string // in lower case
	comma      bool   // a comma, semicolon, colon, bracket or dash stands behind it
	opens      bool   // a bracket, quotation mark or dash stands before it
}

// split finds the words of a sentence.
func split(s string) (list []token) {
	start := -1
	field := func(end int) {
		if start < 0 {
			return
		}
		f := s[start:end]
		left := len(f) - len(strings.TrimLeft(f, "\"'(“‘«[–—-*"))
		core := strings.TrimRight(f[left:], "\"')”’»].,;:!?–—*")
		switch {
		case core != "":
			list = append(list, token{start + left, start + left + len(core), strings.ToLower(strings.ReplaceAll(core, "’", "'")),
				strings.ContainsAny(f[left+len(core):], ",;:)–—"), left > 0})
		case len(list) > 0 && strings.ContainsAny(f, "–—-"):
			list[len(list)-1].comma = true
		}
		start = -1
	}
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			field(i)
		case start < 0:
			start = i
		}
	}
	field(len(s))
	return list
}
