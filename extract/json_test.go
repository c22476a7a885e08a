package extract

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

// placed prints the blocks of a page, each behind its locator.
func placed(p *Page) []string {
	var list []string
	for _, b := range p.Blocks {
		list = append(list, b.Locator.String()+" "+b.Text)
	}
	return list
}

func TestJSON(t *testing.T) {
	const doc = `{
  "title": "Tides of May",
  "licence": "CC-BY-4.0",
  "total": 1.50e+03,
  "big": 12345678901234567890.10,
  "source": "https://tides.example/api",
  "notes": "The gauge at the pier was out of order on two days in May, and was repaired.",
  "a/b~c": true,
  "range": {"low": -0.4, "high": 3.10},
  "stations": [
    {"name": "Pier", "level": 2.40, "tags": ["north", "old"], "remark": "Measured by hand until the gauge was installed in 1931 by the office."},
    {"name": "L\u00f6ck \"A\"", "level": null},
    {"name": "Quay", "pos": {"lat": 59.90, "lon": 10.70}}
  ],
  "months": ["May", "June"]
}`
	p := read(t, "https://a.example/tides.json", "application/json", doc)
	want := []string{
		`/title "title": "Tides of May"`, `/licence "licence": "CC-BY-4.0"`, `/total "total": 1.50e+03`, `/big "big": 12345678901234567890.10`,
		`/source "source": "https://tides.example/api"`,
		`/notes The gauge at the pier was out of order on two days in May, and was repaired.`,
		`/a~1b~0c "a/b~c": true`, `/range "range": {"low": -0.4, "high": 3.10}`,
		`/stations/0 "name": "Pier" | "level": 2.40 | "tags": ["north", "old"]`,
		`/stations/0/remark Measured by hand until the gauge was installed in 1931 by the office.`,
		`/stations/1 "name": "Löck "A"" | "level": null`,
		`/stations/2 "name": "Quay" | "pos": {"lat": 59.90, "lon": 10.70}`,
		`/months "months": ["May", "June"]`,
	}
	if diff := cmp.Diff(want, placed(p)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Kind != evidence.Data || p.Title != "Tides of May" || p.Licence != "CC-BY-4.0" || p.Stated["title"] != "/title" {
		t.Errorf("kind %s, title %q, licence %q, stated %v", p.Kind, p.Title, p.Licence, p.Stated)
	}
	if len(p.Links) != 1 || p.Links[0].URL != "https://tides.example/api" {
		t.Errorf("links %v", p.Links)
	}
	for _, b := range p.Blocks {
		if b.Locator.Path == "/stations/0/remark" && (b.Heading != "Pier" || doc[b.Start:b.End] != `"`+b.Text+`"`) {
			t.Errorf("heading %q, bytes %q", b.Heading, doc[b.Start:b.End])
		}
	}
}

// Every pointer leads, in the value that the document is, to the text of its block.
func TestJSONPointersResolve(t *testing.T) {
	const doc = `{"a":[{"deep":{"text":"These are eight words that make up a sentence here."}},["x",["Another sentence that has more than eight words in it."]]],
		"":"An empty name is a name all the same, says the standard.","~":{"/":"Odd names have their own way of being written in pointers."}}`
	var root any
	if err := json.Unmarshal([]byte(doc), &root); err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, b := range read(t, "https://a.example/x.json", "", doc).Blocks {
		at := root
		for name := range strings.SplitSeq(b.Locator.Path[1:], "/") {
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
			switch v := at.(type) {
			case map[string]any:
				at = v[name]
			case []any:
				i, err := strconv.Atoi(name)
				if err != nil {
					t.Fatal(err)
				}
				at = v[i]
			}
		}
		if s, ok := at.(string); ok && strings.Count(s, " ") > 6 {
			texts++
			if s != b.Text {
				t.Errorf("%s leads to %q, not %q", b.Locator, s, b.Text)
			}
		}
	}
	if texts != 4 {
		t.Errorf("%d texts of 4", texts)
	}
}

func TestJSONForms(t *testing.T) {
	long := `{"a":[` + strings.TrimSuffix(strings.Repeat("1234567,", 2000), ",") + `],"names":[` + strings.TrimSuffix(strings.Repeat(`"Harbour",`, 500), ",") + `]}`
	for _, c := range []struct {
		name, url, body string
		want            []string
		flag            string
	}{
		{"a value a line", "https://a.example/x.jsonl", "{\"a\":1}\n\n{\"a\":2.0}\n", []string{`/0 "a":1`, `/1 "a":2.0`}, ""},
		{"one line", "https://a.example/x.jsonl", "{\"a\":1}\n", []string{`/0 "a":1`}, ""},
		{"a broken line", "https://a.example/x", "{\"a\":1}\n{\"a\":oops}\n{\"a\":3}\n", []string{`/0 "a":1`, `/1 "a":3`}, FlagTruncated},
		{"cut off", "https://a.example/x.json", `{"rows":[{"a":"x","b":1},{"a":"y","b":12`, []string{`/rows/0 "a":"x" | "b":1`, `/rows/1 "a":"y"`}, FlagTruncated},
		{"a line that is none", "https://a.example/x.jsonl", "{\"a\":1}\nnot json\n{\"a\":3}\n", []string{`/0 "a":1`, `/1 "a":3`}, FlagTruncated},
		{"a name twice: the last one counts", "https://a.example/x.json", `{"a":1,"a":2}`, []string{`/a "a":2`}, ""},
		{"sentences, long and short", "https://a.example/x.json", `{"s":["So.","The tide comes in twice a day at the pier.","Or not."]}`,
			[]string{"/s/0 So.", "/s/1 The tide comes in twice a day at the pier.", "/s/2 Or not."}, ""},
		{"list of lists", "https://a.example/x.json", `{"grid":[[1,2],[3,4]]}`, []string{`/grid "grid":[[1,2],[3,4]]`}, ""},
		{"outermost list", "https://a.example/x.json", `["Oslo", 5]`, []string{`/0 "Oslo"`, `/1 5`}, ""},
		{"nothing", "https://a.example/x.json", `{}`, nil, ""},
	} {
		p := read(t, c.url, "", c.body)
		if diff := cmp.Diff(c.want, placed(p)); diff != "" || c.flag != "" && !hasFlag(p, c.flag) || c.flag == "" && len(p.Flags) > 0 {
			t.Errorf("%s: flags %v, -want +got\n%s", c.name, p.Flags, diff)
		}
	}
	p := read(t, "https://a.example/x.json", "", long)
	if len(p.Blocks) != 500 || p.Blocks[7].Locator.Path != "/names/7" || p.Blocks[7].Text != `"Harbour"` {
		t.Errorf("long lists: %d blocks; the names should each be one, the numbers none", len(p.Blocks))
	}
}

// What is nested deeper than any data is refused as what it is; what stands before it is kept.
func TestJSONDepth(t *testing.T) {
	for _, body := range []string{strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), strings.Repeat(`{"a":`, 200_000)} {
		_, err := Extract(t.Context(), Input{URL: "file:///x/deep.json", Body: []byte(body)})
		if u := (*Unreadable)(nil); !errors.As(err, &u) || u.Reason != TooLarge {
			t.Errorf("%.20s: %v", body, err)
		}
	}
	p := read(t, "https://a.example/x.json", "", `{"a":1,"b":`+strings.Repeat("[", 20_000))
	if diff := cmp.Diff([]string{`/a "a":1`}, placed(p)); diff != "" || !hasFlag(p, FlagTruncated) || p.Kind != evidence.Data {
		t.Errorf("%s, flags %v, -want +got\n%s", p.Kind, p.Flags, diff)
	}
}

