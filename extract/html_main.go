package extract

import (
	"slices"
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

// classify marks the main content and what of it can be quoted, and tells the type of the page where it is plain. It
// only ever sets flags on blocks, and roles: in a forum, what people said is no comment but the page's text.
func classify(page *Page, pageURL string, marks []mark, roots []root, nodes []*html.Node) {
	classifyBy(learned(), page, pageURL, marks, roots, nodes)
}

func classifyBy(m *model, page *Page, pageURL string, marks []mark, roots []root, nodes []*html.Node) {
	forum := judgeRoots(marks, roots)
	main := byRules(page, marks)
	if hasWords(page, marks, fewWords) {
		s := newScene(page, pageURL, marks, nodes, main)
		main = s.choose(m)
		page.Type, forum = s.pageType()
	}
	for i := range page.Blocks {
		b := &page.Blocks[i]
		b.Main = main[i]
		if b.Role == evidence.RoleComment {
			if b.Main = b.Main && forum; b.Main {
				b.Role = roleAt(nodes[i])
			}
		}
		b.Quotable = b.Main && (b.LinkText <= 0.5 || b.Role == evidence.RoleRow && marks[i].cells > 1)
	}
	if isHub(page) {
		page.flag(FlagHub)
		for i := range page.Blocks {
			page.Blocks[i].Quotable = false
		}
	}
}

// fewWords is how many words a page must show outside of its furniture for the learned choice: on a page of a few
// paragraphs there is little to compare.
const fewWords = 150

func hasWords(page *Page, marks []mark, n int) bool {
	letters := 0
	for i := range marks {
		if !marks[i].chrome {
			letters += len(page.Blocks[i].Text)
		}
		if letters >= 5*n {
			return true
		}
	}
	return false
}

// roleAt is the role of text in an element where it is not somebody's comment on the page.
func roleAt(n *html.Node) evidence.Role {
	role := evidence.RoleText
	for ; n != nil; n = n.Parent {
		switch n.Data {
		case "blockquote":
			return evidence.RoleQuote
		case "pre":
			return evidence.RoleCode
		case "tr":
			return evidence.RoleRow
		case "h1", "h2", "h3", "h4", "h5", "h6":
			return evidence.RoleHeading
		case "figcaption", "caption":
			return evidence.RoleCaption
		case "article", "section", "main", "body":
			return role
		}
	}
	return role
}

// byRules chooses the main content by simple rules: what is in <main>, or in an <article> that has most of the text, or
// all that is no furniture.
func byRules(page *Page, marks []mark) []bool {
	out := make([]bool, len(marks))
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
		m := marks[i]
		switch {
		case m.chrome || m.root > 0:
		case m.aside && aside*2 < total: // a page that is all aria-hidden waits for its script: then the mark says nothing
		case useMain:
			out[i] = m.main
		case article > 0:
			out[i] = m.article == article
		default:
			out[i] = true
		}
	}
	return out
}

// judgeRoots clears those furniture names that the page contradicts: an element that holds most of the text, or the
// title, or running text where links were to be expected; and comments where there is next to nothing that they could
// be comments on, as in a forum, which it reports.
func judgeRoots(marks []mark, roots []root) (forum bool) {
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
	forum = outside < 600 || outside*5 < said
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
	return forum
}

// isHub reports whether a page is there for its links: five or more, most of its main text is link text (of all its
// text, where nothing is main), and nothing that can be quoted of it is a statement.
func isHub(page *Page) bool {
	some := slices.ContainsFunc(page.Blocks, func(b Block) bool { return b.Main })
	letters, linked := 0.0, 0.0
	for _, b := range page.Blocks {
		if b.Role == evidence.RoleHeading || some && !b.Main {
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
