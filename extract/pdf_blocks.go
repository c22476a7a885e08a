package extract

import (
	"slices"
	"strconv"
	"strings"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// pathOCR is the Path of blocks whose text somebody's OCR made, be it ours.
const pathOCR = "ocr"

// layOut makes the blocks of a document.
func (d *pdfDocument) layOut(url string) *Page {
	page := &Page{Kind: evidence.PDF, By: "pdf/2"}
	if d.Cut {
		page.flag(FlagTruncated)
	}
	var sizes []float64
	for i, list := range d.paragraphs() {
		p := &d.Pages[i]
		p.say(page)
		label := ""
		if visible(p.Label) && p.Label != strconv.Itoa(p.Number) {
			label = p.Label
		}
		for n, para := range list {
			b := Block{
				Locator: evidence.Locator{Unit: evidence.Page, A: p.Number, B: n + 1},
				Text:    para.text, Main: !para.running, Quotable: !para.running, Label: label, Path: para.lines[0].Field,
			}
			if p.Scanned || para.lines[0].Words != nil {
				b.Path = pathOCR
			}
			if bulleted(para.text) {
				b.Role = evidence.RoleItem
			}
			page.Blocks = append(page.Blocks, b)
			sizes = append(sizes, para.size)
		}
	}
	headings(page.Blocks, sizes, d.bodySize())
	d.describe(page, sizes, url)
	return page
}

// paragraphs are those of each page.
func (d *pdfDocument) paragraphs() [][]pdfParagraph {
	running := d.running(d.bodySize())
	list := make([][]pdfParagraph, len(d.Pages))
	for i := range d.Pages {
		list[i] = d.Pages[i].paragraphs(running[i])
	}
	return list
}

// say tells what was found out about a page.
func (p *pdfPage) say(page *Page) {
	for _, f := range []struct {
		set  bool
		flag string
	}{{p.Broken, FlagTruncated}, {p.Hidden, FlagHidden}, {p.Garbled, FlagGarbled}, {p.Picture, FlagNoText}, {p.Scanned || p.Recognised, FlagOCR}} {
		if f.set {
			page.flag(f.flag)
		}
	}
}

// bodySize is the size of type, in points, that most of the text has; 0 where none is known.
func (d *pdfDocument) bodySize() float64 {
	counts := map[int]int{} // bytes by size in quarter points
	body := 0
	for i := range d.Pages {
		for j := range d.Pages[i].Lines {
			l := &d.Pages[i].Lines[j]
			if !l.placed() {
				continue
			}
			q := quarterPoints(l.Size)
			counts[q] += len(l.Text)
			if counts[q] > counts[body] || counts[q] == counts[body] && q < body {
				body = q
			}
		}
	}
	return float64(body) / 4
}

func quarterPoints(size float64) int { return int(size*4 + 0.5) }

// titled reports whether a block may be a title or a heading.
func titled(b *Block) bool {
	return b.Main && (b.Path == "" || b.Path == pathOCR) && len(b.Text) <= 200 && hasLetter(b.Text)
}

// headings tells headings from text by their size, the largest first, and gives every block the heading above it.
func headings(blocks []Block, sizes []float64, body float64) {
	var steps []int // sizes of headings in half points
	is := func(i int) bool {
		larger := 1.12
		if blocks[i].Path == pathOCR { // sizes are guessed from the height of words
			larger = 1.4
		}
		return titled(&blocks[i]) && sizes[i] > body*larger
	}
	for i := range blocks {
		if step := int(sizes[i]*2 + 0.5); is(i) && !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	slices.Reverse(steps)
	heading := ""
	for i := range blocks {
		b := &blocks[i]
		b.Heading = heading
		if is(i) {
			b.Role, b.Level = evidence.RoleHeading, min(slices.Index(steps, int(sizes[i]*2+0.5))+1, 6)
			heading = unbroken(b.Text)
		}
	}
}

var (
	fileTitle = lazyregexp.New(`(?i)^(untitled.*|microsoft word.*|powerpoint.*|slide \d+|.*\.(docx?|pptx?|tex|dvi|indd|qxd|pdf|rtf|odt))$`)
	doi       = lazyregexp.New(`(?i)\b10\.\d{4,9}/[^\s"<>,;]+`)
)

// describe fills in what the document says of itself, and finds a title where it names none.
func (d *pdfDocument) describe(page *Page, sizes []float64, url string) {
	stated := map[string]string{}
	state := func(to *string, name, value, where string) {
		if value != "" && *to == "" {
			*to, stated[name] = value, where
		}
	}
	title, largest := "", 0.0
	for i, b := range page.Blocks {
		if titled(&b) && b.Locator.A == 1 && sizes[i] > 1.05*largest {
			title, largest = unbroken(b.Text), sizes[i]
		}
	}
	if t := oneLine(d.Info["Title"], 300); !fileTitle.MatchString(t) {
		state(&page.Title, "title", t, "PDF information Title")
	}
	state(&page.Title, "title", title, "the largest type of its first page")
	state(&page.Author, "author", oneLine(d.Info["Author"], 300), "PDF information Author")
	state(&page.Language, "language", d.Info["Lang"], "PDF catalogue Lang")
	for _, name := range []string{"doi", "Subject", "Keywords", "Title"} {
		state(&page.DOI, "doi", strings.TrimRight(doi.FindString(d.Info[name]), ".)]"), "PDF information "+name)
	}
	page.Title = first(page.Title, baseName(url))
	if len(stated) > 0 {
		page.Stated = stated
	}
}

// unbroken is a heading as one line, without the marks of divided words.
func unbroken(s string) string { return oneLine(strings.ReplaceAll(s, "\u0002", ""), 200) }
