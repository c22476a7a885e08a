package extract

import "strings"

// xmlRule is what an element does to the text in it.
type xmlRule uint8

const (
	xmlUnknown xmlRule = iota // begins a block, unless it stands in running text
	xmlSkip
	xmlFormat // how a part of running text looks
	xmlBreak
	xmlLink
	xmlMath
	xmlNoted  // a note
	xmlMark   // a number or a name before what follows
	xmlGone   // struck out in the source, or of no account
	xmlChoice // forms of one thing: the first that can be read counts
	xmlPart   // a section
	xmlTitle
	xmlPara
	xmlLines // verse
	xmlList
	xmlItem
	xmlQuote
	xmlCode
	xmlFigure // a figure or a table with its caption
	xmlTable
	xmlHead
	xmlRow
	xmlCell
	xmlEntry // of a list of references
)

// xmlRules are the elements of JATS (NISO Z39.96) and BITS, TEI P5, DocBook 5, DITA and of patents as their offices
// publish them. Where two of them use a name, they mean nearly the same by it.
var xmlRules = xmlNames(map[xmlRule]string{
	xmlSkip: `journal-meta article-meta processing-meta front-stub object-id contrib-id institution-id custom-meta-group graphic inline-graphic
		media inline-media related-article related-object private-char teiHeader fw pb cb milestone indexterm index-term anchor imageobject script style prolog related-links SDOBI drawings us-chemistry us-math
		us-bibliographic-data-grant us-bibliographic-data-application bibliographic-data us-sequence-list-doc img image`,
	xmlFormat: `italic bold sc roman sans-serif underline overline strike monospace sup sub superscript subscript xref em emph emphasis
		strong i b u s tt hi small big smallcaps o ruby rb`,
	xmlBreak:  "break br lb hr",
	xmlLink:   "ext-link uri self-uri ulink link a ptr",
	xmlMath:   "inline-formula disp-formula math formula equation informalequation inlineequation maths tex-math",
	xmlNoted:  "fn footnote note",
	xmlMark:   "label speaker",
	xmlGone:   "del surplus",
	xmlChoice: "alternatives choice",
	xmlPart: `sec section sect1 sect2 sect3 sect4 sect5 simplesect refsection div div1 div2 div3 div4 div5 div6 div7 chapter part book-part
		appendix preface topic concept task reference ack app abstract trans-abstract glossary ref-list fn-group notes
		bio boxed-text sidebar dedication foreword sub-article response listBibl bibliography`,
	xmlTitle:  "title article-title head heading invention-title subtitle trans-title bridgehead",
	xmlPara:   "p para simpara ab shortdesc claim-text def dd dt l",
	xmlLines:  "lg verse-group linegroup",
	xmlList:   "list itemizedlist orderedlist variablelist simplelist procedure ul ol dl def-list claims steps glosslist",
	xmlItem:   "list-item listitem varlistentry member step li item def-item dlentry claim glossentry",
	xmlQuote:  "disp-quote blockquote quote cit lq epigraph",
	xmlCode:   "code preformat programlisting screen literallayout codeblock eg synopsis pre",
	xmlFigure: `fig fig-group table-wrap table-wrap-group figure informalfigure supplementary-material chem-struct-wrap caption`,
	xmlTable:  "table informaltable",
	xmlHead:   "thead sthead",
	xmlRow:    "tr row strow",
	xmlCell:   "td th entry cell stentry",
	xmlEntry:  "ref biblioentry bibliomixed biblStruct bibl citation nplcit",
})

func xmlNames(words map[xmlRule]string) map[string]xmlRule {
	rules := map[string]xmlRule{}
	for rule, names := range words {
		for name := range set(names) {
			rules[name] = rule
		}
	}
	return rules
}

// ruleOf is the rule of an element where it stands.
func ruleOf(n *xmlNode, p xmlPlace) xmlRule {
	rule := xmlRules[n.name]
	switch {
	case !p.inText && rule == xmlFormat:
		return xmlUnknown // a field that happens to have such a name
	case !p.inText:
		return rule
	case rule == xmlEntry: // TEI: a reference, or a work named in the text
		return xmlLink
	case n.name == "app": // TEI: readings of one place
		return xmlChoice
	case n.name == "l", rule == xmlMark, rule == xmlTitle && !p.captions,
		(rule == xmlCode || rule == xmlQuote) && !n.holds("p", "para", "lg", "l", "\n"):
		return xmlFormat
	}
	return rule
}

// holds reports whether an element has an element of one of these names, or a text with "\n" in it where that is one.
func (n *xmlNode) holds(names ...string) bool {
	for _, k := range n.kids {
		for _, name := range names {
			if k.name == name || k.name == "" && name == "\n" && strings.Contains(k.text, "\n") {
				return true
			}
		}
	}
	return false
}
