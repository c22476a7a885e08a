package derive

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// eval computes an expression whose operands have their figures.
func (n *node) eval() (value, error) {
	switch n.op {
	case "":
		return of(*n.figure), nil
	case "1":
		return value{rat: big.NewRat(1, 1), one: true, shown: []display{whole}}, nil
	}
	vs := make([]value, len(n.args))
	for i, a := range n.args {
		var err error
		if vs[i], err = a.eval(); err != nil {
			return value{}, err
		}
		if vs[i].one && n.op != "+" && n.op != "−" {
			return value{}, typed("1")
		}
	}
	switch n.op {
	case "+", "−":
		return add(n.op, vs[0], vs[1])
	case "×":
		return times(vs[0], vs[1])
	case "÷":
		return over(vs[0], vs[1])
	case "mean":
		return mean(vs)
	}
	return asPercent(vs[0]) // percent
}

func units(format string, args ...any) error {
	return &Error{Kind: Units, Message: fmt.Sprintf(format, args...)}
}

// add is the sum or the difference of two values of one kind.
func add(op string, a, b value) (value, error) {
	r := new(big.Rat)
	if op == "+" {
		r.Add(a.rat, b.rat)
	} else {
		r.Sub(a.rat, b.rat)
	}
	out := value{rat: r, dim: a.dim, per: a.per, perName: a.perName, noun: a.noun}
	switch {
	case a.one && b.dim == ratio, b.one && a.dim == ratio: // the rest of the whole
		out.dim, out.shown = ratio, []display{percent, whole}
	case a.one || b.one:
		return value{}, typed("1")
	case a.dim == ratio && b.dim == points, a.dim == points && b.dim == ratio && op == "+":
		out.dim, out.shown = ratio, []display{percent}
	case a.dim != b.dim || a.per != b.per:
		return value{}, units("%s cannot be %s %s", b.kind(), map[string]string{"+": "added to", "−": "taken from"}[op], a.kind())
	case a.dim == ratio && op == "−":
		out.dim, out.shown = points, []display{point}
	case a.dim == ratio:
		out.shown = joined(a.shown, b.shown)
	case !converts(a, b):
		return value{}, units("%s and %s are not converted into each other exactly; use figures of one unit", a.shown[0].unit, b.shown[0].unit)
	}
	out = out.with(a, b)
	if a.dim == "" && len(a.noun) > 0 && len(b.noun) > 0 && !slices.ContainsFunc(a.noun, func(s string) bool { return slices.Contains(b.noun, s) }) {
		out.notes = append(out.notes, fmt.Sprintf("one figure counts %q and the other %q", strings.Join(a.noun, " "), strings.Join(b.noun, " ")))
	}
	return out, nil
}

// times is a value, multiplied by one without a unit.
func times(a, b value) (value, error) {
	if !b.dimensionless() {
		a, b = b, a
	}
	if !b.dimensionless() || a.dim == points && b.dim == ratio {
		return value{}, units("%s cannot be multiplied by %s", a.kind(), b.kind())
	}
	if a.dim == ratio && b.dim == "" {
		a, b = b, a // a share of a count is a count
	}
	out := value{rat: new(big.Rat).Mul(a.rat, b.rat), dim: a.dim, per: a.per, perName: a.perName, noun: a.noun, shown: a.shown, divided: true}
	return out.with(a, b), nil
}

// over is a value, divided by another.
func over(a, b value) (value, error) {
	if b.rat.Sign() == 0 {
		return value{}, &Error{Kind: Undefined, Message: "it divides by zero"}
	}
	out := value{rat: new(big.Rat).Quo(a.rat, b.rat), divided: true}
	switch {
	case a.dim == "celsius" || a.dim == "fahrenheit" || b.dim == "celsius" || b.dim == "fahrenheit":
		return value{}, units("temperatures have no ratio: their zero is not nothing")
	case a.dim == b.dim && a.per == b.per:
		if a.dim != ratio && !converts(a, b) {
			return value{}, units("%s and %s are not converted into each other exactly; use figures of one unit", a.shown[0].unit, b.shown[0].unit)
		}
		out.dim, out.shown = ratio, []display{whole, percent}
	case b.dimensionless():
		out.dim, out.per, out.perName, out.noun, out.shown = a.dim, a.per, a.perName, a.noun, a.shown
	case a.per == "" && b.per == "" && a.dim != points && b.dim != points && a.dim != ratio:
		d := b.shown[0]
		out.dim, out.shown = a.dim, a.shown
		out.rat.Mul(out.rat, d.factor)
		out.per, out.perName = b.dim+" "+d.factor.RatString(), singular(strings.TrimSpace(d.scale+" "+d.unit))
	default:
		return value{}, units("%s cannot be divided by %s", a.kind(), b.kind())
	}
	return out.with(a, b), nil
}

// mean is the arithmetic mean of values of one kind.
func mean(vs []value) (value, error) {
	total := vs[0]
	for _, v := range vs[1:] {
		if v.dim != total.dim {
			return value{}, units("%s and %s have no mean", total.kind(), v.kind())
		}
		var err error
		if total, err = add("+", total, v); err != nil {
			return value{}, err
		}
	}
	total.rat = new(big.Rat).Quo(total.rat, big.NewRat(int64(len(vs)), 1))
	total.divided = true
	return total, nil
}

// asPercent is a share, to be printed in percent.
func asPercent(v value) (value, error) {
	if v.dim != ratio {
		return value{}, units("%s is no share, and has no percent", v.kind())
	}
	v.shown = []display{percent, whole}
	return v, nil
}

// singular is the name of one of a unit.
func singular(unit string) string {
	if len(unit) > 3 && strings.HasSuffix(unit, "s") {
		return strings.TrimSuffix(unit, "s")
	}
	return unit
}
