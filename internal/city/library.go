package city

import (
	"fmt"
	"math"
	"net/url"
	"sort"
	"strings"
	"unicode"
)

// A document is what searches find.
type document struct {
	url, title, text string
	n                int // its number, from 1
}

// slug is the document's title as wikis write it in URLs.
func (d document) slug() string { return strings.ReplaceAll(d.title, " ", "_") }

// doi is in a prefix that is kept for examples.
func (d document) doi() string { return fmt.Sprintf("10.5555/city.%d", d.n) }

// arxiv is the document's number as the preprint server gives them.
func (d document) arxiv() string { return fmt.Sprintf("2510.%05d", d.n) }

// A library finds documents by the words they share with a query, rare words first. It is much simpler than any real
// engine, and always answers the same.
type library struct {
	docs   []document
	words  []map[string]int
	rarity map[string]float64
	pinned []Result
}

func newLibrary(docs []document, pinned []Result) library {
	l := library{docs: docs, rarity: map[string]float64{}, pinned: pinned}
	for i := range l.docs {
		l.docs[i].n = i + 1
		words := map[string]int{}
		for _, w := range wordsOf(l.docs[i].text) {
			words[w]++
		}
		for _, w := range wordsOf(l.docs[i].title) {
			words[w] += 3
		}
		l.words = append(l.words, words)
		for w := range words {
			l.rarity[w]++
		}
	}
	for w, n := range l.rarity {
		l.rarity[w] = math.Log(1 + float64(len(docs))/n)
	}
	return l
}

// wordsOf are the words of a text in lower case, without the commonest endings and the shortest words.
func wordsOf(s string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for _, end := range []string{"ing", "es", "s"} {
			if len(w) > len(end)+3 && strings.HasSuffix(w, end) {
				w = strings.TrimSuffix(w, end)
				break
			}
		}
		if len(w) > 2 && !strings.Contains(" the and for what that with from are how why does which ", " "+w+" ") {
			list = append(list, w)
		}
	}
	return list
}

// find returns at most n documents, best first, then by number.
func (l *library) find(query string, n int) []document {
	type scored struct {
		doc   document
		score float64
	}
	var all []scored
	for i, d := range l.docs {
		s := 0.0
		for _, w := range wordsOf(query) {
			if k := l.words[i][w]; k > 0 {
				s += l.rarity[w] * (1 + math.Log(float64(k)))
			}
		}
		if s > 0 {
			all = append(all, scored{d, s})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].score > all[j].score })
	list := []document{}
	for _, s := range all[:min(max(n, 0), len(all))] {
		list = append(list, s.doc)
	}
	return list
}

// results are what a web search lists: the pinned ones, then what was found.
func (l *library) results(query string, n int) []Result {
	list := append([]Result{}, l.pinned...)
	for _, d := range l.find(query, n) {
		list = append(list, Result{Title: d.title, URL: d.url, Snippet: snippet(d.text, query)})
	}
	return list[:min(max(n, 0), len(list))]
}

// snippet is the sentence of a text that shares most words with a query.
func snippet(text, query string) string {
	asked := map[string]bool{}
	for _, w := range wordsOf(query) {
		asked[w] = true
	}
	best, most := "", -1
	for _, s := range strings.FieldsFunc(strings.ReplaceAll(text, ". ", ".\n"), func(r rune) bool { return r == '\n' }) {
		if len(strings.Fields(s)) < 4 {
			continue // a heading, or code
		}
		n := 0
		for _, w := range wordsOf(s) {
			if asked[w] {
				n++
			}
		}
		if n > most {
			best, most = strings.Join(strings.Fields(s), " "), n
		}
	}
	if r := []rune(best); len(r) > 220 {
		best = string(r[:220]) + " ..."
	}
	return best
}

// byNumber returns a document by its number.
func (l *library) byNumber(n int) (document, bool) {
	if n < 1 || n > len(l.docs) {
		return document{}, false
	}
	return l.docs[n-1], true
}

// siteOf is the host of a URL.
func siteOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
