package claim

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A Quantity is a figure of a text as it is computed with: exact, and with its unit as the text writes it.
type Quantity struct {
	Text    string   // as it is written, with its unit: 45.2 GWh. An end of a range has the unit of the other end
	Number  string   // the number alone, as it is written: 45.2
	Value   *big.Rat // of the number and its scale
	Scale   string   // the word that multiplies the number, as it is written: million
	Unit    string   // as it stands behind more than one: GWh, weeks; before the number where it is the sign of a currency
	Dim     string   // what Unit measures: energy; "" of a bare number
	Factor  *big.Rat // how many of the dimension's base unit one Unit is
	Per     string   // what it is for, in one name for all spellings; "" if for nothing
	PerName string   // the same as it is written: month
	Noun    []string // stems of what a bare number counts
	About   bool     // the text does not claim to be exact
	Bounded bool     // it is a bound: more than, at most
	Unclear bool     // it can be read in two ways: 1.234
}

// Quantities lists the figures of a text that one can compute with, in order. Dates, ordinals, and numbers that are a name's
// or a label's are none.
func Quantities(s string) []Quantity {
	t := read(clip(s, MaxQuote))
	var out []Quantity
	for i := range t.figures {
		f := &t.figures[i]
		if f.ordinal || f.weak || f.name || f.label != "" {
			continue
		}
		if q, ok := t.quantity(f); ok {
			out = append(out, q)
		}
	}
	return out
}

// quantity makes a figure exact. Numbers of more digits than are kept exactly are left out.
func (t *text) quantity(f *figure) (Quantity, bool) {
	value, ok := f.exactly()
	if !ok {
		return Quantity{}, false
	}
	q := Quantity{Value: value, Dim: f.unit.dim, Factor: decimal(factor(*f)), Per: f.per, Noun: f.noun,
		About: f.bound == about, Bounded: f.bound == atLeast || f.bound == atMost, Unclear: f.alt != f.value}
	from, to := f.from, f.to
	switch {
	case f.part:
		q.Dim, q.Factor = "ratio", big.NewRat(1, 1)
	case money[f.unit.dim] && (t.words[from].kind == sign || units[t.words[from].s].dim == f.unit.dim):
		q.Unit = t.span(from, from+1)
		from++
	case f.unit.dim != "" && !(f.unit.dim == "times" && timesWord[t.words[from].s] != 0):
		n := t.unitWords(f)
		q.Unit = plural(t.span(to-n, to), f.unit)
		to -= n
	}
	q.Text = t.span(f.from, f.to)
	for from < to-1 && scales[t.words[to-1].s] != 0 && f.scaled {
		q.Scale = t.span(to-1, to)
		to--
	}
	for to-1 > from && between[t.words[to-1].s] {
		to--
	}
	q.Number = t.span(from, to)
	t.borrow(f, &q)
	if f.per != "" {
		q.PerName = t.at(f.to + 1).s
	}
	return q, q.Number != ""
}

// unitWords is how many words the unit at the end of a figure takes; 0 if it stands elsewhere.
func (t *text) unitWords(f *figure) int {
	for n := min(3, f.to-f.from-1); n > 0; n-- {
		ws := make([]string, n)
		for k := range ws {
			ws[k] = t.words[f.to-n+k].s
		}
		name := strings.Join(ws, " ")
		if compounds[name] == f.unit || units[name] == f.unit {
			return n
		}
	}
	return 0
}

// borrow gives an end of a range the scale and unit that stand behind the other end.
func (t *text) borrow(f *figure, q *Quantity) {
	if f.upTo == 0 || f.upTo >= len(t.figures) {
		return
	}
	other := &t.figures[f.upTo]
	if f.scaled && q.Scale == "" && lastScale(t, f) == 0 {
		for _, w := range t.words[other.from:other.to] {
			if scales[w.s] != 0 {
				q.Scale = t.raw[w.start:w.end]
				q.Text += " " + q.Scale
				break
			}
		}
	}
	if q.Unit == "" && f.unit.dim != "" && f.unit == other.unit {
		if n := t.unitWords(other); n > 0 {
			written := t.span(other.to-n, other.to)
			q.Unit = plural(written, f.unit)
			if q.Dim != "ratio" || written != "%" {
				q.Text += " "
			}
			q.Text += written
		}
	}
}

// plural is a unit's name behind more than one.
func plural(name string, u unit) string {
	if many := name + "s"; len(name) > 2 && units[strings.ToLower(many)].dim == u.dim {
		return many
	}
	return name
}

// exactly is the value of a figure as a fraction. Decimals of up to 15 digits come out as they are written, fractions as
// what they are of.
func (f *figure) exactly() (*big.Rat, bool) {
	if math.IsInf(f.value, 0) || math.IsNaN(f.value) || math.Abs(f.value) >= 1e15 {
		return nil, false
	}
	if f.part {
		for d := int64(1); d <= 1000; d++ {
			if n := math.Round(f.value * float64(d)); math.Abs(f.value*float64(d)-n) < 1e-9 {
				return big.NewRat(int64(n), d), true
			}
		}
		return nil, false
	}
	return decimal(f.value), true
}

// decimal is the decimal number of up to 15 digits that a binary one stands for.
func decimal(v float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', 15, 64))
	if !ok {
		return new(big.Rat)
	}
	return r
}
