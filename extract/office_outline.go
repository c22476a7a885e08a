package extract

import (
	"ibid/evidence"
)

// An outline numbers the blocks of a document as they come, keeps the headings above them, and ends at the limits.
type outline struct {
	page     *Page
	at       func(n int) evidence.Locator // of the n-th block
	n        int
	headings [7]string
	shown    int
	full     bool
}

// paragraphs numbers blocks as para.N.
func newOutline(page *Page) *outline {
	return &outline{page: page, at: func(n int) evidence.Locator { return evidence.Locator{Unit: evidence.Para, A: n} }}
}

// add appends a block; a heading's Level says where it stands among the headings.
func (o *outline) add(b Block) {
	if o.full || !visible(b.Text) {
		return
	}
	if o.shown+len(b.Text) > maxShown || len(o.page.Blocks) >= maxShownBlocks {
		o.full = true
		o.page.flag(FlagTruncated)
		return
	}
	level := 7
	if b.Role == evidence.RoleHeading {
		b.Level = min(max(b.Level, 1), 6)
		level = b.Level
	}
	for i := level - 1; i > 0 && b.Heading == ""; i-- {
		b.Heading = o.headings[i]
	}
	if level < 7 {
		o.headings[level] = oneLine(b.Text, 300)
		clear(o.headings[level+1:])
	}
	o.n++
	o.shown += len(b.Text) + len(b.Columns)
	b.Locator = o.at(o.n)
	o.page.Blocks = append(o.page.Blocks, b)
}
