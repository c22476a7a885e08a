package extract

import (
	"bytes"
	"context"
	"io"
	"mime"
	"strings"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// Limits of mail.
const (
	maxMails     = 2000 // of a mailbox
	maxMailParts = 500  // of a mail
	maxMailDepth = 20   // parts inside of each other
)

// mboxLine stands between the mails of a mailbox (RFC 4155).
var mboxLine = lazyregexp.New(`^From \S+ .*\d{4}`)

// readMail reads a mail, or a mailbox of several: the fields that a reader is shown, then the text, as it was written
// rather than as a page where there are both. What is quoted from earlier mails has the role of a quote; a signature and
// the names of attachments are not main content. Attachments are not read.
func (x *Extractor) readMail(ctx context.Context, in Input) (*Page, error) {
	page := &Page{Kind: evidence.Mail, By: "mail/1"}
	r := &mailReader{ctx: ctx, page: page, links: newLinks(in.URL, nil)}
	mails, more := splitMbox(in.Body)
	if r.several = len(mails) > 1; more {
		page.flag(FlagTruncated)
	}
	for _, raw := range mails {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(page.Blocks) > maxBlocks {
			page.flag(FlagTruncated)
			break
		}
		r.parts = 0
		if web := r.message(raw, 0); web != nil && !r.several {
			return readHTML(ctx, *web)
		}
	}
	if len(page.Blocks) == 0 {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it has no header that could be read as that of a mail"}
	}
	page.Links = r.links.list
	page.Title = first(page.Title, baseName(in.URL))
	return page, nil
}

// splitMbox divides a mailbox at the lines that part its mails; more says that there are too many.
func splitMbox(body []byte) (mails [][]byte, more bool) {
	if !mboxLine.Match(body) {
		return [][]byte{body}, false
	}
	start, blank := 0, true
	for at := 0; at < len(body); {
		next := len(body)
		if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := bytes.TrimRight(body[at:next], "\r\n")
		if blank && bytes.HasPrefix(line, []byte("From ")) && mboxLine.Match(line) {
			if at > start {
				mails = append(mails, body[start:at])
			}
			if start = next; len(mails) == maxMails {
				return mails, true
			}
		}
		blank = len(line) == 0
		at = next
	}
	if start < len(body) {
		mails = append(mails, body[start:])
	}
	return mails, false
}

// mailReader turns mails into blocks.
type mailReader struct {
	ctx     context.Context
	page    *Page
	links   *links
	several bool   // so that no one of them speaks for the whole
	subject string // of the mail that is read
	parts   int    // of it
}

// message reads a mail. If it is a web page as browsers save it, that is returned instead.
func (r *mailReader) message(raw []byte, depth int) *Input {
	// The error is an unknown encoding or charset: the text is there as it was sent, and decoded by textPart.
	e, _ := message.Read(bytes.NewReader(wellFormed(raw)))
	if e == nil {
		r.page.flag(FlagTruncated)
		return nil
	}
	if at := e.Header.Get("Snapshot-Content-Location"); at != "" {
		if t := r.best(e, depth); t != nil && t.html {
			return &Input{URL: at, ContentType: "text/html; charset=utf-8", Body: []byte(t.text)}
		}
	}
	r.header(e.Header)
	r.entity(e, depth)
	return nil
}

// wellFormed leaves out the lines of a header that are none, which would end the reading.
func wellFormed(raw []byte) []byte {
	var out []byte
	for at := 0; at < len(raw); {
		next := len(raw)
		if i := bytes.IndexByte(raw[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		line := raw[at:next]
		trimmed := bytes.TrimRight(line, "\r\n")
		if len(trimmed) == 0 {
			return append(out, raw[at:]...)
		}
		if headerLine.Match(trimmed) || len(out) > 0 && (line[0] == ' ' || line[0] == '\t') {
			out = append(out, line...)
		}
		at = next
	}
	return out
}

// header reads the fields that a reader is shown.
func (r *mailReader) header(h message.Header) {
	page := r.page
	subject := r.field(h, "Subject")
	r.subject = oneLine(subject, 300)
	if !r.several {
		state(page, &page.Title, "Subject", r.subject)
		state(page, &page.Author, "From", personOf(r.field(h, "From")))
		state(page, &page.Language, "Content-Language", languageTag(h.Get("Content-Language")))
		if t, err := (&mail.Header{Header: h}).Date(); err == nil && !t.IsZero() {
			state(page, &page.Published, "Date", t.Format(time.DateOnly))
		}
	}
	if subject != "" {
		r.page.add(Block{Text: subject, Role: evidence.RoleHeading, Level: 1, Main: true, Quotable: true, Path: "Subject"})
	}
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := r.field(h, name); value != "" {
			r.page.add(Block{Text: name + ": " + value, Heading: r.subject, Main: true, Quotable: true, Path: name})
		}
	}
}

// field returns a field with its encoded words (RFC 2047) and stray bytes decoded.
func (r *mailReader) field(h message.Header, name string) string {
	words := mime.WordDecoder{CharsetReader: func(charset string, in io.Reader) (io.Reader, error) {
		raw, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		text, _ := decode(raw, "text/plain; charset="+charset)
		return strings.NewReader(text), nil
	}}
	value := h.Get(name)
	if text, err := words.DecodeHeader(value); err == nil {
		value = text
	}
	value, _ = decode([]byte(value+"\n"), "") // whose last byte may not be taken for the beginning of a character
	return oneLine(value, 2000)
}

// personOf is the name of a sender, or the address where no name is given.
func personOf(from string) string {
	name, address, ok := strings.Cut(from, "<")
	if name = strings.Trim(strings.TrimSpace(name), `"'`); name != "" || !ok {
		return oneLine(name, 200)
	}
	return strings.TrimSuffix(strings.TrimSpace(address), ">")
}

// readPart reads what a part holds; what is broken at its end is left out.
func (r *mailReader) readPart(e *message.Entity) []byte {
	body, err := io.ReadAll(io.LimitReader(e.Body, DefaultMaxFile))
	if err != nil {
		r.page.flag(FlagTruncated)
	}
	return body
}
