package fetch

import (
	"net/url"
	"path"
	"strings"
)

const (
	ooxml = "application/vnd.openxmlformats-officedocument."
	odf   = "application/vnd.oasis.opendocument."
)

// contentTypes are the types of documents by extension, the same on every machine. What is not here has none, and is
// told by its bytes. The old office formats are here so that a reader is told why they are not read.
var contentTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml", ".md": "text/markdown", ".markdown": "text/markdown",
	".txt": "text/plain", ".text": "text/plain", ".csv": "text/csv", ".tsv": "text/tab-separated-values", ".pdf": "application/pdf",
	".vtt": "text/vtt", ".srt": "application/x-subrip", ".json": "application/json", ".ipynb": "application/x-ipynb+json",
	".docx": ooxml + "wordprocessingml.document", ".dotx": ooxml + "wordprocessingml.template", ".docm": "application/vnd.ms-word.document.macroEnabled.12",
	".pptx": ooxml + "presentationml.presentation", ".ppsx": ooxml + "presentationml.slideshow", ".potx": ooxml + "presentationml.template",
	".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12", ".ppsm": "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
	".xlsx": ooxml + "spreadsheetml.sheet", ".xltx": ooxml + "spreadsheetml.template", ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
	".xlsb": "application/vnd.ms-excel.sheet.binary.macroEnabled.12",
	".odt":  odf + "text", ".ott": odf + "text-template", ".fodt": odf + "text-flat-xml", ".odp": odf + "presentation", ".fodp": odf + "presentation-flat-xml",
	".ods": odf + "spreadsheet", ".fods": odf + "spreadsheet-flat-xml", ".odg": odf + "graphics", ".epub": "application/epub+zip",
	".doc": "application/msword", ".ppt": "application/vnd.ms-powerpoint", ".xls": "application/vnd.ms-excel",
}

// kinds are hints for what a document is, by extension, where it is not the content type that tells.
var kinds = map[string]string{
	"text/html": "html", "application/xhtml+xml": "html", "text/markdown": "markdown", "text/plain": "text", "text/csv": "sheet",
	"text/tab-separated-values": "sheet", "application/pdf": "pdf", "text/vtt": "transcript", "application/x-subrip": "transcript",
	"application/epub+zip": "book",
}

// officeKinds are the same hints for office documents, by a word of their types.
var officeKinds = []struct{ word, kind string }{
	{"word", "document"}, {"opendocument.text", "document"}, {"powerpoint", "slides"}, {"presentation", "slides"}, {"opendocument.graphics", "slides"},
	{"excel", "sheet"}, {"sheet", "sheet"},
}

func contentType(name string) string { return contentTypes[strings.ToLower(path.Ext(name))] }

// kindOf is a hint for what a document of a type is, "" if there is none.
func kindOf(contentType string) string {
	if k, ok := kinds[contentType]; ok {
		return k
	}
	if strings.HasPrefix(contentType, "application/vnd.") || contentType == "application/msword" {
		for _, o := range officeKinds {
			if strings.Contains(contentType, o.word) {
				return o.kind
			}
		}
	}
	return ""
}

// otherFiles are more endings of files that are no pages.
var otherFiles = map[string]bool{".zip": true, ".tar": true, ".gz": true, ".tgz": true, ".xml": true}

// LooksLikeFile reports whether an address says that it holds a file rather than a page: by its ending, or as arXiv and
// others do, by a folder named pdf. A file may be as large as MaxFile.
func LooksLikeFile(at string) bool {
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	p := strings.ToLower(u.Path)
	ext := path.Ext(p)
	switch t := contentTypes[ext]; t {
	case "", "text/html", "application/xhtml+xml", "text/markdown":
		return otherFiles[ext] || strings.Contains(p, "/pdf/")
	}
	return true
}
