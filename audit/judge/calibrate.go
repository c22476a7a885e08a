package judge

import (
	"slices"

	"ibid/evidence"
)

// A Mark is what a judge said of a pair whose label is known.
type Mark struct {
	Supported bool // by its label
	Ruling    evidence.Ruling
}

// strength is the highest threshold at which a ruling clears, -1 if it clears at none.
func strength(r evidence.Ruling) int {
	if r.Threshold = 0; !r.Clears() {
		return -1
	}
	return r.Score
}

// Refused reports whether a threshold refuses a pair.
func (m Mark) Refused(threshold int) bool { return strength(m.Ruling) < threshold }

// Threshold finds the highest threshold at which at most this share of the supported pairs is refused: the one that refuses
// most of the others. reached is false where there is none, since the judge contradicts more of them than that, or gives
// no verdict.
func Threshold(marks []Mark, most float64) (threshold int, reached bool) {
	var good []int
	for _, m := range marks {
		if m.Supported {
			good = append(good, strength(m.Ruling))
		}
	}
	if len(good) == 0 {
		return 0, false
	}
	slices.Sort(good)
	may := min(int(most*float64(len(good))), len(good)-1)
	return max(good[may], 0), good[may] >= 0
}

// A Count says how a threshold does on some pairs.
type Count struct {
	Supported   int `json:"supported"`
	FalseAlarms int `json:"false_alarms"` // supported and refused
	Unsupported int `json:"unsupported"`
	Refused     int `json:"refused"` // of these
	NoVerdict   int `json:"no_verdict"`
}

// Tally counts what a threshold does.
func Tally(marks []Mark, threshold int) (c Count) {
	for _, m := range marks {
		refused := 0
		if m.Refused(threshold) {
			refused = 1
		}
		if m.Supported {
			c.Supported++
			c.FalseAlarms += refused
		} else {
			c.Unsupported++
			c.Refused += refused
		}
		if m.Ruling.Verdict == "" {
			c.NoVerdict++
		}
	}
	return c
}

// FalseAlarmRate is the share of the supported pairs that is refused, 0 where there are none.
func (c Count) FalseAlarmRate() float64 { return share(c.FalseAlarms, c.Supported) }

// Recall is the share of the unsupported pairs that is refused, 0 where there are none.
func (c Count) Recall() float64 { return share(c.Refused, c.Unsupported) }

func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}
