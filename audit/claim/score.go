package claim

// weights say how bad a verdict of each code is, from 0 to 1, where it blocks. A flag counts a third.
var weights = map[Code]float64{
	NumberConflict: 0.9, NumberAbsent: 0.8, NumberRole: 0.8, UnitConflict: 0.95, UnitAbsent: 0.3, BoundFlip: 0.8, DerivedWrong: 0.8, Derived: 0.2, OrdinalDiffers: 0.85, Statistic: 0.8,
	DateConflict: 0.9, DateAbsent: 0.5, DateRole: 0.85, NegationAdded: 0.9, NegationLost: 0.8, Antonym: 0.8, Direction: 0.85, Quantifier: 0.8, Exclusivity: 0.9, Scope: 0.4,
	Superlative: 0.4, HedgeLost: 0.5, ConditionLost: 0.4, Causal: 0.6, Attribution: 0.5, NameAbsent: 0.5, NameConflict: 0.6, KindConflict: 0.8, Unsupported: 0.5, ContextCut: 0.7, OtherVoice: 0.3, Injected: 0.5,
	WordAdded: 0.3, WordReplaced: 0.3, Evaluation: 0.45, WordDropped: 0.3,
}

// Score says how bad the verdicts are together, from 0 (none) to 1: it grows with each, and a claim with a block is
// always worse than one without.
func Score(vs []Verdict) float64 {
	rest, flags := 1.0, 1.0
	blocked := false
	for _, v := range vs {
		if v.Severity == Block {
			rest *= 1 - weights[v.Code]
			blocked = true
		} else {
			flags *= 1 - weights[v.Code]/3
		}
	}
	if !blocked {
		return (1 - flags) / 2
	}
	return 0.5 + (1-rest*flags)/2
}
