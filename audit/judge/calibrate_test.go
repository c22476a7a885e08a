package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"ibid/evidence"
)

// marks are what a judge with an error of its own says of n pairs: supported ones score higher, by a margin that differs.
func marks(r *rand.Rand, n int, margin float64) (list []Mark) {
	for range n {
		m := Mark{Supported: r.IntN(2) == 0}
		score := 50 + r.NormFloat64()*20
		if m.Supported {
			score += margin
		} else {
			score -= margin
		}
		m.Ruling = evidence.Ruling{Verdict: evidence.NotEnough, Score: int(min(max(score, 0), 100))}
		switch {
		case m.Ruling.Score > 50:
			m.Ruling.Verdict = evidence.Supported
		case m.Ruling.Score < 10:
			m.Ruling.Verdict = evidence.Contradicted
		}
		if r.IntN(200) == 0 {
			m.Ruling = evidence.Ruling{}
		}
		list = append(list, m)
	}
	return list
}

// The threshold refuses no more of the supported pairs than it may, and the next one would; on pairs that it was not
// chosen on it does about the same.
func TestThreshold(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		margin := r.Float64() * 40
		n := 10 + r.IntN(3000)
		chosen, other := marks(r, n, margin), marks(r, 4000, margin)
		for _, most := range []float64{0, 0.01, 0.02, 0.1, 0.5, 1} {
			at, reached := Threshold(chosen, most)
			c := Tally(chosen, at)
			if !reached {
				if got := Tally(chosen, 0); got.Supported > 0 && got.FalseAlarmRate() <= most {
					t.Errorf("%d: %v is reached at 0: %+v", seed, most, got)
				}
				continue
			}
			if at < 0 || at > 100 || c.FalseAlarmRate() > most {
				t.Errorf("%d: %v at %d: %+v", seed, most, at, c)
			}
			if higher := Tally(chosen, at+1); most < 1 && higher.FalseAlarmRate() <= most {
				t.Errorf("%d: %v would hold above %d too: %+v", seed, most, at, higher)
			}
			far := Tally(other, at).FalseAlarmRate()
			if spread := 4 * math.Sqrt((most+0.01)/float64(max(c.Supported, 1))); c.Supported > 100 && far > most+spread {
				t.Errorf("%d: %v was asked, %v on %d others, chosen on %d", seed, most, far, 4000, c.Supported)
			}
		}
	}
}

// A judge that contradicts what is supported cannot be calibrated away, and one pair of a kind is no division by zero.
func TestThresholdIsNotReached(t *testing.T) {
	no := Mark{Supported: true, Ruling: evidence.Ruling{Verdict: evidence.Contradicted, Score: 50}}
	yes := Mark{Supported: true, Ruling: evidence.Ruling{Verdict: evidence.Supported, Score: 60}}
	if _, reached := Threshold([]Mark{no, yes}, 0.49); reached {
		t.Error("half are refused at any threshold")
	}
	if at, reached := Threshold([]Mark{no, yes}, 0.5); !reached || at != 60 {
		t.Errorf("%d, %v", at, reached)
	}
	for _, list := range [][]Mark{nil, {{Supported: false}}} {
		if at, reached := Threshold(list, 0.02); reached || at != 0 {
			t.Errorf("%d, %v without a supported pair", at, reached)
		}
		if c := Tally(list, 50); c.FalseAlarmRate() != 0 || math.IsNaN(c.Recall()) {
			t.Errorf("%+v", c)
		}
	}
}
