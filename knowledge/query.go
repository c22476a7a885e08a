package knowledge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ibid/budget"
	"ibid/index"
)

// A Fact is one fact as it is known, with where it is from.
type Fact struct {
	ID          string    `json:"fact"` // K1, K2 … in order of absorbing
	Kind        Kind      `json:"kind"`
	Entity      string    `json:"entity,omitempty"`
	Relation    string    `json:"relation,omitempty"`
	Target      string    `json:"target,omitempty"`
	Description string    `json:"description"`
	Supports    []Support `json:"supports"` // in order of absorbing
	More        int       `json:"more_supports,omitempty"`
	n           int64
}

// A Support is one place that says a fact.
type Support struct {
	Quote   string `json:"quote"`
	Claim   string `json:"claim,omitempty"` // that a finding made of it; a model's words
	Label   Label  `json:"label"`
	URL     string `json:"url,omitempty"`
	Title   string `json:"title,omitempty"`
	Locator string `json:"locator,omitempty"` // of the span that holds the quote; "": the source is not kept, so it cannot be cited
	Source  string `json:"source,omitempty"`  // as kept: see Base.Original
	Newest  bool   `json:"newest,omitempty"`  // the kept copy is the newest of its URL
	Run     string `json:"run,omitempty"`
	By      string `json:"by"`
	Snippet int64  `json:"snippet"`
}

// An Answer is what a dataset says about a question. No facts are a normal answer.
type Answer struct {
	Dataset   string        `json:"dataset"`
	Question  string        `json:"question"`
	Empty     bool          `json:"empty"` // the knowledge base is empty
	Facts     []Fact        `json:"facts"` // at most MaxListed, the best first
	More      int           `json:"more"`  // that fit, too
	Conflicts []Conflict    `json:"conflicts"`
	Reports   []Earlier     `json:"reports"` // of runs that asked something alike
	Waiting   int64         `json:"waiting"` // snippets that are accepted and not absorbed yet
	Spent     budget.Amount `json:"spent"`
}

// An Earlier is a run whose report is remembered.
type Earlier struct {
	Run      string `json:"run"`
	Question string `json:"question"`
}

// maxQuestion is in bytes.
const maxQuestion = 4000

// candidates are looked at for an answer.
const candidates = 400

// Query answers a question from a dataset: the facts that fit it, in an order that is the same always, what does not agree with
// them, and who asked something alike. A dataset that is not there is empty.
func (b *Base) Query(ctx context.Context, user, dataset, question string) (Answer, error) {
	a := Answer{Dataset: dataset, Question: strings.Join(strings.Fields(question), " "), Facts: []Fact{}, Conflicts: []Conflict{}, Reports: []Earlier{}}
	if err := CheckName(dataset); err != nil {
		return a, err
	}
	if a.Question == "" || len(a.Question) > maxQuestion {
		return a, Invalid(fmt.Sprintf("a question has 1 to %d bytes, and this has %d", maxQuestion, len(a.Question)))
	}
	info, err := b.Info(ctx, user, dataset)
	if errors.Is(err, ErrNotFound) {
		a.Empty = true
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Waiting, a.Empty = info.Waiting, info.Facts == 0
	if a.Reports, err = b.earlier(ctx, info.id, a.Question); err != nil {
		return a, err
	}
	if a.Empty {
		return a, nil
	}
	s := b.shelf(info.id)
	s.mu.Lock()
	err = s.fill(ctx, b.DB, info)
	s.mu.Unlock()
	if err != nil {
		return a, fmt.Errorf("knowledge: reading %s: %w", dataset, err)
	}
	var meant []index.Hit
	if meant, a.Spent, err = b.meant(ctx, s, a.Question); err != nil {
		return a, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.fitting(a.Question, meant)
	listed := found[:min(len(found), MaxListed)]
	a.More = len(found) - len(listed)
	if a.Facts, err = facts(ctx, b.DB, info.id, listed, maxTold); err != nil {
		return a, fmt.Errorf("knowledge: reading %s: %w", dataset, err)
	}
	a.Conflicts, err = b.conflicts(ctx, s, info.id, a.Facts)
	return a, err
}

// String is an answer for a person.
func (a Answer) String() string {
	var b strings.Builder
	switch {
	case a.Empty:
		b.WriteString("The knowledge base is empty.\n")
	case len(a.Facts) == 0:
		b.WriteString("Nothing in the knowledge base fits the question.\n")
	}
	for i, f := range a.Facts {
		fmt.Fprintf(&b, "%d. %s [%s]\n", i+1, f.Description, f.ID)
		for _, s := range f.Supports {
			fmt.Fprintf(&b, "   %s\n", s.where())
		}
		if f.More > 0 {
			fmt.Fprintf(&b, "   … and %d more sources\n", f.More)
		}
	}
	if a.More > 0 {
		fmt.Fprintf(&b, "… and %d more\n", a.More)
	}
	for _, c := range a.Conflicts {
		fmt.Fprintf(&b, "Conflict (%s): %s says %q, %s says %q: %s\n", c.Severity, c.A, c.SaysA, c.B, c.SaysB, c.Other)
	}
	for _, r := range a.Reports {
		fmt.Fprintf(&b, "Asked before: %s (run %s)\n", r.Question, r.Run)
	}
	if a.Waiting > 0 {
		fmt.Fprintf(&b, "%d remembered and not absorbed yet\n", a.Waiting)
	}
	return b.String()
}

// where says where a fact is from, for a person.
func (s Support) where() string {
	var parts []string
	for _, p := range []string{s.Title, s.URL, s.Locator} {
		if p != "" && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	switch {
	case len(parts) == 0 && s.Label == User:
		parts = []string{"said by the user"}
	case len(parts) == 0:
		parts = []string{"no source"}
	}
	text := strings.Join(parts, ", ")
	if s.Locator == "" {
		text += " (not kept as it was read: it cannot be cited)"
	}
	if s.Run != "" {
		text += ", run " + s.Run
	}
	return text
}
