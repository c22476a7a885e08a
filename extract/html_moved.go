package extract

import (
	"sort"

	"golang.org/x/net/html"
)

// Some text is shown elsewhere than it stands: what is written between the rows of a table comes before the table (HTML,
// 13.2.6.1, foster parenting). Then what a reader sees as one line may have text of others between its parts, and no one
// range of the page holds the line and nothing else: it becomes several blocks.

// follow notes where in the tree each token is, if that is not their order in the page.
func (s *source) follow() {
	moved := false
	for i := 1; i < len(s.pieces) && !moved; i++ {
		moved = s.pieces[i].token < s.pieces[i-1].token
	}
	if !moved {
		return
	}
	s.order = make([]int32, len(s.tokens))
	for i := range s.order {
		s.order[i] = -1
	}
	for i, p := range s.pieces {
		s.order[p.token] = int32(i)
	}
}

// tokenAt is the token that byte raw of the page is of.
func (s *source) tokenAt(raw int) int {
	return sort.Search(len(s.tokens), func(i int) bool { return int(s.tokens[i].start) > raw }) - 1
}

// joined reports whether the page has nothing between two tokens but what the tree has between them, too.
func (s *source) joined(a, b int) bool {
	if b < a {
		return false
	}
	for _, at := range s.order[a:b] {
		if at >= 0 && (at < s.order[a] || at > s.order[b]) {
			return false
		}
	}
	return true
}

// unbroken divides a part of the line where the page has other text in between.
func (w *walker) unbroken(r span) []span {
	list := []span{r}
	if w.src == nil || w.src.order == nil {
		return list
	}
	last := -1
	for i := range w.cur.from {
		at, raw, _ := w.cur.origin(i)
		if raw < 0 || at >= r.end || i+1 < len(w.cur.from) && int(w.cur.from[i+1].at) <= r.start {
			continue
		}
		token := w.src.tokenAt(raw)
		if last >= 0 && !w.src.joined(last, token) {
			list[len(list)-1].end = at
			list = append(list, span{at, r.end})
		}
		last = token
	}
	if len(list) > 1 {
		for i := range list {
			list[i] = trimmed(string(w.cur.b), list[i])
		}
	}
	return list
}

// isScattered reports whether the page has other text between the parts of a table's row.
func (s *source) isScattered(row *html.Node) bool {
	if s == nil || s.order == nil {
		return false
	}
	first, last := len(s.tokens), -1
	for n := range row.Descendants() {
		for _, p := range s.piecesOf(n) {
			first, last = min(first, int(p.token)), max(last, int(p.token))
		}
	}
	return first < last && !s.joined(first, last)
}
