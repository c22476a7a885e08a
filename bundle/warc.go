package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"ibid/evidence"
)

// A record is one of the WARC file (WARC/1.1, ISO 28500:2017).
type record struct {
	fields  [][2]string
	block   []byte
	target  string // "" for those that an index leaves out
	mime    string
	status  int
	payload []byte
	date    time.Time
}

// An entry is what the index says of a record.
type entry struct {
	record
	offset, length int
}

// archive writes the records, a gzip member each.
func (c *contents) archive() (warc []byte, entries []entry, err error) {
	var out bytes.Buffer
	for r := range c.records {
		packed, err := compress(r.bytes())
		if err != nil {
			return nil, nil, err
		}
		if r.target != "" {
			entries = append(entries, entry{r, out.Len(), len(packed)})
		}
		out.Write(packed)
		if out.Len() > MaxFile {
			return nil, nil, fmt.Errorf("the sources take more than %d bytes", MaxFile)
		}
	}
	return out.Bytes(), entries, nil
}

// records yields the records: what the file is; and for every source the exchange with its server, or the resource where
// there was none or it is not known, and the text that was extracted from it.
func (c *contents) records(yield func(record) bool) {
	info := fmt.Sprintf("software: ibid %s\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\nisPartOf: ibid run %s\r\n", oneLine(c.program), oneLine(c.report.Run))
	if !yield(c.record("warcinfo", "", c.report.Facts.Finished, "application/warc-fields", []byte(info))) {
		return
	}
	for _, s := range c.sources() {
		for _, r := range c.sourceRecords(s) {
			if !yield(r) {
				return
			}
		}
	}
}

func (c *contents) sourceRecords(s evidence.Source) []record {
	raw, reading := c.payloads[s.ID], c.reading[s.ID]
	target, kind := targetOf(s.URL), declared(reading.ContentType)
	var list []record
	var main record
	if e := reading.Exchange; e != nil && (strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")) {
		head := fmt.Sprintf("HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\n\r\n", e.Status, http.StatusText(e.Status), fieldLines(e.Header), len(raw))
		main = c.record("response", s.ID, s.Fetched, "application/http; msgtype=response", append([]byte(head), raw...), [2]string{"WARC-Target-URI", target},
			[2]string{"WARC-Payload-Digest", digest(raw)})
		main.status = e.Status
		if e.Asked != nil {
			ask := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", requestTarget(target), hostOf(target), fieldLines(e.Asked))
			list = append(list, c.record("request", s.ID, s.Fetched, "application/http; msgtype=request", []byte(ask), [2]string{"WARC-Target-URI", target},
				[2]string{"WARC-Concurrent-To", c.recordID("response", s.ID)}))
		}
	} else {
		main = c.record("resource", s.ID, s.Fetched, kind, raw, [2]string{"WARC-Target-URI", target}, [2]string{"WARC-Payload-Digest", digest(raw)})
	}
	main.target, main.mime, main.payload = target, kind, raw
	list = append(list, main)
	return append(list, c.record("conversion", s.ID, s.Fetched, "application/x-ndjson", spanLines(c.spans[s.ID]), [2]string{"WARC-Target-URI", target},
		[2]string{"WARC-Refers-To", main.id()}, [2]string{"X-Ibid-Extractor", oneLine(s.ExtractedBy)}, [2]string{"X-Ibid-Source", s.ID}))
}

// record makes a record. Its id follows from what it is of, so that the same run gives the same bytes.
func (c *contents) record(kind, source string, at time.Time, contentType string, block []byte, more ...[2]string) record {
	fields := [][2]string{{"WARC-Type", kind}, {"WARC-Record-ID", c.recordID(kind, source)}, {"WARC-Date", at.UTC().Format(time.RFC3339)}}
	fields = append(append(fields, more...), [2]string{"WARC-Block-Digest", digest(block)}, [2]string{"Content-Type", contentType})
	return record{fields: fields, block: block, date: at}
}

func (r *record) id() string { return r.fields[1][1] }

// recordID is a UUID of version 8 (RFC 9562): of a hash.
func (c *contents) recordID(kind, source string) string {
	id := sha256.Sum256([]byte("ibid\x00" + c.report.Run + "\x00" + source + "\x00" + kind))
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:16])
}

func (r record) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("WARC/1.1\r\n")
	for _, f := range r.fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f[0], f[1])
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(r.block))
	b.Write(r.block)
	b.WriteString("\r\n\r\n")
	return b.Bytes()
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + base32.StdEncoding.EncodeToString(sum[:])
}

// fieldLines prints a header's fields by name. One that would break a line is left out.
func fieldLines(h http.Header) string {
	var b strings.Builder
	for _, name := range sortedKeys(h) {
		for _, v := range h[name] {
			if name != "Content-Length" && name != "Host" && oneLine(name+v) == name+v {
				fmt.Fprintf(&b, "%s: %s\r\n", name, v)
			}
		}
	}
	return b.String()
}

func sortedKeys(h http.Header) []string {
	list := make([]string, 0, len(h))
	for name := range h {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// oneLine drops what would end a field's line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// targetOf is the address of a source as a URI.
func targetOf(url string) string {
	if strings.Contains(url, "://") {
		return oneLine(strings.ReplaceAll(url, " ", "%20"))
	}
	return "urn:x-ibid:" + oneLine(strings.ReplaceAll(url, " ", "%20"))
}

// declared is the media type of a resource; what is none is bytes.
func declared(contentType string) string {
	if kind, params, err := mime.ParseMediaType(contentType); err == nil {
		if s := mime.FormatMediaType(kind, params); s != "" {
			return s
		}
	}
	return "application/octet-stream"
}

// spanLines are the spans of a source, a line each.
func spanLines(spans []evidence.Span) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, s := range spans {
		if err := e.Encode(s); err != nil { // a span of strings has no other failure than a locator that is none
			return nil
		}
	}
	return b.Bytes()
}
