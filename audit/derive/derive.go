// Package derive computes figures from the figures of findings: a small language of expressions, exact arithmetic over
// fractions, and units that are carried along. A draft declares a computation by the findings that it is made of
// (fall(F1:45.2, F2:41.6)); a report shows it with the figures themselves ((45.2 GWh − 41.6 GWh) ÷ 45.2 GWh ≈ 8.0
// percent), from which anybody can compute it again. No figure is read from an expression: each names one that a verified
// quote has.
package derive

import (
	"fmt"
	"math/big"
	"strings"
)

// A Figure is what can be computed with: a figure of a quote. It has the fields of claim.Quantity, which reads them.
type Figure struct {
	Text    string   // as it is written, with its unit: 45.2 GWh
	Number  string   // the number alone: 45.2
	Value   *big.Rat // of the number and its scale
	Scale   string   // million, as it is written
	Unit    string   // as it stands behind more than one
	Dim     string   // what Unit measures: energy; "" of a bare number
	Factor  *big.Rat // how many of the dimension's base unit one Unit is
	Per     string   // what it is for, in one name for all spellings
	PerName string   // the same as it is written
	Noun    []string // stems of what a bare number counts
	About   bool     // it is not meant exactly
	Bounded bool     // it is a bound: more than, at most
	Unclear bool     // it can be read in two ways: 1.234
}

// same reports whether two figures say the same.
func (f Figure) same(g Figure) bool {
	return f.Dim == g.Dim && f.Per == g.Per && f.About == g.About && f.Bounded == g.Bounded && f.Unclear == g.Unclear &&
		f.Value.Cmp(g.Value) == 0 && f.Factor.Cmp(g.Factor) == 0
}

// usable says why one cannot compute with a figure, "" if one can.
func (f Figure) usable() string {
	switch {
	case f.Bounded:
		return fmt.Sprintf("%q is a bound there (more than, at most), not a value", f.Text)
	case f.Unclear:
		return fmt.Sprintf("%q can be read in two ways there", f.Text)
	}
	return ""
}

// find is the place in a list of the figure that is written so, with its unit or, if bare, alone. It is an error if none is,
// or if two that are differ.
func find(figures []Figure, written string, bare bool) (int, *Error) {
	w := folded(written)
	found := -1
	for i, f := range figures {
		if folded(f.Text) != w && !(bare && folded(f.Number) == w) {
			continue
		}
		if found >= 0 && !f.same(figures[found]) {
			return -1, &Error{Unclear, written, fmt.Sprintf("%q stands for two figures there: %s and %s", written, figures[found].Text, f.Text)}
		}
		if found < 0 {
			found = i
		}
	}
	if found < 0 {
		return -1, &Error{Absent, written, fmt.Sprintf("there is no figure %q", written)}
	}
	if why := figures[found].usable(); why != "" {
		return -1, &Error{Unclear, written, why}
	}
	return found, nil
}

// folded is a text for comparing what is written: in lower case, with single spaces.
func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// list names the figures of a quote, each once.
func list(figures []Figure) string {
	var texts []string
	seen := map[string]bool{}
	for _, f := range figures {
		if !seen[f.Text] && len(texts) < maxListed {
			texts = append(texts, f.Text)
		}
		seen[f.Text] = true
	}
	return strings.Join(texts, "; ")
}

// maxListed is how many figures a message names.
const maxListed = 12

// A Kind says what is wrong with a computation.
type Kind int

const (
	Malformed Kind = iota // it does not read as an expression
	Absent                // a figure that is not there
	Unclear               // a figure that is a bound, or can be read in two ways
	Units                 // what cannot be added, or divided
	Undefined             // a division by zero, a result below zero
	Wrong                 // the result is another
)

// An Error is what is wrong with a computation, for whoever has to mend it: a clause without a capital and a stop.
type Error struct {
	Kind    Kind
	Text    string // the part of the computation that is meant
	Message string
}

func (e *Error) Error() string { return e.Message }

func malformed(format string, args ...any) error {
	return &Error{Kind: Malformed, Message: fmt.Sprintf(format, args...)}
}
