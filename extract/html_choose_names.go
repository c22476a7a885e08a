package extract

import "golang.org/x/net/html"

// tags are kinds of elements, one bit each.
type tags uint32

const (
	withinFigure tags = 1 << iota
	withinList
	withinTable
	withinForm
	withinQuote
	withinSection
	withinHeader
	withinFooter
	withinAside
	withinNav
	withinButton
	withinLink
	withinLabel
	withinDetails
	withinTerms
	withinParagraph
	withinArticle
	withinMain
	withinBody // itemprop articleBody or the like
	tagKinds   = iota
)

var tagBits = map[string]tags{
	"figure": withinFigure, "picture": withinFigure, "ul": withinList, "ol": withinList, "menu": withinList, "table": withinTable, "form": withinForm, "fieldset": withinForm,
	"blockquote": withinQuote, "section": withinSection, "header": withinHeader, "footer": withinFooter, "aside": withinAside, "nav": withinNav, "button": withinButton,
	"a": withinLink, "label": withinLabel, "details": withinDetails, "dl": withinTerms, "p": withinParagraph, "article": withinArticle, "main": withinMain,
}

// tagNumbers order the elements whose text is a block, and those that hold a series of them.
var tagNumbers = map[string]uint8{"p": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 6, "h6": 7, "li": 8, "dd": 9, "dt": 10, "tr": 11, "td": 12, "th": 13, "pre": 14,
	"blockquote": 15, "figcaption": 16, "section": 17, "article": 18, "div": 19, "span": 20, "a": 21, "label": 22, "summary": 23, "button": 24, "legend": 25,
	"ul": tagSeries, "ol": tagSeries + 1, "dl": tagSeries + 2, "table": tagSeries + 3}

// tagSeries is the number of the first element that holds a series of blocks.
const tagSeries = 26

// topics reads the names of an element and returns its class.
func (f *boxFinder) topics(n *html.Node, b *box) (class string) {
	for _, a := range n.Attr {
		switch a.Key {
		case "class", "id", "role", "itemprop", "data-testid", "data-component", "aria-label":
			b.names |= f.topicsOf(a.Val)
		}
		switch {
		case a.Key == "class":
			class = a.Val
		case a.Key == "role" && a.Val == "main":
			b.tags |= withinMain
		case a.Key == "role" && a.Val == "article":
			b.tags |= withinArticle
		case a.Key == "itemprop" && (a.Val == "articleBody" || a.Val == "text" || a.Val == "description" || a.Val == "reviewBody"):
			b.tags |= withinBody
		}
	}
	return class
}

func (f *boxFinder) topicsOf(names string) topics {
	t, ok := f.named[names]
	if !ok {
		for _, word := range words(names) {
			t |= nameTopic(word)
		}
		f.named[names] = t
	}
	return t
}
