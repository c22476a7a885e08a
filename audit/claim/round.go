package claim

import "math"

// close reports whether two numbers differ by at most this part of the larger.
func close(a, b, part float64) bool {
	return math.Abs(a-b) <= part*math.Max(math.Abs(a), math.Abs(b))
}

// equal reports whether c states the value of q, rounding and the conversion of units included.
func (c figure) equal(q figure) bool {
	if !c.unit.same(q.unit) && !(c.unit.dim == "" || q.unit.dim == "" || c.part || q.part) {
		return false
	}
	converted := c.unit.dim != "" && q.unit.dim != "" && c.unit.factor != q.unit.factor
	cv, qv := []float64{c.value, c.alt}, []float64{q.value, q.alt}
	if c.alt == c.value {
		cv = cv[:1]
	}
	if q.alt == q.value {
		qv = qv[:1]
	}
	for _, a := range cv {
		for _, b := range qv {
			x, y, step := a, b, c.step
			if converted || c.part != q.part && (c.unit.dim == "ratio" || q.unit.dim == "ratio") {
				x, y, step = a*factor(c), b*factor(q), c.step*factor(c)
			}
			if close(x, y, 1e-9) || c.rounds(x, y, step, converted) || q.rounds(y, x, q.step*y/nonzero(b), converted) && q.bound == about {
				return true
			}
		}
	}
	return false
}

func nonzero(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}

func factor(f figure) float64 {
	if f.unit.factor == 0 {
		return 1
	}
	return f.unit.factor
}

// rounds reports whether x, which figure c states to a step, may stand for y. Without a word such as "about" only
// decimals, scaled figures (1.8 million) and the last two nought places of large figures may be rounded.
func (c figure) rounds(x, y, step float64, converted bool) bool {
	off := math.Abs(x - y)
	switch {
	case c.bound == about && c.part && c.inWords:
		return off <= 0.08*math.Max(math.Abs(x), math.Abs(y))
	case c.bound == about && c.asExact(x, y, step, converted):
		return off <= step/2*(1+1e-9)
	case c.bound == about || c.part && c.inWords:
		return off <= 0.055*math.Max(math.Abs(x), math.Abs(y)) || off <= step/2*1.0001 && math.Abs(x) >= 10*step
	case converted:
		return off <= 0.02*math.Abs(y) || off <= step/2*1.0001
	case c.part:
		return off <= 0.006
	case c.inWords && !c.scaled:
		return false
	case off > step/2*(1+1e-9):
		return false
	case math.Abs(x) < 10*step && !c.scaled: // one digit says too little
		return false
	}
	fraction := y != math.Trunc(y)
	return fraction && step <= 1 || c.scaled || step >= 100 && math.Abs(x) >= 10*step || step < 1
}

// asExact reports whether x, which figure c states to a step, is stated to as many places as y: "about 569" does not round
// 589, as "about 570" or "about 565" might.
func (c figure) asExact(x, y, step float64, converted bool) bool {
	whole := func(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-6 }
	return !converted && !c.inWords && step > 0 && whole(y/step) && !(whole(x/step/5) && !whole(y/step/5))
}

// satisfied reports whether a bound that the claim states holds of q, and is not looser than a reader expects: down or up
// to the first digit.
func (c figure) satisfied(q figure) bool {
	if c.part || q.part {
		if (c.part || c.unit.dim == "ratio") && (q.part || q.unit.dim == "ratio") {
			x, y := c.value*factor(c), q.value*factor(q)
			return c.bound == atLeast && y >= x || c.bound == atMost && y <= x
		}
		return false
	}
	if !c.unit.same(q.unit) && c.unit.dim != "" && q.unit.dim != "" || c.unit.dim != "" && q.unit.dim == "" && len(q.noun) > 0 {
		return false
	}
	x, y := c.value, q.value
	if c.unit.dim != "" && q.unit.dim != "" {
		x, y = x*factor(c), y*factor(q)
	}
	switch c.bound {
	case atLeast:
		return q.bound != atMost && y >= x && y < 2*x
	case atMost:
		return q.bound != atLeast && y <= x && y > x/2
	}
	return false
}

// broken reports whether q stands, exactly, on the other side of the bound that c states.
func (c figure) broken(q figure) bool {
	if q.bound != exact || c.part || q.part || c.alt != c.value || q.alt != q.value || !c.unit.same(q.unit) || (c.unit.dim == "") != (q.unit.dim == "") {
		return false
	}
	x, y := c.value*factor(c), q.value*factor(q)
	return !close(x, y, 1e-9) && (c.bound == atLeast && y < x || c.bound == atMost && y > x)
}
