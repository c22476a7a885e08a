package catalog

import (
	"math"
	"math/big"

	"ibid/llm"
)

// A Price is what a model costs, in dollars per million tokens, which is millionths of a dollar per token. It is kept with
// the run that was charged by it.
type Price struct {
	Model      string  `json:"model"` // provider/model, as the table has it
	Input      float64 `json:"input"`
	CacheRead  float64 `json:"cache_read,omitempty"`  // 0: as Input
	CacheWrite float64 `json:"cache_write,omitempty"` // 0: as Input
	Output     float64 `json:"output"`
	Window     int64   `json:"window,omitempty"`     // tokens of input and output that fit together; 0: not established
	MaxOutput  int64   `json:"max_output,omitempty"` // tokens of the longest answer; 0: not established

	// With more than LongAbove tokens of input, cached or not, all input of the request costs LongInput times as much and
	// its output LongOutput times. 0: no surcharge.
	LongAbove  int64   `json:"long_above,omitempty"`
	LongInput  float64 `json:"long_input,omitempty"`
	LongOutput float64 `json:"long_output,omitempty"`

	Source string `json:"source"`
	Date   string `json:"date,omitempty"` // YYYY-MM-DD
}

// MicroUSD is the cost of one request in millionths of a dollar, rounded up. It is exact for figures of up to nine decimal
// places and never overflows: what is too much is the largest int64. Whether the usage is Known is for the caller to
// look at.
func (p Price) MicroUSD(u llm.Usage) int64 {
	read, write := p.CacheRead, p.CacheWrite
	if read == 0 {
		read = p.Input
	}
	if write == 0 {
		write = p.Input
	}
	in, out := 1.0, 1.0
	if p.LongAbove > 0 && exceeds(p.LongAbove, u.In, u.CacheRead, u.CacheWrite) {
		in, out = max(1, p.LongInput), max(1, p.LongOutput)
	}
	sum := new(big.Int)
	for _, part := range []struct {
		tokens       int64
		rate, factor float64
	}{{u.In, p.Input, in}, {u.CacheRead, read, in}, {u.CacheWrite, write, in}, {u.Out, p.Output, out}} {
		cost := big.NewInt(max(part.tokens, 0))
		sum.Add(sum, cost.Mul(cost, nano(part.rate)).Mul(cost, nano(part.factor)))
	}
	return ceil(sum, 1e18)
}

// exceeds says whether the counts are more than limit together.
func exceeds(limit int64, counts ...int64) bool {
	left := limit
	for _, n := range counts {
		if max(n, 0) > left {
			return true
		}
		left -= max(n, 0)
	}
	return false
}

// nano is the whole number of billionths that f was written as: 0.1 is 100,000,000 and nothing more. What is no figure
// counts as nothing; Load refuses such tables.
func nano(f float64) *big.Int {
	f = math.Round(f * 1e9)
	if !(f > 0) || math.IsInf(f, 1) {
		return new(big.Int)
	}
	n, _ := big.NewFloat(f).Int(nil)
	return n
}

// ceil is n / unit, rounded up, at most the largest int64.
func ceil(n *big.Int, unit int64) int64 {
	q, r := new(big.Int).QuoRem(n, big.NewInt(unit), new(big.Int))
	if r.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() {
		return math.MaxInt64
	}
	return q.Int64()
}

// A SearchPrice is what one search costs at a provider of searches.
type SearchPrice struct {
	Provider string `json:"provider"`
	MicroUSD int64  `json:"micro_usd"` // 0: free
	Source   string `json:"source"`
	Date     string `json:"date,omitempty"` // YYYY-MM-DD
}
