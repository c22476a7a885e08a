package fetch

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxScan     = 512 << 10 // bytes of a page that are looked at
	maxScanText = 6 << 10   // bytes of its text that are kept for the rules
	maxBlocks   = 60        // paragraphs that are kept, and
	maxBlock    = 400       // bytes of each
)

// pageScan is what the rules about page kinds look at. Amounts are visible characters, white space not counted.
type pageScan struct {
	raw      []byte // the scanned part of the page
	title    string
	headings []string // h1 and h2
	text     string   // visible text in order, lower case, one space between words; shortened
	blocks   []string // text outside of furniture, a paragraph each, lower case; the first ones, shortened
	prose    int      // text outside of links and furniture (header, nav, footer, aside, buttons)
	linked   int      // text of links outside of furniture
	aside    int      // text of furniture
	noscript string   // lower case, shortened
	spare    int      // text for browsers without scripts
	buttons  []string // lower case
	scripts  int
	images   int
	emptyApp bool // an element that scripts fill, and that is empty
	password bool // asks for one
	article  bool // has an article element
	frames   bool
	cut      bool   // there is more of the page than was looked at
	refresh  string // target of an instant refresh, as written; "" for none
	base     string
	locked   bool // states that it, or a part, is not free to read
}

func (p *pageScan) visible() int { return p.prose + p.linked + p.aside }

// furnitureTags hold what stands around a page's content; header only outside of an article.
var furnitureTags = map[atom.Atom]bool{atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Header: true, atom.Button: true}

// unseenTags hold text that a reader does not see as such.
var unseenTags = map[atom.Atom]bool{atom.Style: true, atom.Template: true, atom.Select: true, atom.Textarea: true, atom.Svg: true,
	atom.Iframe: true, atom.Noembed: true, atom.Object: true}

// blockTags begin and end a paragraph.
var blockTags = map[atom.Atom]bool{atom.P: true, atom.Div: true, atom.Li: true, atom.Td: true, atom.Th: true, atom.Tr: true, atom.Section: true, atom.Article: true,
	atom.Main: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Ul: true, atom.Ol: true, atom.Dl: true, atom.Dd: true,
	atom.Dt: true, atom.Form: true, atom.Blockquote: true, atom.Pre: true, atom.Br: true, atom.Hr: true, atom.Table: true, atom.Header: true, atom.Footer: true, atom.Nav: true,
	atom.Aside: true, atom.Figure: true, atom.Button: true, atom.Details: true, atom.Summary: true, atom.Center: true, atom.Body: true, atom.Label: true}

// appRoots are ids of the element that a script fills.
var appRoots = map[string]bool{"app": true, "root": true, "__next": true, "__nuxt": true, "__layout": true, "main-app": true, "react-root": true,
	"reactroot": true, "app-root": true, "application": true, "svelte": true, "q-app": true, "___gatsby": true, "ember-app": true, "vue-app": true}

// scanner walks the tokens of a page.
type scanner struct {
	pageScan
	b       strings.Builder
	open    map[atom.Atom]int // open elements that matter
	unseen  atom.Atom         // inside of this one nothing is seen
	depth   int               // of unseen elements of that name
	heading strings.Builder
	block   strings.Builder
	button  strings.Builder
	link    strings.Builder
	app     string // name of the open element that scripts fill
	appOpen int    // open elements of its name
	appFrom int    // visible characters before it
	script  string // type of the open script
	script2 bool   // inside of one
}

// scanPage reads the beginning of a page. It takes any bytes.
func scanPage(body []byte) *pageScan {
	s := &scanner{open: map[atom.Atom]int{}}
	s.raw, s.cut = body[:min(len(body), maxScan)], len(body) > maxScan
	z := html.NewTokenizer(bytes.NewReader(s.raw))
	z.SetMaxBuf(maxScan)
	for {
		switch z.Next() {
		case html.ErrorToken:
			s.endBlock()
			s.text = s.b.String()
			s.emptyApp = s.emptyApp || s.app != "" && s.visible()-s.appFrom < 12
			return &s.pageScan
		case html.TextToken:
			s.chars(z)
		case html.StartTagToken:
			s.start(z, false)
		case html.SelfClosingTagToken:
			s.start(z, true)
		case html.EndTagToken:
			name, _ := z.TagName()
			s.end(atom.Lookup(name), string(name))
		}
	}
}

