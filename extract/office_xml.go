package extract

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// Limits of an XML part.
const (
	maxXMLDepth = 512     // elements inside of each other
	maxXMLNodes = 500_000 // elements, texts and attributes of one tree: a paragraph, a row, a slide
	maxXMLRun   = 4 << 20 // bytes without a tag
)

// An elem is an element of an XML part, or, without a name, text between elements. Names carry the usual prefix of their
// namespace, whatever prefix the document uses: "w:p".
type elem struct {
	name  string
	attrs []xml.Attr // Name.Local is the prefixed name
	kids  []*elem
	text  string
}

// attr returns an attribute, "" if there is none.
func (e *elem) attr(name string) string {
	if e == nil {
		return ""
	}
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// child returns the first element at a path below e, nil if there is none. It may be called on nil.
func (e *elem) child(path ...string) *elem {
	for _, name := range path {
		if e == nil {
			return nil
		}
		var next *elem
		for _, k := range e.kids {
			if k.name == name {
				next = k
				break
			}
		}
		e = next
	}
	return e
}

// each calls f for every child element of a name.
func (e *elem) each(name string, f func(*elem)) {
	if e == nil {
		return
	}
	for _, k := range e.kids {
		if k.name == name {
			f(k)
		}
	}
}

// find calls f for every element of a name below e, in document order, also inside of each other.
func (e *elem) find(name string, f func(*elem)) {
	if e == nil {
		return
	}
	for _, k := range e.kids {
		if k.name == name {
			f(k)
		}
		k.find(name, f)
	}
}

// words is all text below e.
func (e *elem) words() string {
	if e == nil {
		return ""
	}
	if len(e.kids) == 1 && e.kids[0].name == "" {
		return e.kids[0].text
	}
	var b strings.Builder
	e.gather(&b)
	return b.String()
}

func (e *elem) gather(b *strings.Builder) {
	b.WriteString(e.text)
	for _, k := range e.kids {
		k.gather(b)
	}
}

// A stream reads an XML part element by element. After child returns an element, its content is either read with fill,
// left out with skip, or walked by further calls of child up to the nil that ends it. The first error ends everything
// and stays in err.
type stream struct {
	d     *xml.Decoder
	close io.Closer
	names map[xml.Name]string
	depth int
	work  *int // what is left of the document's
	err   error
}

// stream opens a part.
func (p *parts) stream(name string) (*stream, error) {
	r, err := p.open(name)
	if err != nil {
		return nil, err
	}
	return newStream(r, r, &p.work), nil
}

func newStream(r io.Reader, c io.Closer, work *int) *stream {
	buffered := bufio.NewReader(r)
	r = buffered
	if bom, _ := buffered.Peek(2); bytes.Equal(bom, []byte("\xff\xfe")) || bytes.Equal(bom, []byte("\xfe\xff")) {
		r = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(buffered)
	}
	d := xml.NewDecoder(&runReader{r: r})
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf-16") {
			return r, nil // decoded above, by its mark
		}
		return nil, fmt.Errorf("encoding %q", label)
	}
	return &stream{d: d, close: c, work: work, names: map[xml.Name]string{}}
}

// Close ends the reading and returns its error, if it did not come to its end.
func (s *stream) Close() error {
	err := s.close.Close()
	if s.err != nil {
		return s.err
	}
	return err
}

// token returns the next token that matters, nil at the end of the part.
func (s *stream) token() xml.Token {
	for s.err == nil {
		t, err := s.d.Token()
		if err != nil {
			if !errors.Is(err, io.EOF) || s.depth > 0 {
				s.err = err
			}
			return nil
		}
		switch e := t.(type) {
		case xml.StartElement:
			*s.work -= 8 + len(e.Attr)
			if s.depth++; s.depth > maxXMLDepth || *s.work < 0 {
				s.err = errTooMuch
				return nil
			}
			return t
		case xml.EndElement:
			s.depth--
			return t
		case xml.CharData:
			return t
		}
	}
	return nil
}

// child returns the next element inside of the one that was begun last, without its content; nil at its end.
func (s *stream) child() *elem {
	for {
		switch t := s.token().(type) {
		case nil, xml.EndElement:
			return nil
		case xml.StartElement:
			return s.elem(t)
		}
	}
}

// skip leaves out the content of the element that was begun last.
func (s *stream) skip() {
	for depth := s.depth; s.depth >= depth; {
		if s.token() == nil {
			return
		}
	}
}

// fill reads the content of e, the element that was begun last. What is cut off or damaged has no content: half of a
// sentence is none.
func (s *stream) fill(e *elem) {
	defer func() {
		if s.err != nil {
			e.kids = nil
		}
	}()
	open := []*elem{e}
	for n := 0; len(open) > 0; n++ {
		if n > maxXMLNodes {
			s.err = errTooMuch
			return
		}
		top := open[len(open)-1]
		switch t := s.token().(type) {
		case nil:
			return
		case xml.StartElement:
			k := s.elem(t)
			top.kids = append(top.kids, k)
			open = append(open, k)
			n += len(k.attrs)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.kids = append(top.kids, &elem{text: string(t)})
		}
	}
}

