package extract

import (
	"bytes"
	"net/url"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"ibid/internal/lazyregexp"
)

// form is a format that has a reader.
type form int

const (
	formText form = iota
	formHTML
	formMarkdown
	formSource // a file of code or configuration, cited by lines
	formSheet
	formVTT
	formSRT // SubRip and SBV
	formPDF // from here on a part of a document is no document
	formArchive
	formDOCX
	formPPTX
	formXLSX
	formODF
	formEPUB
	formFeed
	formMail
	formJSON
	formXML
	formTeX
	formNotebook
	formCues   // captions in JSON
	formTimed  // captions in XML
	formTool   // what a tool of an MCP server answered
	formBinary // no text
)

// whole reports whether a format can only be read as a whole: a part of it is no document.
func (f form) whole() bool { return f >= formPDF }

// extensions says what a file is whose bytes are only "text".
var extensions = map[string]form{
	".html": formHTML, ".htm": formHTML, ".xhtml": formHTML, ".shtml": formHTML,
	".md": formMarkdown, ".markdown": formMarkdown, ".mdown": formMarkdown, ".mkd": formMarkdown, ".mdx": formMarkdown, ".qmd": formMarkdown, ".rmd": formMarkdown,
	".csv": formSheet, ".tsv": formSheet, ".tab": formSheet, ".vtt": formVTT, ".srt": formSRT, ".sbv": formSRT,
	".tex": formTeX, ".ltx": formTeX, ".latex": formTeX,
	".txt": formText, ".text": formText, ".log": formText, ".rst": formText, ".org": formText, ".adoc": formText,
}

// sourceExtensions are files whose lines people count.
var sourceExtensions = set(`.go .py .pyi .js .mjs .cjs .jsx .ts .tsx .c .h .cc .cpp .cxx .hpp .hh .cs .java .kt .kts .scala .rb
	.rs .swift .m .mm .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs .erl .clj .lisp .el .sh .bash .zsh .fish .ps1 .bat .sql
	.proto .graphql .css .scss .less .vue .svelte .yaml .yml .toml .ini .cfg .conf .xsd .xsl .xslt .wsdl .csproj .tf .nix .cmake .gradle .mod
	.s .asm .f .f90 .pas .zig .nim .dart .v .vhd .diff .patch .sty .cls .bib .tmpl .tpl .j2 .erb .jsonc .json5 .hcl`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	markup    = lazyregexp.New(`(?is)^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])`)
	srtStart  = lazyregexp.New(`^\s*\d+[ \t]*\r?\n\s*\d+:\d\d:\d\d[,.]\d+\s*-->`)
	sbvStart  = lazyregexp.New(`^\s*\d+:\d\d:\d\d\.\d{3},\d+:\d\d:\d\d\.\d{3}\r?\n`)
	tag       = lazyregexp.New(`<(?:[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?|/[A-Za-z][A-Za-z0-9]*\s*|!--.*?--|![A-Za-z][^<>]*)>`)
	fragment  = lazyregexp.New(`(?i)^\s*(?:<!--.*?-->\s*)*<(?:head|body|title|meta|div|p|h[1-6]|table|ul|ol|dl|section|article|main|header|nav|span|a|img|link|script|style|blockquote|pre|form|details|figure|br|center|font|b|i|strong|em)(?:\s[^<>]*)?/?>`)
	pdfObject = lazyregexp.New(`\d+\s+\d+\s+obj\b`)
	texStart  = lazyregexp.New(`(?m)^[ \t]*\\document(?:class|style)\b`)
)

// sniffed is how much of a text is looked at, in bytes.
const sniffed = 64 << 10

