// Package evidence is the vocabulary of ibid: what was read (Source), where in it (Locator, Span), what was found
// (Finding) and how a report points at it (Citation). It also holds the quote matcher, the one place where two
// spellings of the same words are treated as the same. It imports nothing of ibid.
package evidence

import "time"

// Kind says what sort of thing a source is, and with it which locators its spans carry.
type Kind string

const (
	HTML       Kind = "html"       // para.N
	PDF        Kind = "pdf"        // p.N, p.N.M
	Transcript Kind = "transcript" // t=MM:SS, t=H:MM:SS
	Repo       Kind = "repo"       // path:L1-L20
	Text       Kind = "text"       // para.N
	Markdown   Kind = "markdown"   // para.N
	Sheet      Kind = "sheet"      // sheet.NAME!A1:D9
	Document   Kind = "document"   // of a word processor, or a paper in XML or TeX: para.N
	Slides     Kind = "slides"     // slide.N, slide.N.M
	Book       Kind = "book"       // ch.N para.M
	Notebook   Kind = "notebook"   // cell.N, cell.N.M
	Data       Kind = "data"       // JSON: /json/pointer
	Feed       Kind = "feed"       // para.N, headed by its entry
	Mail       Kind = "mail"       // para.N
	MCP        Kind = "mcp"        // what a tool of an MCP server answered: /json/pointer, or content/0/text:L1-L20
)

// A Source is one retrieved artifact. IDs are S1, S2 … in order of reading within a run.
type Source struct {
	ID          string    `json:"id"`
	URL         string    `json:"url"` // where it was read, after redirects; what a reader follows
	Title       string    `json:"title"`
	Kind        Kind      `json:"kind"`
	SHA256      string    `json:"sha256"`      // hex, of the raw bytes as fetched
	TextSHA256  string    `json:"text_sha256"` // hex, of the spans as extracted: see TextHash
	Fetched     time.Time `json:"fetched"`     // UTC, second precision; zero means it was never read
	Author      string    `json:"author,omitempty"`
	Publisher   string    `json:"publisher,omitempty"`
	Published   string    `json:"published,omitempty"`   // as the document states it, ISO 8601 where it could be read
	Modified    string    `json:"modified,omitempty"`    // likewise
	DOI         string    `json:"doi,omitempty"`         // 10.1234/abc
	Licence     string    `json:"licence,omitempty"`     // a URL or a name, as stated
	Language    string    `json:"language,omitempty"`    // BCP 47
	Status      string    `json:"status,omitempty"`      // retracted, superseded …, as stated of it where it was read
	StatusNote  string    `json:"status_note,omitempty"` // likewise, in a sentence
	ExtractedBy string    `json:"extracted_by,omitempty"`
	Flags       []string  `json:"flags,omitempty"` // what a reader should know: hidden_text_dropped, truncated …
}

// A Span is a quotable piece of one source at one locator. Text is raw: as extracted, never folded.
type Span struct {
	Source  string  `json:"source"`
	Locator Locator `json:"locator"`
	Text    string  `json:"text"`
	Heading string  `json:"heading,omitempty"` // nearest heading above, as context for a reader; not quotable here
	Role    Role    `json:"role,omitempty"`    // empty means ordinary running text
	Columns string  `json:"columns,omitempty"` // of a table row: the heads of its columns, joined like the row
	Caption string  `json:"caption,omitempty"` // of a table row: its table's caption
	Label   string  `json:"label,omitempty"`   // the number printed on the page, where it differs from the locator's
}

// Role is what a span is on its page, where that matters to how its words may be used.
type Role string

const (
	RoleText    Role = ""
	RoleHeading Role = "heading"
	RoleRow     Role = "row"     // one table row, cells joined by " | "
	RoleCaption Role = "caption" // of a figure or table
	RoleItem    Role = "item"    // of a list
	RoleCode    Role = "code"
	RoleQuote   Role = "quote"   // somebody else's words on this page
	RoleComment Role = "comment" // third-party text
)

// A Key names a span across a run: S5:para.2.
type Key struct {
	Source  string
	Locator Locator
}

// Key returns the span's key.
func (s Span) Key() Key { return Key{s.Source, s.Locator} }

// A Finding binds a claim (the agent's words) to a quote (the source's words). Its quote was verified when it was
// recorded; there is no other way to make one (FIND-1).
type Finding struct {
	ID          string    `json:"id"` // F1, F2 … in order of recording
	Claim       string    `json:"claim"`
	Quote       string    `json:"quote"` // the source's own bytes, not the copy that was offered
	Source      string    `json:"source"`
	Locator     Locator   `json:"locator"`
	Until       *Locator  `json:"until,omitempty"` // last span, where the quote runs over into the next one
	Match       MatchKind `json:"match"`
	Subquestion string    `json:"subquestion"`
	Agent       string    `json:"agent,omitempty"` // of a team, that recorded it: a1; "" is the lead
	Flags       []string  `json:"flags,omitempty"`
	Judged      *Ruling   `json:"judged,omitempty"`   // what a judge says of it, where it was flagged
	Rejected    string    `json:"rejected,omitempty"` // a person's reason; a rejected finding enters no report

	Accepted *Acceptance `json:"accepted,omitempty"` // by a person, though rules block it; the report says so
}

// Key returns the key of the span that the finding cites.
func (f Finding) Key() Key { return Key{f.Source, f.Locator} }
