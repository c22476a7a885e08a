package extract

import (
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/emersion/go-message"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A mailText is the text of a mail, in one of its forms.
type mailText struct {
	text   string
	html   bool
	flowed bool // lines that end in a space go on (RFC 3676)
	delsp  bool // and that space is not part of the text
}

// entity reads a part and what is in it.
func (r *mailReader) entity(e *message.Entity, depth int) {
	if r.parts++; r.parts > maxMailParts || depth > maxMailDepth || r.ctx.Err() != nil {
		r.page.flag(FlagTruncated)
		return
	}
	kind, params, disposition, name := describePart(e)
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		e = withBoundary(e, kind, params)
		if kind == "multipart/alternative" {
			if t := r.best(e, depth); t != nil {
				r.text(*t)
			}
			return
		}
		found := false
		r.each(e, func(part *message.Entity) {
			if kind == "multipart/related" { // a page, with its pictures behind it or before
				inner, _, _, _ := describePart(part)
				if found || !strings.HasPrefix(inner, "text/") && !strings.HasPrefix(inner, "multipart/") {
					return
				}
				found = true
			}
			r.entity(part, depth+1)
		})
	case kind == "message/rfc822" || kind == "message/global":
		subject := r.subject
		r.message(r.readPart(e), depth+1)
		r.subject = subject
	case disposition == "attachment", !strings.HasPrefix(kind, "text/") && kind != "message/delivery-status",
		kind == "text/calendar", kind == "text/x-vcard", kind == "text/vcard", kind == "text/rtf":
		r.attachment(name, kind)
	default:
		r.text(r.textPart(e, kind, params))
	}
}

// each calls do for the parts of a multipart entity; the rest of a broken one is lost, and said so.
func (r *mailReader) each(e *message.Entity, do func(*message.Entity)) {
	parts := e.MultipartReader()
	for parts != nil {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return
		case part == nil:
			r.page.flag(FlagTruncated)
			return
		}
		do(part)
		if r.parts > maxMailParts {
			return
		}
	}
}

// best returns the form of a mail's text that says most: the one that was written as text, unless it only says that
// there is a page to be looked at.
func (r *mailReader) best(e *message.Entity, depth int) *mailText {
	var plain, page *mailText
	var visit func(e *message.Entity, depth int)
	visit = func(e *message.Entity, depth int) {
		r.parts++
		kind, params, disposition, name := describePart(e)
		switch {
		case depth > maxMailDepth || r.parts > maxMailParts:
			r.page.flag(FlagTruncated)
		case strings.HasPrefix(kind, "multipart/"):
			r.each(withBoundary(e, kind, params), func(part *message.Entity) { visit(part, depth+1) })
		case disposition == "attachment":
			r.attachment(name, kind)
		case kind == "text/plain" && plain == nil:
			t := r.textPart(e, kind, params)
			plain = &t
		case kind == "text/html" && page == nil:
			t := r.textPart(e, kind, params)
			page = &t
		}
	}
	visit(e, depth)
	switch {
	case plain == nil:
		return page
	case page == nil || len(strings.TrimSpace(plain.text)) >= 200:
		return plain
	}
	blocks, _ := htmlBlocks(r.ctx, page.text, newLinks("", nil))
	size := 0
	for _, b := range blocks {
		size += len(b.Text)
	}
	if size > 5*len(strings.TrimSpace(plain.text)) {
		return page
	}
	return plain
}

// textPart decodes a part that is text.
func (r *mailReader) textPart(e *message.Entity, kind string, params map[string]string) mailText {
	text, charset := decode(r.readPart(e), "text/plain; charset="+params["charset"])
	r.page.Charset = first(r.page.Charset, charset)
	return mailText{text: text, html: kind == "text/html" || kind == "application/xhtml+xml",
		flowed: strings.EqualFold(params["format"], "flowed"), delsp: strings.EqualFold(params["delsp"], "yes")}
}

// text adds a text of a mail.
func (r *mailReader) text(t mailText) {
	if !t.html {
		r.plain(t)
		return
	}
	blocks, hidden := htmlBlocks(r.ctx, t.text, r.links)
	if hidden {
		r.page.flag(FlagHidden)
	}
	for _, b := range blocks {
		b.Heading = first(b.Heading, r.subject)
		r.page.add(b)
	}
}

// attachment names a part that is not read.
func (r *mailReader) attachment(name, kind string) {
	r.page.flag(FlagSkipped)
	if name = oneLine(name, 300); visible(name) {
		r.page.add(Block{Text: name, Role: evidence.RoleItem, Level: 1, Heading: r.subject, Path: "attachment " + kind})
	}
}

// describePart says what a part is, as far as its header can be read.
func describePart(e *message.Entity) (kind string, params map[string]string, disposition, name string) {
	kind, params, err := e.Header.ContentType()
	if err != nil {
		kind, params = looseType(e.Header.Get("Content-Type"))
	}
	disposition, with, err := e.Header.ContentDisposition()
	if err != nil {
		disposition, with = looseType(e.Header.Get("Content-Disposition"))
	}
	decoder := mime.WordDecoder{}
	name = first(with["filename"], params["name"])
	if plain, err := decoder.DecodeHeader(name); err == nil {
		name = plain
	}
	return strings.ToLower(kind), params, strings.ToLower(disposition), name
}

var looseParam = lazyregexp.New(`;\s*([A-Za-z-]+)\s*=\s*(?:"([^"]*)"|([^;\s]+))`)

// looseType reads a type with parameters that the standard's grammar does not allow.
func looseType(s string) (kind string, params map[string]string) {
	kind, _, _ = strings.Cut(s, ";")
	params = map[string]string{}
	for _, m := range looseParam.FindAllStringSubmatch(s, -1) {
		params[strings.ToLower(m[1])] = m[2] + m[3]
	}
	return strings.TrimSpace(kind), params
}

// withBoundary gives the library a type that it can read, where the mail's own one is not well-formed.
func withBoundary(e *message.Entity, kind string, params map[string]string) *message.Entity {
	if _, _, err := e.Header.ContentType(); err == nil {
		return e
	}
	h := e.Header.Copy()
	h.SetContentType(kind, params)
	fixed, err := message.New(h, e.Body)
	if fixed == nil || err != nil {
		return e
	}
	return fixed
}
