package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"time"

	"ibid/evidence"
)

// Default limits (FETCH-2), in bytes unless said otherwise.
const (
	DefaultMaxText = 2 << 20  // of a page, a text, captions: what is beyond is left out and flagged
	DefaultMaxFile = 32 << 20 // of a PDF or an archive: larger ones are refused
	DefaultPDFTime = 30 * time.Second
)

// An Extractor reads documents. The zero value is ready; its methods may be called concurrently. It holds no resources
// until the first PDF, for which it starts one engine that lives until Close.
type Extractor struct {
	MaxText  int           // 0 means DefaultMaxText
	MaxFile  int           // 0 means DefaultMaxFile
	PDFTime  time.Duration // wall time for one PDF; 0 means DefaultPDFTime
	OCR      bool          // recognise the text of scanned pages with the tesseract program, where it is installed
	CacheDir string        // of the compiled PDF engine; "" means ibid/wazero in the user's cache folder

	// Worker makes the command of a process that calls ServePDF. It reads PDFs two to three times as fast as this process
	// can. Nil means this process.
	Worker func() *exec.Cmd

	// Compiling is told before the PDF engine is compiled, once on a machine: it takes seconds of CPU. May be nil.
	Compiling func()

	pdf pdfEngine
	ocr recogniser
}

// shared is the Extractor behind Extract: the PDF engine takes a second to start and 50 MB to hold, so a process has one.
var shared Extractor

// Extract reads a document with default limits. See [Extractor.Extract].
func Extract(ctx context.Context, in Input) (*Page, error) { return shared.Extract(ctx, in) }

// Extract reads a document by what its bytes are; the declared type and the URL are hints. The error is an *Unreadable,
// or ctx's own. Bad input otherwise gives fewer blocks, never wrong ones (EXTRACT-7).
func (x *Extractor) Extract(ctx context.Context, in Input) (*Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(in.Body, lfsPointer) { // whatever the name promises, the file is elsewhere
		return &Page{Kind: evidence.Text, By: "lfs/1", Title: baseName(in.URL), Flags: []string{FlagLFSPointer}}, nil
	}
	max := cmp.Or(x.MaxFile, DefaultMaxFile)
	in, cut, err := x.unpack(in, max)
	if err != nil {
		return nil, err
	}
	in.Body = withNewlines(in.Body)
	form, err := sniff(in)
	if err != nil {
		if x.OCR {
			if page, read, failed := x.readPicture(ctx, in); read {
				return page, failed
			}
		}
		return nil, err
	}
	if form.whole() {
		if len(in.Body) > max {
			return nil, &Unreadable{URL: in.URL, Reason: TooLarge, Detail: fmt.Sprintf("it has %d bytes, more than the %d that are read", len(in.Body), max)}
		}
		page, err := x.readWhole(ctx, form, in)
		if err == nil {
			page.checkCharacters()
			if cut {
				page.flag(FlagTruncated)
			}
		}
		return page, err
	}
	if max := cmp.Or(x.MaxText, DefaultMaxText); len(in.Body) > max {
		in.Body, cut = in.Body[:max], true
	}
	page, err := readText(ctx, form, in)
	if err != nil {
		return nil, err
	}
	if cut {
		page.truncate()
	}
	page.checkCharacters()
	return page, nil
}

// withNewlines is a text with the newlines of the old Macintosh in the ones of today, byte for byte; anything else stays.
func withNewlines(body []byte) []byte {
	if bytes.IndexByte(body, '\r') < 0 || bytes.IndexByte(body, '\n') >= 0 || !isText(body) || wideOf(body) != "" || isPDF(body) {
		return body
	}
	return bytes.ReplaceAll(body, []byte{'\r'}, []byte{'\n'})
}

// readWhole reads the formats that are a file of parts.
func (x *Extractor) readWhole(ctx context.Context, form form, in Input) (*Page, error) {
	switch form {
	case formPDF:
		return x.readPDF(ctx, in)
	case formDOCX:
		return readDOCX(ctx, in)
	case formPPTX:
		return readPPTX(ctx, in)
	case formXLSX:
		return readXLSX(ctx, in)
	case formODF:
		return readODF(ctx, in)
	case formEPUB:
		return readEPUB(ctx, in)
	case formFeed:
		return readFeed(ctx, in)
	case formMail:
		return x.readMail(ctx, in)
	case formJSON:
		return readJSON(ctx, in)
	case formXML:
		return readXML(ctx, in)
	case formTeX:
		return readTeX(ctx, in)
	case formNotebook:
		return readNotebook(ctx, in)
	case formTool:
		return readToolResult(ctx, in)
	case formCues, formTimed:
		return readTranscript(ctx, form, in)
	}
	return readRepo(ctx, in)
}

// readText reads the formats that are one text.
func readText(ctx context.Context, form form, in Input) (*Page, error) {
	switch form {
	case formHTML:
		return readHTML(ctx, in)
	case formMarkdown:
		return readMarkdown(ctx, in), nil
	case formSource:
		return readSource(in), nil
	case formSheet:
		return readCSV(in), nil
	case formVTT, formSRT:
		return readTranscript(ctx, form, in)
	}
	return readPlain(in), nil
}

// truncate drops the last block, which the limit may have cut inside a word or a number, and says so.
func (p *Page) truncate() {
	if n := len(p.Blocks); n > 0 {
		p.Blocks = p.Blocks[:n-1]
	}
	p.flag(FlagTruncated)
}

// flag adds a flag once.
func (p *Page) flag(name string) {
	for _, f := range p.Flags {
		if f == name {
			return
		}
	}
	p.Flags = append(p.Flags, name)
}

// add appends a block of text as the next paragraph.
func (p *Page) add(b Block) {
	b.Locator = evidence.Locator{Unit: evidence.Para, A: len(p.Blocks) + 1}
	p.Blocks = append(p.Blocks, b)
}

// Reason says why a document could not be read.
type Reason string

const (
	Encrypted    Reason = "encrypted"     // needs a password
	Damaged      Reason = "damaged"       // claims a format and breaks it
	NotSupported Reason = "not_supported" // no reader for this format
	TooLarge     Reason = "too_large"
	TooSlow      Reason = "too_slow"   // the reader was stopped: a hostile or a very heavy document
	WrongType    Reason = "wrong_type" // something else than was asked for: a web page in place of captions
)

// Unreadable is the error for a document that cannot be read. Its text is fit for a model to read.
type Unreadable struct {
	URL    string
	Reason Reason
	Detail string // a clause about the document: "it is encrypted and needs a password"
	Err    error  // the cause, where it helps a programmer
}

func (e *Unreadable) Error() string { return fmt.Sprintf("read %s: %s", e.URL, e.Detail) }

func (e *Unreadable) Unwrap() error { return e.Err }

// ctxReader is a reader that ends when its context does, so that a parser that reads it cannot outlive it.
type ctxReader struct {
	ctx context.Context
	r   *bytes.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