// A cursor goes through the elements of a part, while it is read or after: see stream.
type cursor interface {
	child() *elem
	fill(*elem)
	skip()
}

// A treeCursor goes through what was read before.
type treeCursor struct{ rest [][]*elem } // what is left of the elements that were begun

// newTree begins e, which may be nil.
func newTree(e *elem) *treeCursor {
	if e == nil {
		return &treeCursor{rest: [][]*elem{nil}}
	}
	return &treeCursor{rest: [][]*elem{e.kids}}
}

func (t *treeCursor) child() *elem {
	top := &t.rest[len(t.rest)-1]
	for len(*top) > 0 {
		e := (*top)[0]
		if *top = (*top)[1:]; e.name != "" {
			t.rest = append(t.rest, e.kids)
			return e
		}
	}
	t.skip()
	return nil
}

func (t *treeCursor) fill(*elem) { t.skip() }

func (t *treeCursor) skip() { t.rest = t.rest[:len(t.rest)-1] }

// tree reads a part that is small: its root element with all that it holds.
func (p *parts) tree(name string) (*elem, error) {
	s, err := p.stream(name)
	if err != nil {
		return nil, err
	}
	root := s.child()
	if root != nil {
		s.fill(root)
	}
	if err := s.Close(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if root == nil {
		return nil, fmt.Errorf("%s: it is empty", name)
	}
	return root, nil
}

func (s *stream) elem(t xml.StartElement) *elem {
	for i, a := range t.Attr {
		t.Attr[i].Name.Local = s.prefixed(a.Name)
	}
	return &elem{name: s.prefixed(t.Name), attrs: t.Attr}
}

func (s *stream) prefixed(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	if name, ok := s.names[n]; ok {
		return name
	}
	name := prefixOf(n.Space) + ":" + n.Local
	if len(s.names) < 10_000 { // a document uses some hundred names
		s.names[n] = name
	}
	return name
}

// prefixOf returns the usual prefix of a namespace, "?" for one that is not read here.
func prefixOf(space string) string {
	if rest, ok := strings.CutPrefix(space, "urn:oasis:names:tc:opendocument:xmlns:"); ok {
		name, _, _ := strings.Cut(rest, ":")
		if p, ok := odfPrefixes[name]; ok {
			return p
		}
		return name
	}
	if p, ok := prefixes[space]; ok {
		return p
	}
	// The strict form of Office Open XML has its own names for the same things (ISO 29500-1, annex A).
	path, ok := strings.CutPrefix(space, "http://purl.oclc.org/ooxml/")
	if !ok {
		path, ok = strings.CutPrefix(strings.Replace(space, "/2006", "", 1), "http://schemas.openxmlformats.org/")
	}
	if p := ooxmlPrefixes[path]; ok && p != "" {
		return p
	}
	return "?"
}

var odfPrefixes = map[string]string{"drawing": "draw", "xsl-fo-compatible": "fo", "svg-compatible": "svg"}

var ooxmlPrefixes = map[string]string{
	"wordprocessingml/main": "w", "presentationml/main": "p", "spreadsheetml/main": "x", "officeDocument/relationships": "r",
	"officeDocument/math": "m", "drawingml/main": "a", "drawingml/wordprocessingDrawing": "wp", "drawingml/chart": "c",
	"drawingml/diagram": "dgm", "drawingml/spreadsheetDrawing": "xdr", "drawingml/lockedCanvas": "lc", "markup-compatibility": "mc",
	"package/relationships": "rel", "package/metadata/core-properties": "cp", "package/content-types": "ct",
}

var prefixes = map[string]string{
	"http://purl.org/dc/elements/1.1/": "dc", "http://purl.org/dc/terms/": "dcterms", "http://www.w3.org/1999/xlink": "xlink",
	"http://www.w3.org/1998/Math/MathML": "mml", "http://www.w3.org/XML/1998/namespace": "xml", "http://www.w3.org/1999/xhtml": "h",
	"http://www.w3.org/2001/04/xmlenc#": "enc", "http://www.idpf.org/2007/opf": "opf", "urn:schemas-microsoft-com:vml": "v",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":  "wps",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":  "wpg",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas": "wpc",
	"http://schemas.microsoft.com/office/drawing/2010/main":              "a14",
	"http://schemas.microsoft.com/office/drawing/2008/diagram":           "dsp",
	"http://schemas.microsoft.com/office/powerpoint/2018/8/main":         "p188",
}

// A runReader ends a text or a tag that is longer than any document's: the decoder would hold it as a whole.
type runReader struct {
	r   io.Reader
	run int
}

func (r *runReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if i := bytes.LastIndexByte(b[:n], '<'); i >= 0 {
		r.run = n - i
	} else {
		r.run += n
	}
	if r.run > maxXMLRun {
		return 0, errTooMuch
	}
	return n, err
}