// readAttrs returns the attributes that rules look at.
func readAttrs(z *html.Tokenizer, more bool) map[string]string {
	var attrs map[string]string
	for n := 0; more && n < 50; n++ {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "id", "type", "value", "href", "http-equiv", "content", "name", "property", "itemprop":
			if attrs == nil {
				attrs = map[string]string{}
			}
			if _, twice := attrs[string(key)]; !twice {
				attrs[string(key)] = string(value)
			}
		}
	}
	return attrs
}

func (s *scanner) start(z *html.Tokenizer, closed bool) {
	raw, more := z.TagName()
	name, tag := string(raw), atom.Lookup(raw)
	attrs := readAttrs(z, more)
	if s.unseen == atom.Svg {
		z.NextIsNotRawText() // its titles and styles are elements like others, and may be closed at once
		closed = closed && tag == atom.Svg
	} else if tag != atom.Svg {
		closed = false
	}
	if s.unseen != 0 {
		if tag == s.unseen && !closed {
			s.depth++
		}
		return
	}
	switch {
	case tag == atom.Svg && closed:
	case unseenTags[tag]:
		s.unseen, s.depth = tag, 1
	case furnitureTags[tag] && !(tag == atom.Header && s.open[atom.Article] > 0):
		s.open[tag]++
	}
	if blockTags[tag] {
		s.endBlock()
	}
	switch tag {
	case atom.Script:
		s.scripts++
		s.script, s.script2 = strings.ToLower(attrs["type"]), true
	case atom.Title, atom.Noscript:
		s.open[tag]++
	case atom.H1, atom.H2:
		s.heading.Reset()
		s.open[tag] = 1
	case atom.A:
		s.open[tag] = 1
		s.link.Reset()
	case atom.P, atom.Div, atom.Li, atom.Td, atom.Section, atom.Article, atom.Main:
		s.open[atom.A] = 0 // a forgotten end of a link does not make the rest of the page a link
		if tag == atom.Article {
			s.article = true
			s.open[tag]++
		}
	case atom.Input:
		s.input(attrs)
	case atom.Img, atom.Video, atom.Picture, atom.Canvas, atom.Embed:
		s.images++
	case atom.Frameset:
		s.frames = true
	case atom.Base:
		if s.base == "" {
			s.base = attrs["href"]
		}
	case atom.Meta:
		s.meta(attrs)
	case atom.Link:
		s.locked = s.locked || strings.EqualFold(attrs["itemprop"], "isAccessibleForFree") && isFalse(attrs["href"])
	}
	s.appStart(name, attrs)
	s.space()
}

func (s *scanner) input(attrs map[string]string) {
	switch strings.ToLower(attrs["type"]) {
	case "password":
		s.password = true
	case "submit", "button":
		s.addButton(attrs["value"])
	}
}

// appStart and appEnd watch the element that scripts are to fill: one with a telling id, or a custom element.
func (s *scanner) appStart(name string, attrs map[string]string) {
	switch {
	case s.app == name:
		s.appOpen++
	case s.app == "" && (appRoots[strings.ToLower(attrs["id"])] || strings.HasSuffix(name, "-root") || strings.HasSuffix(name, "-app")):
		s.app, s.appOpen, s.appFrom = name, 1, s.visible()
	}
}

func (s *scanner) appEnd(name string) {
	if s.app != name {
		return
	}
	if s.appOpen--; s.appOpen <= 0 {
		s.emptyApp = s.emptyApp || s.visible()-s.appFrom < 12 // "Loading…" is empty
		s.app = ""
	}
}

func (s *scanner) end(tag atom.Atom, name string) {
	if s.unseen != 0 {
		if tag == s.unseen {
			if s.depth--; s.depth == 0 {
				s.unseen = 0
			}
		}
		return
	}
	if blockTags[tag] {
		s.endBlock()
	}
	switch tag {
	case atom.Script:
		s.script2 = false
	case atom.H1, atom.H2:
		if h := oneSpace(s.heading.String()); h != "" && s.open[tag] > 0 && len(s.headings) < 6 {
			s.headings = append(s.headings, h)
		}
	case atom.Button:
		s.addButton(s.button.String())
		s.button.Reset()
	case atom.A:
		if s.visible() < shortConsent { // links may be made to look like buttons
			s.addButton(s.link.String())
		}
	}
	if s.open[tag] > 0 {
		s.open[tag]--
	}
	s.appEnd(name)
	s.space()
}
