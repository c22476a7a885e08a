package extract

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"ibid/internal/lazyregexp"
)

// captions recognises captions in plain text, and a web page where captions were asked for, which is formText.
func captions(text, declared, ext string) (form, bool) {
	switch {
	case strings.HasPrefix(text, "WEBVTT"):
		return formVTT, true
	case srtStart.MatchString(text), sbvStart.MatchString(text):
		return formSRT, true
	case wantsCaptions(declared, ext) && markup.MatchString(text):
		return formText, true
	}
	return 0, false
}

func wantsCaptions(declared, ext string) bool {
	switch {
	case declared == "text/vtt", declared == "application/x-subrip", declared == "application/ttml+xml":
		return true
	}
	return ext == ".vtt" || ext == ".srt" || ext == ".sbv" || ext == ".ttml" || ext == ".dfxp"
}

// xmlForm recognises the kinds of XML by their root element.
func xmlForm(text, declared, ext string) (form, bool) {
	root, doctype, declares := xmlRoot(text)
	if root == nil {
		return formXML, declares // which its reader will say is damaged
	}
	space, name := root.Name.Space, root.Name.Local
	named := declares || doctype != "" || strings.HasSuffix(declared, "xml") || ext == ".xml" || ext == ".nxml" || ext == ".svg"
	spaces := ""
	for _, a := range root.Attr {
		if a.Name.Local == "xmlns" || a.Name.Space == "xmlns" {
			spaces += " " + a.Value
			if a.Name.Space == "xmlns" && a.Name.Local == space || space == "" && a.Name.Local == "xmlns" {
				space = a.Value
			}
		}
	}
	switch {
	case name == "html":
		return formHTML, true
	case name == "rss", name == "feed" && (strings.Contains(space, "tom") || named || declared == "application/atom+xml"),
		name == "RDF" && (strings.Contains(spaces, "purl.org/rss") || strings.Contains(spaces, "netscape")):
		return formFeed, true
	case name == "tt" && (named || spaces != ""), name == "transcript" && strings.Contains(text, "<text start="), name == "timedtext":
		return formTimed, true
	case extensions[ext] == formMarkdown && !declares && spaces == "", sourceExtensions[ext]:
		return 0, false
	case named, spaces != "" && name != "svg", name == "article" && strings.Contains(text, "<front>"):
		return formXML, true
	}
	return 0, false
}

// xmlRoot returns the first element of a text that begins as XML does; nil if it does not.
func xmlRoot(text string) (root *xml.StartElement, doctype string, declares bool) {
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	if !strings.HasPrefix(text, "<") {
		return nil, "", false
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return nil, doctype, declares
		}
		switch t := token.(type) {
		case xml.StartElement:
			t = t.Copy()
			return &t, doctype, declares
		case xml.EndElement:
			return nil, "", false
		case xml.ProcInst:
			declares = declares || t.Target == "xml"
		case xml.Directive:
			doctype = string(t)
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return nil, "", false
			}
		}
	}
}

// jsonForm recognises the kinds of JSON. Text that only begins like it is told apart by reading on.
func jsonForm(body []byte, text, declared, ext string) (form, bool) {
	text = strings.TrimLeft(text, "\ufeff \t\r\n")
	if text == "" || text[0] != '{' && text[0] != '[' || sourceExtensions[ext] {
		return 0, false
	}
	switch {
	case looksLikeCues(body):
		return formCues, true
	case ext == ".ipynb", declared == "application/x-ipynb+json", bytes.Contains(body, []byte(`"nbformat"`)) && (bytes.Contains(body, []byte(`"cells"`)) || bytes.Contains(body, []byte(`"worksheets"`))):
		return formNotebook, true
	case strings.Contains(text[:min(len(text), 4096)], "jsonfeed.org/version"):
		return formFeed, true
	case isJSON(text), (ext == ".jsonl" || ext == ".ndjson") && beginsWithJSON(text):
		return formJSON, true
	case strings.HasSuffix(declared, "json"), ext == ".json", ext == ".jsonl", ext == ".ndjson", ext == ".geojson":
		return formSource, true // with comments, say: not JSON, but lines that can be counted
	}
	return 0, false
}

// isJSON reports whether a text is JSON as far as it goes, or begins with a line that is.
func isJSON(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return true
		case tooDeep(err):
			return true
		case err != nil:
			rest := strings.TrimLeft(text[d.InputOffset():], " \t\r")
			return n > 0 && strings.HasPrefix(rest, "\n") && strings.HasPrefix(strings.TrimSpace(rest), "{")
		}
	}
}

// beginsWithJSON reports whether the first line of a text is a value.
func beginsWithJSON(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return json.Valid([]byte(line))
}

// tooDeep reports whether the library refuses to read on for the depth of what was well-formed so far.
func tooDeep(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) && strings.HasSuffix(syntax.Error(), "exceeded max depth")
}

var headerLine = lazyregexp.New(`^([A-Za-z][A-Za-z0-9-]*):(?:[ \t]|$)`)

// isMail reports whether a text begins with the header of a mail: lines of fields, among them who wrote it and one of
// those that every mail has. Before it may stand the line that parts the mails of a mailbox.
func isMail(text string) bool {
	const most = 500 // lines of a header
	fields := map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || n == most {
			break
		}
		switch m := headerLine.FindStringSubmatch(line); {
		case n == 0 && mboxLine.MatchString(line):
		case m != nil:
			fields[strings.ToLower(m[1])] = true
		case n == 0 || line[0] != ' ' && line[0] != '\t':
			return false
		}
		n++
	}
	known := 0
	for _, f := range []string{"to", "subject", "date", "message-id", "mime-version", "content-type", "delivered-to"} {
		if fields[f] {
			known++
		}
	}
	return known >= 2 && (fields["from"] || fields["return-path"] || fields["received"] || fields["sender"])
}

// isTable reports whether a text is a table of separated values: three lines or more, each with the same number of
// fields, as no prose has it.
func isTable(text string) bool {
	for _, sep := range "\t,;|" {
		if tabular(text, byte(sep)) {
			return true
		}
	}
	return false
}

// tabular reports whether a separator divides every line into the same number of fields.
func tabular(text string, sep byte) bool {
	const look = 200 // lines
	want, lines, spaced := 0, 0, 0
	quoted, fields, size := false, 1, 0
	for line := range strings.Lines(text) {
		whole := strings.HasSuffix(line, "\n") || len(text) < sniffed-3 // else it may have been cut
		if line = strings.TrimSpace(line); line == "" && !quoted {
			continue
		}
		for i := range len(line) {
			switch {
			case line[i] == '"':
				quoted = !quoted
			case line[i] == sep && !quoted:
				if fields++; i+1 < len(line) && line[i+1] == ' ' {
					spaced++
				}
			}
		}
		if size += len(line); size > 1000*fields {
			return false
		}
		if quoted {
			continue
		}
		if lines == 0 {
			want = fields
		}
		if whole && fields != want || want < 2 {
			return false
		}
		if lines++; lines == look {
			break
		}
		fields, size = 1, 0
	}
	switch {
	case lines < 3 || quoted:
		return false
	case sep == '\t':
		return true
	}
	return want > 2 && spaced < lines || want == 2 && spaced == 0 && lines >= 5 || want > 4
}