// sniff decides what a document is. Bytes that name their format beat what was declared; the declaration and then the
// extension decide among the kinds of text, which bytes cannot tell apart.
func sniff(in Input) (form, error) {
	if strings.HasPrefix(in.URL, ToolScheme) { // such a name is of our own making
		return formTool, nil
	}
	if isPDF(in.Body) {
		return formPDF, nil
	}
	if f, err := packed(in); f != formText || err != nil {
		return f, err
	}
	declared, ext := mediaType(in.ContentType), extension(in.URL)
	if !isText(in.Body) {
		return formBinary, unsupported(in, describe(mimetype.Detect(in.Body).String(), declared))
	}
	// Markup is looked at as text behind a byte order mark in whatever encoding.
	text, _ := decode(in.Body[:min(len(in.Body), sniffed)], in.ContentType)
	if f, ok := captions(text, declared, ext); ok {
		if f == formText {
			return 0, &Unreadable{URL: in.URL, Reason: WrongType, Detail: "a web page came in place of captions: the site blocks or limits readers"}
		}
		return f, nil
	}
	if markup.MatchString(text) {
		return formHTML, nil
	}
	if f, ok := xmlForm(text, declared, ext); ok {
		return f, nil
	}
	switch start := strings.TrimSpace(text[:min(len(text), 64)]); {
	case strings.HasPrefix(start, `{\rtf`):
		return 0, unsupported(in, "Rich Text (.rtf): save it as DOCX or PDF")
	case strings.HasPrefix(start, "%!PS"):
		return 0, unsupported(in, "PostScript: convert it to PDF")
	}
	if f, ok := jsonForm(in.Body, text, declared, ext); ok {
		return f, nil
	}
	switch {
	case wantsCaptions(declared, ext):
		return 0, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it holds no captions"}
	case !sourceExtensions[ext] && isMail(text):
		return formMail, nil
	case !sourceExtensions[ext] && isTeX(text):
		return formTeX, nil
	}
	return textForm(text, declared, ext), nil
}

func unsupported(in Input, what string) *Unreadable {
	return &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "there is no reader for " + what}
}

// isPDF looks for the header, which may stand behind other bytes. A text that only speaks of it has no objects.
func isPDF(body []byte) bool {
	i := bytes.Index(body[:min(len(body), 1024+8)], []byte("%PDF-"))
	if i < 0 || i+5 >= len(body) || body[i+5] < '0' || body[i+5] > '9' {
		return false
	}
	return i == 0 || body[i-1] == '\n' && !bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) && len(body)-i < 64 ||
		pdfObject.Match(body[i:]) || !isText(body)
}

// textForm decides by what was declared, then by the name, then by a look at a text that nothing is known of.
func textForm(text, declared, ext string) form {
	switch declared {
	case "text/html", "application/xhtml+xml":
		if tag.MatchString(text) {
			return formHTML
		}
	case "text/markdown", "text/x-markdown":
		return formMarkdown
	case "text/csv", "text/tab-separated-values":
		return formSheet
	case "application/x-tex", "text/x-tex", "application/x-latex":
		return formTeX
	}
	if sourceExtensions[ext] || ext == "" && strings.HasPrefix(text, "#!/") {
		return formSource
	}
	if f, ok := extensions[ext]; ok && ext != ".txt" && (f != formHTML || tag.MatchString(text)) {
		return f
	}
	switch {
	case isTable(text):
		return formSheet
	case declared != "text/plain" && ext != ".txt" && fragment.MatchString(text):
		return formHTML
	}
	return formText
}

// isTeX reports whether a text is a document in TeX: the first line that is no comment is a command, and one names the
// class.
func isTeX(text string) bool {
	for line := range strings.Lines(text) { // most texts end here, and are not looked through
		if line = strings.TrimSpace(line); line != "" && line[0] != '%' {
			return line[0] == '\\' && texStart.MatchString(text)
		}
	}
	return false
}

func mediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// extension returns the extension of a URL's path, in lower case.
func extension(raw string) string { return strings.ToLower(path.Ext(baseName(raw))) }

// baseName returns the last element of a URL's path, decoded, without what follows it.
func baseName(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		raw, _, _ = strings.Cut(raw, "#")
		raw, _, _ = strings.Cut(raw, "?")
		return strings.ToValidUTF8(path.Base(raw), "\ufffd")
	}
	if u.Path == "" || u.Path == "/" {
		return ""
	}
	return strings.ToValidUTF8(path.Base(u.Path), "\ufffd")
}

// isText reports whether a body can be shown as text: no zero bytes, except in UTF-16, and few control characters.
func isText(body []byte) bool {
	head := body[:min(len(body), 8192)]
	if wideOf(head) != "" {
		return true
	}
	control := 0
	for _, c := range head {
		switch {
		case c == 0 && !markup.Match(head): // a page may have a few
			return false
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1b && c != 0x1a:
			control++
		}
	}
	return control*20 <= len(head) && bytes.Count(body, []byte{0})*200 <= len(body)
}

// describe names a format for a reader.
func describe(found, declared string) string {
	found = mediaType(found)
	kind, _, _ := strings.Cut(found, "/")
	switch {
	case kind == "image":
		found = "pictures (" + found + ")"
	case kind == "audio", kind == "video":
		found = "sound and film (" + found + "): captions or a transcript can be read"
	case found == "application/octet-stream", found == "text/plain":
		found = "these bytes"
	}
	if declared != "" && !strings.Contains(found, declared) && declared != "application/octet-stream" {
		return found + " (declared as " + declared + ")"
	}
	return found
}
