package extract

import (
	"cmp"
	"slices"
	"strings"
)

// label says how much of each block the gold text holds, 0…1. Each word of the gold text is given to one place on the
// page: first the longest common runs of words, wherever they stand; then, between two runs that are in order, what is
// in both gaps. For phrases only (html-segments) the blocks that no phrase speaks of are -1.
func label(g *goldPage, blocks []Block) []float64 {
	if g.Set == "html-segments" {
		return labelPhrases(g, blocks)
	}
	var page []string
	var block []int
	y, size := make([]float64, len(blocks)), make([]float64, len(blocks))
	for i, b := range blocks {
		for _, w := range terms(b.Text) {
			page, block = append(page, w), append(block, i)
			size[i]++
		}
	}
	for _, at := range align(page, terms(g.Text)) {
		if at >= 0 {
			y[block[at]]++
		}
	}
	for i := range y {
		y[i] /= max(size[i], 1)
	}
	return y
}

func labelPhrases(g *goldPage, blocks []Block) []float64 {
	y := make([]float64, len(blocks))
	for i, b := range blocks {
		text := squeeze(b.Text)
		has := func(list []string) bool {
			return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(text, squeeze(s)) })
		}
		switch {
		case has(g.With):
			y[i] = 1
		case has(g.Without):
			y[i] = 0
		default:
			y[i] = -1
		}
	}
	return y
}

// A run is a common run of words of page and gold.
type run struct{ page, gold, n int }

// align gives each gold word the word of the page that it is, or -1.
func align(page, gold []string) []int {
	at, taken := make([]int, len(gold)), make([]bool, len(page))
	for i := range at {
		at[i] = -1
	}
	claim := func(r run) {
		for k := range r.n {
			if at[r.gold+k] < 0 && !taken[r.page+k] {
				at[r.gold+k], taken[r.page+k] = r.page+k, true
			}
		}
	}
	for {
		runs := commonRuns(page, gold, at, taken)
		if len(runs) == 0 {
			break
		}
		for _, r := range runs {
			claim(r)
		}
	}
	fillGaps(page, gold, at, taken)
	return at
}

// commonRuns are the maximal runs of four or more words that are free on both sides, the longest first; of equal ones
// the one that is nearer to where the gold text was last found.
func commonRuns(page, gold []string, at []int, taken []bool) []run {
	const n = 4
	where := map[[n]string][]int{}
	for i := 0; i+n <= len(gold); i++ {
		if k := [n]string(gold[i : i+n]); at[i] < 0 && len(where[k]) < 20 {
			where[k] = append(where[k], i)
		}
	}
	var runs []run
	end := map[int]int{} // by diagonal, where the last run ends
	for i := 0; i+n <= len(page); i++ {
		for _, j := range where[[n]string(page[i:i+n])] {
			if i < end[i-j] {
				continue
			}
			k := 0
			for i+k < len(page) && j+k < len(gold) && page[i+k] == gold[j+k] && !taken[i+k] && at[j+k] < 0 {
				k++
			}
			end[i-j] = i + max(k, 1)
			if k >= n {
				runs = append(runs, run{i, j, k})
			}
		}
	}
	expected := expect(at)
	slices.SortStableFunc(runs, func(a, b run) int {
		return cmp.Or(b.n-a.n, abs(a.page-expected[a.gold])-abs(b.page-expected[b.gold]))
	})
	// Only runs that no longer one overlaps: what is left of those is looked for again.
	var first []run
	usedGold, usedPage := make([]bool, len(gold)), make([]bool, len(page))
	for _, r := range runs {
		if slices.Contains(usedGold[r.gold:r.gold+r.n], true) || slices.Contains(usedPage[r.page:r.page+r.n], true) {
			continue
		}
		if len(first) > 0 && r.n*4 < first[0].n && r.n < 12 {
			break // once the long runs are in place, it is known where the short ones are expected
		}
		for k := range r.n {
			usedGold[r.gold+k], usedPage[r.page+k] = true, true
		}
		first = append(first, r)
	}
	return first
}

// expect is where each gold word would stand if it followed the one before it.
func expect(at []int) []int {
	e, last := make([]int, len(at)), -1
	for i, a := range at {
		if a >= 0 {
			last = a
		} else if last >= 0 {
			last++
		}
		e[i] = last
	}
	next := 0
	for i := len(e) - 1; i >= 0; i-- { // before the first one found
		if at[i] >= 0 {
			next = at[i]
		} else if e[i] < 0 {
			next--
			e[i] = next
		}
	}
	return e
}

func abs(n int) int { return max(n, -n) }

// fillGaps claims what stands in the same gap between two aligned neighbours on both sides.
func fillGaps(page, gold []string, at []int, taken []bool) {
	const most = 400 // words of a gap
	for i := 0; i < len(gold); {
		if at[i] >= 0 {
			i++
			continue
		}
		j := i
		for j < len(gold) && at[j] < 0 {
			j++
		}
		from, to := 0, len(page)
		if i > 0 {
			from = at[i-1] + 1
		}
		if j < len(gold) {
			to = at[j]
		}
		if i == 0 {
			from = max(from, to-60)
		}
		if j == len(gold) {
			to = min(to, from+60)
		}
		if from < to && to-from <= most && j-i <= most {
			for _, p := range common(page[from:to], gold[i:j], taken[from:to]) {
				at[i+p[1]], taken[from+p[0]] = from+p[0], true
			}
		}
		i = j
	}
}

// common is a longest common subsequence of two short lists, as pairs of places.
func common(a, b []string, taken []bool) [][2]int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if best[i][j] = max(best[i+1][j], best[i][j+1]); a[i] == b[j] && !taken[i] {
				best[i][j] = max(best[i][j], best[i+1][j+1]+1)
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j] && !taken[i] && best[i][j] == best[i+1][j+1]+1:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[i+1][j] >= best[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
