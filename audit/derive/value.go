package derive

import (
	"math/big"
	"slices"
	"strings"
)

// Dimensions that are treated by rules of their own, besides "", that of counts.
const (
	ratio  = "ratio"  // a share of a whole, or one figure over another of its kind
	points = "points" // the difference of two shares
	money  = "sek"    // of the Scandinavian currencies: one dimension in the reader of claims, and not one currency
)

// A value is a number in its dimension's base unit, and how it may be printed.
type value struct {
	rat     *big.Rat
	dim     string
	per     string // what it is for, by name
	perName string
	one     bool // the constant 1, the whole that a share is taken from
	shown   []display
	about   bool
	divided bool     // it may have no last decimal
	noun    []string // stems of what a bare number counts
	notes   []string // what a reader should look at
}

// A display is a way to print a value.
type display struct {
	scale, unit string   // as they are written
	factor      *big.Rat // how many base units one of it is, scale included
}

var (
	whole   = display{factor: big.NewRat(1, 1)}
	percent = display{unit: "percent", factor: big.NewRat(1, 100)}
	point   = display{unit: "percentage points", factor: big.NewRat(1, 100)}
)

// scales by word, for telling how a figure was written.
var scales = map[string]int64{"hundred": 1e2, "thousand": 1e3, "thousands": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "mio": 1e6, "m": 1e6,
	"billion": 1e9, "billions": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "t": 1e12, "millionen": 1e6, "milliarden": 1e9, "crore": 1e7, "lakh": 1e5}

// of is the value of a figure.
func of(f Figure) value {
	v := value{rat: new(big.Rat).Mul(f.Value, f.Factor), dim: f.Dim, per: f.Per, perName: f.PerName, about: f.About, noun: f.Noun}
	d := display{unit: f.Unit, factor: f.Factor}
	if n := scales[strings.ToLower(f.Scale)]; n != 0 {
		d.scale, d.factor = f.Scale, new(big.Rat).Mul(f.Factor, big.NewRat(n, 1))
	}
	switch f.Dim {
	case "times":
		v.dim, d = "", whole
	case ratio:
		d = percent
	}
	v.shown = []display{d}
	return v
}

// dimensionless reports whether a value only multiplies.
func (v value) dimensionless() bool { return v.per == "" && (v.dim == "" || v.dim == ratio) }

// kind names the dimension of a value for a message.
func (v value) kind() string {
	name := map[string]string{"": "a bare number", ratio: "a share", points: "percentage points"}[v.dim]
	if name == "" {
		name = v.dim
	}
	if v.perName != "" {
		name += " per " + v.perName
	}
	return name
}

// with joins what two values leave to their result.
func (v value) with(a, b value) value {
	v.about = a.about || b.about
	v.divided = v.divided || a.divided || b.divided
	v.notes = append(slices.Clone(a.notes), b.notes...)
	if v.shown == nil {
		v.shown = joined(a.shown, b.shown)
	}
	return v
}

func joined(a, b []display) []display {
	out := slices.Clone(a)
	for _, d := range b {
		if !slices.ContainsFunc(out, d.same) {
			out = append(out, d)
		}
	}
	return out
}

func (d display) same(e display) bool {
	return d.scale == e.scale && d.unit == e.unit && d.factor.Cmp(e.factor) == 0
}

// exact are the ratios of two units that both are defined by: powers of ten, and those of the clock, the calendar and the
// foot. All others are rounded in the table of units, so that what is computed over them would be wrong in its last places.
var exact = map[int64]bool{1: true, 3: true, 7: true, 12: true, 24: true, 36: true, 60: true, 120: true, 168: true, 1200: true, 1440: true, 1760: true,
	3600: true, 5280: true, 10080: true, 63360: true, 86400: true, 604800: true}

// converts reports whether values of two units can be put together exactly.
func converts(a, b value) bool {
	for _, x := range a.shown {
		for _, y := range b.shown {
			f, g := unscaled(x), unscaled(y)
			if a.dim == money && !strings.EqualFold(x.unit, y.unit) {
				return false
			}
			if f.Cmp(g) < 0 {
				f, g = g, f
			}
			q := new(big.Rat).Quo(f, g)
			if !q.IsInt() || !q.Num().IsInt64() || !exact[q.Num().Int64()] && strings.Trim(q.Num().String(), "0") != "1" {
				return false
			}
		}
	}
	return true
}

// unscaled is the factor of the unit alone.
func unscaled(d display) *big.Rat {
	if n := scales[strings.ToLower(d.scale)]; n != 0 {
		return new(big.Rat).Quo(d.factor, big.NewRat(n, 1))
	}
	return d.factor
}
