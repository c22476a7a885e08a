package evidence

// A Locator says where in a source a span stands, in words that a person can walk to. It is comparable and may be a map key.
//
//	para.7              Unit Para, A=7
//	p.2  p.2.3          Unit Page, A=2 (B=3: paragraph of the page)
//	t=00:16  t=1:02:03  Unit Time, A=seconds
//	budget.py:L10-L24   Unit Lines, Path, A=10 B=24
//	sheet.Q3!A1:D9      Unit Cells, Path="Q3!A1:D9"
type Locator struct {
	Unit Unit
	A, B int
	Path string
}

// Unit is what a locator counts.
type Unit uint8

const (
	NoUnit Unit = iota
	Para
	Page
	Time
	Lines
	Cells
)

// MatchKind is how a quote was found.
type MatchKind string

const (
	MatchNone       MatchKind = "none"
	MatchExact      MatchKind = "exact"      // the same bytes
	MatchNormalised MatchKind = "normalised" // the same words in another typography
	MatchLoose      MatchKind = "loose"      // transcripts only: the same words, punctuation and case aside
)
