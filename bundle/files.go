package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"ibid/audit"
)

// derive writes the files that follow from what a bundle says, so that a check can write them again and compare.
func (c *contents) derive(files map[string][]byte) error {
	files[reportFile] = []byte(c.report.Report)
	for _, f := range []struct {
		name  string
		lines func(add func(any))
	}{
		{pagesFile, c.pages},
		{sourcesFile, func(add func(any)) {
			for _, s := range c.report.Sources {
				add(s)
			}
		}},
		{findingsFile, func(add func(any)) {
			for _, f := range c.report.Findings {
				add(f)
			}
		}},
	} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		var failed error
		f.lines(func(v any) {
			if err := e.Encode(v); err != nil && failed == nil {
				failed = fmt.Errorf("writing %s: %w", f.name, err)
			}
		})
		if failed != nil {
			return failed
		}
		files[f.name] = b.Bytes()
	}
	var spans bytes.Buffer
	for _, s := range c.sources() {
		spans.Write(spanLines(c.spans[s.ID]))
	}
	files[spansFile] = spans.Bytes()
	return nil
}

// pages lists the sources as a WACZ reader shows them.
func (c *contents) pages(add func(any)) {
	add(struct {
		Format string `json:"format"`
		ID     string `json:"id"`
		Title  string `json:"title"`
	}{"json-pages-1.0", "pages", "Sources"})
	for _, s := range c.sources() {
		add(struct {
			ID    string `json:"id"`
			URL   string `json:"url"`
			TS    string `json:"ts"`
			Title string `json:"title"`
		}{s.ID, targetOf(s.URL), s.Fetched.UTC().Format(time.RFC3339), s.Title})
	}
}

// A verdict is what the check says of a line of the report.
type verdict struct {
	Line    int      `json:"line"` // from 1; 0 is the whole report
	Text    string   `json:"text"`
	Verdict string   `json:"verdict"` // pass, cleared, flag, accepted, block
	Codes   []string `json:"codes,omitempty"`
}

// worse ranks what a line may get.
var worse = map[string]int{"pass": 0, string(audit.Cleared): 1, string(audit.Flag): 2, string(audit.Accepted): 3, string(audit.Block): 4}

// verdicts writes what the check says of every line of the report that says something.
func verdicts(markdown []byte, r audit.Result) ([]byte, error) {
	of := map[int]*verdict{}
	get := func(line int) *verdict {
		if of[line] == nil {
			of[line] = &verdict{Line: line, Verdict: "pass"}
		}
		return of[line]
	}
	for _, f := range r.Failures {
		v := get(f.Line)
		v.Codes = append(v.Codes, string(f.Code))
		if worse[string(f.Severity)] > worse[v.Verdict] {
			v.Verdict = string(f.Severity)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(get(0)); err != nil {
		return nil, err
	}
	for i, text := range strings.Split(string(markdown), "\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		v := get(i + 1)
		v.Text = text
		if err := e.Encode(v); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// datapackage lists every file with its hash, as WACZ wants it; the second file holds the hash of the first.
func (c *contents) datapackage(files map[string][]byte) (pkg, sum []byte) {
	type resource struct {
		Name  string `json:"name"`
		Path  string `json:"path"`
		Hash  string `json:"hash"`
		Bytes int    `json:"bytes"`
	}
	d := struct {
		Profile   string     `json:"profile"`
		Title     string     `json:"title"`
		Version   string     `json:"wacz_version"`
		Software  string     `json:"software"`
		Created   string     `json:"created"`
		MainPage  string     `json:"mainPageUrl,omitempty"`
		Resources []resource `json:"resources"`
	}{Profile: "data-package", Title: c.report.Question, Version: "1.1.1", Software: softwarePrefix + c.program,
		Created: c.report.Facts.Finished.UTC().Format(time.RFC3339), Resources: []resource{}}
	if list := c.sources(); len(list) > 0 {
		if u, err := url.Parse(targetOf(list[0].URL)); err == nil && u.Host != "" {
			d.MainPage = targetOf(list[0].URL)
		}
	}
	for _, name := range names {
		if name != packageFile && name != digestFile {
			d.Resources = append(d.Resources, resource{strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]), name, "sha256:" + hexSHA256(files[name]), len(files[name])})
		}
	}
	pkg = indented(d)
	sum = indented(struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}{packageFile, "sha256:" + hexSHA256(pkg)})
	return pkg, sum
}

const softwarePrefix = "ibid "

func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil { // of strings and numbers there is none
		return nil
	}
	return b.Bytes()
}
