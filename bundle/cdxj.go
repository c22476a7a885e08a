package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// indexLine is what a CDXJ index says of a record.
type indexLine struct {
	URL      string `json:"url"`
	MIME     string `json:"mime"`
	Status   string `json:"status,omitempty"`
	Digest   string `json:"digest"`
	Length   string `json:"length"`
	Offset   string `json:"offset"`
	Filename string `json:"filename"`
}

// index writes the CDXJ index: a line for each response and resource, sorted.
func index(entries []entry) []byte {
	var lines []string
	for _, e := range entries {
		l := indexLine{URL: e.target, MIME: strings.TrimSpace(strings.SplitN(e.mime, ";", 2)[0]), Digest: digest(e.payload),
			Length: fmt.Sprint(e.length), Offset: fmt.Sprint(e.offset), Filename: "data.warc.gz"}
		if e.status != 0 {
			l.Status = fmt.Sprint(e.status)
		}
		lines = append(lines, urlKey(e.target)+" "+e.date.UTC().Format("20060102150405")+" "+string(compact(l)))
	}
	slices.Sort(lines)
	var b bytes.Buffer
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	return b.Bytes()
}

// urlKey is an address in the order in which an index sorts it: com,example)/path?query.
func urlKey(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return strings.ReplaceAll(target, " ", "%20")
	}
	labels := strings.Split(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
	slices.Reverse(labels)
	key := strings.Join(labels, ",")
	if port := u.Port(); port != "" {
		key += ":" + port
	}
	key += ")" + strings.ToLower(u.EscapedPath())
	if u.EscapedPath() == "" {
		key += "/"
	}
	if u.RawQuery != "" {
		key += "?" + strings.ToLower(u.RawQuery)
	}
	return key
}

func requestTarget(target string) string {
	if u, err := url.Parse(target); err == nil {
		return u.RequestURI()
	}
	return "/"
}

func hostOf(target string) string {
	if u, err := url.Parse(target); err == nil {
		return u.Host
	}
	return ""
}

// compact is a value as one line of JSON.
func compact(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
