package extract

import (
	"context"
	"path"

	"ibid/evidence"
)

// Limits of a workbook.
const (
	maxSheets  = 1000
	maxCells   = 500_000  // of a sheet
	maxStrings = 32 << 20 // bytes of the texts that its sheets share
)

// xlsx reads a workbook in Office Open XML (ISO 29500-1 §18), sheet by sheet.
type xlsx struct {
	*ooxmlFile
	write   *sheetWriter
	links   *links
	formats *numberFormats
	codes   []string // number format by cell style
	pale    []bool   // by cell style: it writes in the colour of its ground
	strings []string // that cells share
}

// readXLSX reads a workbook as its sheets show it: numbers, percentages and dates in their formats, the kept results of
// formulas. Hidden sheets, rows and columns are left out, and the page says so.
func readXLSX(ctx context.Context, in Input) (*Page, error) {
	p, err := openParts(ctx, in)
	if err != nil {
		return nil, err
	}
	page := &Page{Kind: evidence.Sheet, By: "xlsx/1"}
	x := &xlsx{ooxmlFile: openOOXML(p, page, "xl/workbook.xml"), write: newSheetWriter(page), links: newLinks(in.URL, nil)}
	root, err := x.tree(x.main)
	if err != nil || root.name != "x:workbook" {
		return nil, x.unreadable("its list of sheets cannot be read", err)
	}
	date1904 := root.child("x:workbookPr").attr("date1904")
	x.formats = newNumberFormats(date1904 == "1" || date1904 == "true")
	defer x.formats.Close()
	rels := x.relations(x.main)
	dir := path.Dir(x.main)
	x.readStyles(first(related(rels, "styles"), path.Join(dir, "styles.xml")))
	x.readStrings(first(related(rels, "sharedStrings"), path.Join(dir, "sharedStrings.xml")))
	sheets, damaged := 0, 0
	root.child("x:sheets").each("x:sheet", func(e *elem) {
		r := rels[e.attr("r:id")]
		switch state := e.attr("state"); {
		case state == "hidden" || state == "veryHidden":
			page.flag(FlagHiddenSheet)
		case r.kind != "worksheet" || r.external || ctx.Err() != nil:
		case sheets == maxSheets || x.write.out.full:
			page.flag(FlagTruncated)
		default:
			sheets++
			if !x.readSheet(clip(e.attr("name"), 200), r.target) {
				damaged++
				page.flag(FlagTruncated)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if damaged > 0 && damaged == sheets && len(page.Blocks) == 0 {
		return nil, x.unreadable("none of its sheets can be read", nil)
	}
	page.Links = x.links.list
	page.Title = first(page.Title, baseName(in.URL))
	return page, nil
}

// readStyles reads the number formats of the cell styles.
func (x *xlsx) readStyles(name string) {
	s, err := x.stream(name)
	if err != nil {
		return
	}
	defer s.Close()
	s.child() // x:styleSheet
	own, colours := map[int]string{}, palette{}
	for e := s.child(); e != nil; e = s.child() {
		switch e.name {
		case "x:numFmts":
			s.fill(e)
			e.each("x:numFmt", func(f *elem) { own[atoi(f.attr("numFmtId"), -1)] = f.attr("formatCode") })
		case "x:fonts":
			s.fill(e)
			colours.readFonts(e)
		case "x:fills":
			s.fill(e)
			colours.readFills(e)
		case "x:cellXfs":
			s.fill(e)
			e.each("x:xf", func(f *elem) {
				id := atoi(f.attr("numFmtId"), 0)
				code, ok := own[id]
				if !ok {
					code = builtinFormats[id]
				}
				x.codes = append(x.codes, code)
				x.pale = append(x.pale, colours.pale(f))
			})
		default:
			s.skip()
		}
	}
}

// readStrings reads the texts that cells share.
func (x *xlsx) readStrings(name string) {
	s, err := x.stream(name)
	if err != nil {
		return
	}
	defer s.Close()
	s.child() // x:sst
	size := 0
	for e := s.child(); e != nil; e = s.child() {
		s.fill(e)
		text := oneLineOf(richText(e))
		if size += len(text) + 16; size > maxStrings {
			x.page.flag(FlagTruncated)
			return
		}
		x.strings = append(x.strings, text)
	}
}

// richText is the text of a string item: plain, or in runs, which may be raised or lowered; not how it is pronounced.
func richText(si *elem) string {
	var l paraLine
	for _, k := range si.kids {
		start := len(l.b)
		switch k.name {
		case "x:t":
			l.b = append(l.b, k.words()...)
		case "x:r":
			l.b = append(l.b, k.child("x:t").words()...)
			switch k.child("x:rPr", "x:vertAlign").attr("val") {
			case "superscript":
				l.raise(start)
			case "subscript":
				l.lower(start)
			}
		}
	}
	return string(l.b)
}
