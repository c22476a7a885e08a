package extract

import (
	"context"
	"fmt"
	"strings"

	"ibid/evidence"
)

// maxSlides is how many slides of a presentation are read.
const maxSlides = 5000

// pptx reads a presentation in Office Open XML (ISO 29500-1 §19), slide by slide in the order in which it is shown.
type pptx struct {
	*ooxmlFile
	links   *links
	out     *outline
	slide   int
	rels    map[string]relation // of the slide
	authors map[string]string   // of comments, by id
	width   int                 // of a slide, in EMU; 0 is unsaid
	height  int
}

// readPPTX reads a presentation: what stands on the slides, shape by shape in their order, then the speaker's notes of
// each slide and the remarks of reviewers. Hidden slides count, since programs number them, and are left out.
func readPPTX(ctx context.Context, in Input) (*Page, error) {
	z, err := openParts(ctx, in)
	if err != nil {
		return nil, err
	}
	page := &Page{Kind: evidence.Slides, By: "pptx/1"}
	p := &pptx{ooxmlFile: openOOXML(z, page, "ppt/presentation.xml"), links: newLinks(in.URL, nil), authors: map[string]string{}}
	p.out = &outline{page: page, at: func(n int) evidence.Locator {
		return evidence.Locator{Unit: evidence.Slide, A: p.slide, B: n}
	}}
	root, err := p.tree(p.main)
	if err != nil || root.name != "p:presentation" {
		return nil, p.unreadable("its list of slides cannot be read", err)
	}
	rels := p.relations(p.main)
	p.width, p.height = atoi(root.child("p:sldSz").attr("cx"), 0), atoi(root.child("p:sldSz").attr("cy"), 0)
	p.readAuthors(rels)
	var slides []string
	root.child("p:sldIdLst").each("p:sldId", func(e *elem) { slides = append(slides, rels[e.attr("r:id")].target) })
	damaged := 0
	for i, name := range slides {
		if i == maxSlides {
			page.flag(FlagTruncated)
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.slide, p.out.n, p.out.headings = i+1, 0, [7]string{}
		if err := p.readSlide(name); err != nil {
			damaged++
			page.flag(FlagTruncated)
		}
	}
	if damaged > 0 && damaged == len(slides) {
		return nil, p.unreadable("none of its slides can be read", nil)
	}
	page.Links = p.links.list
	if page.Title == "" || genericTitles[strings.ToLower(page.Title)] {
		page.Title = first(firstHeading(page.Blocks), page.Title, baseName(in.URL))
	}
	return page, ctx.Err()
}

// genericTitles are those that programs give to every presentation.
var genericTitles = map[string]bool{"powerpoint presentation": true, "powerpoint-präsentation": true, "présentation powerpoint": true,
	"presentación de powerpoint": true, "presentazione standard di powerpoint": true, "slide 1": true}

func (p *pptx) readSlide(name string) error {
	root, err := p.tree(name)
	if err != nil {
		return err
	}
	if show := root.attr("show"); show == "0" || show == "false" {
		p.page.flag(FlagHidden)
		return nil
	}
	p.rels = p.relations(name)
	shapes := root.child("p:cSld", "p:spTree")
	title := ""
	shapes.find("p:sp", func(sp *elem) {
		if kind := placeholder(sp); title == "" && (kind == "title" || kind == "ctrTitle") {
			for _, t := range p.drawnText(sp.child("p:txBody"), nil, nil) {
				title = strings.TrimSpace(title + " " + oneLineOf(t.text))
			}
		}
	})
	title = oneLine(title, 300)
	p.shapes(shapes, slidePlace{title: title, path: fmt.Sprintf("/slide[%d]", p.slide)})
	if notes := related(p.rels, "notesSlide"); notes != "" {
		p.readRemarks(notes, title)
	}
	for _, comments := range relatedAll(p.rels, "comments") {
		p.readComments(comments, title)
	}
	return nil
}

// readRemarks reads the speaker's notes of a slide, which stand below it, not on it.
func (p *pptx) readRemarks(name, title string) {
	root, err := p.tree(name)
	if err != nil {
		return
	}
	rels := p.relations(name)
	heading := strings.TrimSpace(title + " (speaker notes)")
	root.child("p:cSld", "p:spTree").find("p:sp", func(sp *elem) {
		if kind := placeholder(sp); kind != "body" {
			return // the picture of the slide, its number, the date
		}
		for _, t := range p.drawnText(sp.child("p:txBody"), rels, p.links.add) {
			p.out.add(Block{Text: t.text, Heading: heading, Main: true, Quotable: t.linked <= 0.5, LinkText: t.linked, Path: fmt.Sprintf("/slide[%d]/notes", p.slide)})
		}
	})
}

// readAuthors reads the names of those who commented, in the older form and in the present one.
func (p *pptx) readAuthors(rels map[string]relation) {
	for _, kind := range []string{"commentAuthors", "authors"} {
		root, err := p.tree(related(rels, kind))
		if err != nil {
			continue
		}
		for _, a := range root.kids {
			if id := a.attr("id"); id != "" {
				p.authors[id] = a.attr("name")
			}
		}
	}
}

// readComments reads the remarks of reviewers: other people's words, so no main content.
func (p *pptx) readComments(name, title string) {
	root, err := p.tree(name)
	if err != nil {
		return
	}
	say := func(e *elem, text string) {
		by := first(oneLine(p.authors[e.attr("authorId")], 100), "an unknown author")
		p.out.add(Block{Text: strings.TrimSpace(text), Role: evidence.RoleComment, Heading: title, Path: fmt.Sprintf("/slide[%d]/comment by %s", p.slide, by)})
	}
	root.each("p:cm", func(e *elem) { say(e, e.child("p:text").words()) })
	threaded := func(e *elem) {
		for _, t := range p.drawnText(e.child("p188:txBody"), nil, nil) {
			say(e, t.text)
		}
	}
	root.each("p188:cm", func(e *elem) {
		threaded(e)
		e.child("p188:replyLst").each("p188:reply", threaded)
	})
}
