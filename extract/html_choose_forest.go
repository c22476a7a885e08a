package extract

import (
	"math"
	"sync"
)

// A model is what was learned of pages: their types, and two guesses at each block.
type model struct {
	types         [typeCount]forest
	first, second forest
}

// A forest are decision trees whose values add up to the logarithm of the odds, in units of 1/oddsUnit.
type forest struct {
	base  int32
	trees []int32 // the root of each: a fork, or a leaf as in fork
	forks []fork
}

// A fork parts rows by whether a feature is at most at. Where it leads is a fork, or the complement of a leaf's value
// raised by leafBase.
type fork struct {
	feature     uint16
	at          uint8
	left, right int32
}

const (
	oddsUnit = 1024
	leafBase = 1 << 14
)

// learned is the model of html_weights.go.
var learned = sync.OnceValue(func() *model { return readModel(weights[:]) })

// readModel reads a table of weights: for each forest, the eight types first, its base and its number of trees, and
// each tree from its root on, a fork as its feature and where it parts, and its two sides, a leaf as its value less
// leafBase, which is below zero.
func readModel(table []int16) *model {
	m := &model{}
	for i := range m.types {
		table = m.types[i].read(table)
	}
	table = m.first.read(table)
	m.second.read(table)
	return m
}

// read reads a forest and returns the rest of the table.
func (f *forest) read(table []int16) []int16 {
	f.base = int32(table[0])
	trees := int(table[1])
	table = table[2:]
	for range trees {
		var root int32
		root, table = f.readTree(table)
		f.trees = append(f.trees, root)
	}
	return table
}

func (f *forest) readTree(table []int16) (int32, []int16) {
	if table[0] < 0 {
		return ^(int32(table[0]) + 2*leafBase), table[1:]
	}
	k := len(f.forks)
	f.forks = append(f.forks, fork{feature: uint16(table[0]), at: uint8(table[1])})
	left, table := f.readTree(table[2:])
	right, table := f.readTree(table)
	f.forks[k].left, f.forks[k].right = left, right
	return int32(k), table
}

// odds is the logarithm of the odds that the forest gives a row.
func (f *forest) odds(r row) float64 {
	sum := f.base
	for _, k := range f.trees {
		for k >= 0 {
			if n := &f.forks[k]; r[n.feature] <= n.at {
				k = n.left
			} else {
				k = n.right
			}
		}
		sum += ^k - leafBase
	}
	return float64(sum) / oddsUnit
}

func logistic(x float64) float32 { return float32(1 / (1 + math.Exp(-x))) }

// typesOf gives the parts of 200 that speak for each type of page.
func (m *model) typesOf(r row) (parts [typeCount]uint8) {
	var chance [typeCount]float32
	all := float32(0)
	for i := range chance {
		chance[i] = logistic(m.types[i].odds(r))
		all += chance[i]
	}
	for i := range chance {
		parts[i] = uint8(200 * chance[i] / all)
	}
	return parts
}
