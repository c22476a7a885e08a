// Package extract turns the bytes of a document into numbered blocks of text, each with a locator that a person can
// walk to. Main content is a flag on blocks, never a rewrite; every block's text stands in the document as it is shown.
package extract

import "ibid/evidence"

// An Input is a document to read. ContentType is a hint: the bytes are sniffed.
type Input struct {
	URL         string // base for relative links; may be a file URL
	ContentType string
	Body        []byte
}

// A Page is what a document says. A document without quotable text has no quotable blocks and says why in Flags.
type Page struct {
	Kind      evidence.Kind     `json:"kind"`
	Title     string            `json:"title,omitempty"`
	Author    string            `json:"author,omitempty"` // several are joined by "; "
	Publisher string            `json:"publisher,omitempty"`
	Published string            `json:"published,omitempty"` // ISO 8601 date, as stated by the document
	Modified  string            `json:"modified,omitempty"`  // likewise
	Language  string            `json:"language,omitempty"`  // BCP 47, as stated
	Canonical string            `json:"canonical,omitempty"` // the document's own idea of its URL, absolute
	DOI       string            `json:"doi,omitempty"`       // 10.1234/abc
	Licence   string            `json:"licence,omitempty"`   // a URL or a name, as stated
	Stated    map[string]string `json:"stated,omitempty"`    // where each of the above stands: "title": "meta og:title"
	Charset   string            `json:"charset,omitempty"`   // how a text was decoded: "utf-8", "windows-1252"
	Type      string            `json:"type,omitempty"`      // of a web page: article, documentation, forum …
	Blocks    []Block           `json:"blocks"`
	Links     []Link            `json:"links,omitempty"`
	Flags     []string          `json:"flags,omitempty"` // see the Flag constants
	By        string            `json:"by"`              // extractor and version, e.g. "html/1"
}

// A Block is one text block of the unmodified document, in document order.
type Block struct {
	Locator  evidence.Locator `json:"locator"`
	Text     string           `json:"text"`
	Role     evidence.Role    `json:"role,omitempty"`
	Level    int              `json:"level,omitempty"`   // of a heading, 1…6; how deep an item is nested, from 1
	Heading  string           `json:"heading,omitempty"` // nearest heading above
	Main     bool             `json:"main"`              // part of the main content
	Quotable bool             `json:"quotable"`          // may carry a finding: main, shown, and not mostly links
	Path     string           `json:"path,omitempty"`    // where in the document's structure (DOM path, page object)
	Start    int              `json:"start,omitempty"`   // byte range in the document as decoded to UTF-8, where it has one
	End      int              `json:"end,omitempty"`
	Columns  string           `json:"columns,omitempty"`   // of a table row: the heads of its columns, joined like the row
	Caption  string           `json:"caption,omitempty"`   // of a table row: its table's caption
	Label    string           `json:"label,omitempty"`     // of a page: the number printed on it, where it has another
	LinkText float64          `json:"link_text,omitempty"` // share of the characters that are link text, 0…1
	Marks    []Mark           `json:"marks,omitempty"`     // in a transcript: when its parts are said
}

// Spans returns the quotable blocks as spans of a source.
func Spans(source string, blocks []Block) []evidence.Span {
	var spans []evidence.Span
	for _, b := range blocks {
		if b.Quotable && b.Text != "" {
			spans = append(spans, evidence.Span{Source: source, Locator: b.Locator, Text: b.Text, Heading: b.Heading, Role: b.Role,
				Columns: b.Columns, Caption: b.Caption, Label: b.Label})
		}
	}
	return spans
}

// A Link is an outgoing link with its text, absolute.
type Link struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// Flags that a page may carry.
const (
	FlagHub         = "hub_page"             // mostly links: links and no quotable blocks
	FlagHidden      = "hidden_text_dropped"  // text that a reader does not see was left out
	FlagNoText      = "no_text_layer"        // a scanned page: needs OCR
	FlagTruncated   = "truncated"            // the document was larger than the limit
	FlagGarbled     = "garbled_text"         // a text layer that does not decode to words
	FlagOCR         = "ocr"                  // some text was recognised from pictures, not read
	FlagMojibake    = "mojibake"             // was decoded wrongly before it was published: Ã© for é
	FlagUndecoded   = "undecoded_characters" // bytes that did not decode, here or before it was published, are U+FFFD
	FlagPaywalled   = "paywalled_part"       // says of itself that parts of it are not free
	FlagHiddenSheet = "hidden_sheet_skipped"
	FlagLFSPointer  = "lfs_pointer"
	FlagRefused     = "archive_entries_refused" // names that lead out of the archive, links and devices
	FlagSkipped     = "files_skipped"           // binary, generated, vendored or very large files of a repository
)

// A Mark says when a part of a transcript's block is said: from Offset (bytes into Text) on.
type Mark struct {
	Offset  int `json:"offset"`
	Seconds int `json:"seconds"`
}

// At returns the narrowest locator of the text at an offset into the block: in a transcript the moment at which its cue
// begins, elsewhere the block's own locator. It is for showing a reader the way; spans are known by Locator.
func (b *Block) At(offset int) evidence.Locator {
	at := b.Locator
	for _, m := range b.Marks {
		if m.Offset > offset {
			break
		}
		at.A = m.Seconds
	}
	return at
}
