package extract

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// form is a format that has a reader.
type form int

const (
	formText form = iota
	formHTML
	formMarkdown
	formSource // a file of code or configuration, cited by lines
	formSheet
	formNotebook
	formVTT
	formSRT
	formCues // captions in JSON
	formPDF
	formArchive
	formDOCX
	formPPTX
	formXLSX
	formODF
	formEPUB
	formFeed
	formMail
	formJSON
	formJATS
	formTeX
)

// extensions says what a file is whose bytes are only "text".
var extensions = map[string]form{
	".html": formHTML, ".htm": formHTML, ".xhtml": formHTML, ".shtml": formHTML,
	".md": formMarkdown, ".markdown": formMarkdown, ".mdown": formMarkdown, ".mdx": formMarkdown,
	".csv": formSheet, ".tsv": formSheet, ".tab": formSheet, ".ipynb": formNotebook, ".vtt": formVTT, ".srt": formSRT,
	".txt": formText, ".text": formText, ".log": formText, ".rst": formText, ".org": formText, ".adoc": formText, ".json": formText,
}

// sourceExtensions are files whose lines people count.
var sourceExtensions = set(`.go .py .pyi .js .mjs .cjs .jsx .ts .tsx .c .h .cc .cpp .cxx .hpp .hh .cs .java .kt .kts .scala .rb
	.rs .swift .m .mm .php .pl .pm .lua .r .jl .hs .ml .mli .ex .exs .erl .clj .lisp .el .sh .bash .zsh .fish .ps1 .bat .sql
	.proto .graphql .css .scss .less .vue .svelte .yaml .yml .toml .ini .cfg .conf .xml .xsd .tf .nix .cmake .gradle .mod
	.s .asm .f .f90 .pas .zig .nim .dart .v .vhd .diff .patch .tex .bib`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	markup   = regexp.MustCompile(`(?is)^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html[\s>])`)
	feed     = regexp.MustCompile(`(?is)^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<\?[^>]*\?>\s*)*<(?:rss|feed|rdf:RDF)[\s>]`)
	srtStart = regexp.MustCompile(`^\s*\d+[ \t]*\r?\n\d+:\d\d:\d\d[,.]\d+\s*-->`)
)

// sniff decides what a document is. Bytes that name their format beat what was declared; the declaration and then the
// extension decide among the kinds of text, which bytes cannot tell apart.
func sniff(in Input) (form, error) {
	head := in.Body[:min(len(in.Body), 4096)]
	if bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) {
		return formPDF, nil
	}
	if f, err := officeForm(in); f != formText || err != nil {
		return f, err
	}
	declared, ext := mediaType(in.ContentType), extension(in.URL)
	found := mimetype.Detect(in.Body)
	if f := packed(found); f != formText {
		return f, nil
	}
	switch {
	case found.Is("application/zip"), found.Is("application/x-tar"), found.Is("application/gzip"):
		return formArchive, nil
	case len(in.Body) > 512 && declared == "application/x-tar" && !isText(in.Body):
		return formArchive, nil
	case !isText(in.Body):
		return 0, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "there is no reader for " + describe(found.String(), declared)}
	}
	// Markup and feed look at text behind a byte order mark in whatever encoding.
	text, _ := decode(head, in.ContentType)
	captions := declared == "text/vtt" || declared == "application/x-subrip" || ext == ".vtt" || ext == ".srt"
	switch {
	case strings.HasPrefix(text, "WEBVTT"):
		return formVTT, nil
	case srtStart.MatchString(text):
		return formSRT, nil
	case markup.MatchString(text) && captions:
		return 0, &Unreadable{URL: in.URL, Reason: WrongType, Detail: "a web page came in place of captions: the site blocks or limits readers"}
	case markup.MatchString(text):
		return formHTML, nil
	case feed.MatchString(text):
		return formFeed, nil
	case captions:
		return 0, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it holds no captions"}
	case looksLikeCues(in.Body):
		return formCues, nil
	}
	return textForm(declared, ext), nil
}

// packed names the formats that are an archive of parts.
func packed(found *mimetype.MIME) form {
	for m := found; m != nil; m = m.Parent() {
		switch mediaType(m.String()) {
		case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
			return formDOCX
		case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
			return formPPTX
		case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
			return formXLSX
		case "application/epub+zip":
			return formEPUB
		case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.spreadsheet":
			return formODF
		}
	}
	return formText
}

// textForm decides by what was declared, then by the name.
func textForm(declared, ext string) form {
	switch declared {
	case "text/html", "application/xhtml+xml":
		return formHTML
	case "text/markdown", "text/x-markdown":
		return formMarkdown
	case "text/csv", "text/tab-separated-values":
		return formSheet
	case "application/x-ipynb+json":
		return formNotebook
	}
	if f, ok := extensions[ext]; ok {
		return f
	}
	if sourceExtensions[ext] {
		return formSource
	}
	return formText
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
		return path.Base(raw)
	}
	if u.Path == "" || u.Path == "/" {
		return ""
	}
	return path.Base(u.Path)
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
		case c == 0:
			return false
		case c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1b && c != 0x1a:
			control++
		}
	}
	return control*20 <= len(head)
}

func describe(found, declared string) string {
	found = mediaType(found)
	if found == "application/octet-stream" || found == "text/plain" {
		found = "these bytes"
	}
	if declared != "" && declared != found {
		return found + " (declared as " + declared + ")"
	}
	return found
}
