package extract

import (
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
)

// A root is an element that is furniture by its class or id, and what it turned out to hold.
type root struct {
	kind    chromeKind
	letters int
	linked  float64
	title   bool // holds an h1
}

func (r *root) count(letters int, linkShare float64, level int) {
	r.letters += letters
	r.linked += float64(letters) * linkShare
	r.title = r.title || level == 1
}

// classify marks the main content and what of it can be quoted. It only ever sets flags on blocks.
func classify(page *Page, marks []mark, roots []root, _ []*html.Node) {
	judgeRoots(marks, roots)
	total, inMain, aside, byArticle := 0, 0, 0, map[int]int{}
	for _, m := range marks {
		if m.chrome || m.root > 0 {
			continue
		}
		total += m.letters
		if m.main {
			inMain += m.letters
		}
		if m.aside {
			aside += m.letters
		}
		byArticle[m.article] += m.letters
	}
	article := 0
	for i := range marks { // in document order, so that ties fall the same way
		if a := marks[i].article; a > 0 && byArticle[a]*2 > total {
			article = a
		}
	}
	useMain := inMain >= 200 || inMain*5 > total*2
	for i := range page.Blocks {
		b, m := &page.Blocks[i], marks[i]
		switch {
		case m.chrome || m.root > 0:
		case m.aside && aside*2 < total: // a page that is all aria-hidden waits for its script: then the mark says nothing
		case useMain:
			b.Main = m.main
		case article > 0:
			b.Main = m.article == article
		default:
			b.Main = true
		}
		b.Quotable = b.Main && (b.LinkText <= 0.5 || b.Role == evidence.RoleRow && m.cells > 1)
	}
	if isHub(page) {
		page.flag(FlagHub)
		for i := range page.Blocks {
			page.Blocks[i].Quotable = false
		}
	}
}

// judgeRoots clears those furniture names that the page contradicts: an element that holds most of the text, or the
// title, or running text where links were to be expected; and comments where there is next to nothing that they could
// be comments on, as in a forum.
func judgeRoots(marks []mark, roots []root) {
	total, outside := 0, 0
	for _, m := range marks {
		if !m.chrome {
			total += m.letters
		}
		if !m.chrome && m.root == 0 {
			outside += m.letters
		}
	}
	said := 0
	for _, r := range roots {
		if r.kind == comments {
			said += r.letters
		}
	}
	forum := outside < 600 || outside*5 < said
	for i := range marks {
		m := &marks[i]
		if m.root == 0 {
			continue
		}
		r := roots[m.root-1]
		share := r.linked / float64(max(r.letters, 1))
		switch {
		case r.kind == comments && forum,
			r.kind != comments && (r.letters*2 > total || r.title && r.letters*5 > total),
			r.kind == linkList && share < 0.3:
			m.root = 0
		}
	}
}

// isHub reports whether a page is there for its links: five or more, most of its main text is link text, and nothing
// else in it is a statement.
func isHub(page *Page) bool {
	letters, linked := 0.0, 0.0
	for _, b := range page.Blocks {
		if !b.Main || b.Role == evidence.RoleHeading {
			continue
		}
		if b.Quotable && (b.Role == evidence.RoleRow || b.Role == evidence.RoleCode || len(strings.Fields(b.Text)) >= 10 || len(b.Text) > 80) {
			return false
		}
		n := float64(len(b.Text))
		letters += n
		linked += n * b.LinkText
	}
	return len(page.Links) >= 5 && linked*2 > letters
}
