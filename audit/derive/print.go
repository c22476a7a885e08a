package derive

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// maxPlaces is how many decimals a result has at most.
const maxPlaces = 6

// number prints a number with so many decimals, rounded half away from zero, with commas from ten thousand on.
func number(r *big.Rat, places int) string {
	whole, decimals, fraction := strings.Cut(r.FloatString(places), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	if len(whole) > 4 {
		var b strings.Builder
		for i, c := range whole {
			if i > 0 && (len(whole)-i)%3 == 0 {
				b.WriteByte(',')
			}
			b.WriteRune(c)
		}
		whole = b.String()
	}
	if fraction {
		whole += "." + decimals
	}
	return sign + whole
}

// in is a value in the unit of a display.
func (v value) in(d display) *big.Rat { return new(big.Rat).Quo(v.rat, d.factor) }

// print is a value in one way, with so many decimals.
func (v value) print(d display, places int) string {
	n := number(v.in(d), places)
	unit := d.unit
	if n == "1" && d.scale == "" && (len(unit) > 3 || unit == "") {
		unit = singular(unit)
	}
	if r, k := utf8.DecodeRuneInString(unit); k > 0 && k == len(unit) && strings.ContainsRune("$€£¥₹", r) {
		n, unit = unit+n, ""
	}
	for _, part := range []string{d.scale, unit} {
		if part != "" {
			n += " " + part
		}
	}
	if v.perName != "" {
		n += " per " + v.perName
	}
	return n
}

// terminates is with how many decimals a number is exact, -1 if with none that are printed.
func terminates(r *big.Rat) int {
	scaled := new(big.Rat).Set(r)
	ten := big.NewRat(10, 1)
	for n := 0; n <= maxPlaces; n++ {
		if scaled.IsInt() {
			return n
		}
		scaled.Mul(scaled, ten)
	}
	return -1
}

// places is how many decimals a value has where nobody says: all of them where they are few, else so many that two digits
// say something.
func (v value) places() int {
	r := v.in(v.shown[0])
	keep := maxPlaces
	if v.divided {
		switch keep = 2; v.shown[0].unit {
		case "percent", "percentage points":
			keep = 1
		}
	}
	if n := terminates(r); n >= 0 && n <= keep {
		return n
	}
	small := new(big.Rat).Abs(r)
	for least := big.NewRat(1, 1); keep < maxPlaces; keep++ {
		least.SetFrac64(10, pow10(keep))
		if small.Cmp(least) >= 0 {
			break
		}
	}
	return keep
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// printable says why a value is no result, nil if it is one.
func (v value) printable() error {
	switch {
	case v.rat.Sign() < 0:
		return &Error{Kind: Undefined, Message: "the result is below zero, " + v.print(v.shown[0], v.places()) +
			": turn the figures round, and let the sentence say which way it goes"}
	case v.in(v.shown[0]).Cmp(big.NewRat(1e15, 1)) >= 0:
		return &Error{Kind: Undefined, Message: "the result is too large to be printed"}
	}
	return nil
}