// A text in markup is read as what it shows.
func TestJSONMarkup(t *testing.T) {
	p := read(t, "https://a.example/wp-json/posts/1", "application/json",
		`{"id":1,"title":{"rendered":"Tides"},"content":{"rendered":"<p>The tide comes in <b>twice</b> a day.</p>\n<p hidden>SECRET<\/p><p>It leaves twice as well.</p>"}}`)
	if got := placed(p); len(got) != 3 || got[2] != "/content/rendered The tide comes in twice a day.\nIt leaves twice as well." || !hasFlag(p, FlagHidden) {
		t.Errorf("%q, flags %v", got, p.Flags)
	}
}

// Depth and size of what is kept are bounded.
func TestJSONLimits(t *testing.T) {
	alone(t)
	for name, body := range map[string]string{
		"deep lists":   strings.Repeat("[", 200_000),
		"deep objects": strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000),
		"many values":  `[` + strings.Repeat("0,", 3_000_000) + "0]",
		"long names":   `{"` + strings.Repeat("k", 5000) + `":{"a":"This text has a place that no pointer of ours can name."}}`,
	} {
		p, err := Extract(t.Context(), Input{URL: "https://a.example/x.json", Body: []byte(body)})
		var u *Unreadable
		if err != nil && !errors.As(err, &u) || err == nil && name != "deep lists" && !hasFlag(p, FlagTruncated) {
			t.Errorf("%s: %v, %v; want the limit said", name, p.Flags, err)
		}
	}
}
