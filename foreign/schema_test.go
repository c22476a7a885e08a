package foreign

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"ibid/evidence"
)

// everything is a report that has one of each.
const everything = `The port of Halden raised its crane fees by four percent [1], and the ferry carried 500 wagons in 2024 [2].
The quay is new [3]. The pilots struck [9]. So they say (Berg & Dahl, 2024). “We had a loud year on the fjord”, said the master of the ferry [2].

The quay was dredged twice in 2023. The tide is late [4](https://survey.example/a).

| a | b |
|---|---|
| Timber | dock [2] |

## References

[1] Fees. https://port.example/fees
[2] Log | of *the* ferry <script>. https://ferry.example/log
[2] Another. https://ferry.example/other
[3] Gone. https://ferry.example/gone
[4] Same. http://www.port.example/fees/#x
[5] A book. Halden, 1999.
`

// TestSchema: the published schema names every field of a result and no other, and holds what it should.
func TestSchema(t *testing.T) {
	published, err := os.ReadFile("../docs/schema/check.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	var schema jsonschema.Schema
	if err := json.Unmarshal(published, &fields); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(published, &schema); err != nil {
		t.Fatal(err)
	}
	sameFields(t, fields, fields, reflect.TypeFor[Result](), "")
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	valid := func(data string) error {
		var v any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	data, err := json.Marshal(check(t, everything, harbour))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(string(data)); err != nil {
		t.Error(err)
	}
	empty, err := json.Marshal(check(t, "", harbour))
	if err != nil {
		t.Fatal(err)
	}
	if err := valid(string(empty)); err != nil || bytes.Contains(empty, []byte("null")) {
		t.Errorf("%v %s", err, empty)
	}
	for _, forged := range [][2]string{{`"version":1`, `"version":2`}, {`"verdict":"supported"`, `"verdict":"true"`}, {`"id":"R1"`, `"id":"S1"`}, {`"code":"doubled"`, `"code":"twice"`}, {`"cited":1`, `"cited":-1`}} {
		bad := strings.Replace(string(data), forged[0], forged[1], 1)
		if bad == string(data) || valid(bad) == nil {
			t.Errorf("%s passes the schema", forged[1])
		}
	}
	want := map[string]bool{}
	for _, c := range check(t, everything, harbour).codes() {
		want[c] = true
	}
	for _, code := range []ProblemCode{DanglingMark, Unused, Doubled, Ambiguous, UnreadStyle, Mismatched} {
		if !want[string(code)] {
			t.Errorf("the report has no %s: %v", code, want)
		}
	}
}

// sameFields holds the properties of a schema against the fields of a Go type.
func sameFields(t *testing.T, root, s map[string]any, typ reflect.Type, at string) {
	t.Helper()
	if ref, ok := s["$ref"].(string); ok {
		s = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch {
	case typ == reflect.TypeFor[evidence.Locator]():
	case typ.Kind() == reflect.Slice:
		sameFields(t, root, s["items"].(map[string]any), typ.Elem(), at)
	case typ.Kind() == reflect.Struct:
		properties, _ := s["properties"].(map[string]any)
		n := 0
		for i := range typ.NumField() {
			f := typ.Field(i)
			if !f.IsExported() {
				continue
			}
			n++
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property, ok := properties[name].(map[string]any)
			if !ok {
				t.Errorf("%s: the schema has no %s", at, name)
				continue
			}
			sameFields(t, root, property, f.Type, at+"/"+name)
		}
		if len(properties) != n {
			t.Errorf("%s: the schema has %d properties, %s has %d fields", at, len(properties), typ, n)
		}
	}
}

// TestPrint: what is printed is Markdown whose tables keep their columns, in which nothing of the report or its sources opens a
// link, an image, a heading or HTML.
func TestPrint(t *testing.T) {
	hostile := web{"https://ferry.example/log": page("Log | ](https://evil.example/) ![x](https://evil.example/p.png)", "The ferry | carried 412 wagons [S1 para.2] in 2024, <b>bold</b> `code` https://evil.example/a and # more."),
		"https://port.example/fees": harbour["https://port.example/fees"], "https://survey.example/a": harbour["https://survey.example/a"]}
	for _, pages := range []web{harbour, hostile} {
		r := check(t, everything+"\n\n[6] \\[x\\](https://evil.example/b) \x1b[31m \u202e https://evil.example/`c`\n", pages)
		var out bytes.Buffer
		if err := Print(&out, r); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, heading := range []string{"# Check of report.md", "## Claims", "## Why", "## Uncited", "## Problems with references", "## References"} {
			if !strings.Contains(text, "\n"+heading+"\n") && !strings.HasPrefix(text, heading+"\n") {
				t.Errorf("no %q in\n%s", heading, text)
			}
		}
		if strings.ContainsAny(text, "\x1b\u202e") {
			t.Error("a control character is printed")
		}
		var html bytes.Buffer
		if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(out.Bytes(), &html); err != nil {
			t.Fatal(err)
		}
		page := html.String()
		for _, bad := range []string{"<img", "<script", "<b>", "<!-- raw", "href=\"https://evil.example/\"", "href=\"https://evil.example/p.png\"", "href=\"https://evil.example/a\""} {
			if strings.Contains(page, bad) {
				t.Errorf("%s is in\n%s", bad, page)
			}
		}
		if n := strings.Count(page, "<h"); n != 6+strings.Count(page, "<hr")+strings.Count(page, "<head") {
			t.Errorf("%d headings", n)
		}
		for _, row := range strings.Split(page, "<tr>")[1:] {
			if n := strings.Count(row, "<td") + strings.Count(row, "<th>"); n != 5 && n != 6 && !strings.Contains(row, "thead") {
				t.Errorf("a row of %d cells: %s", n, row)
			}
		}
	}
}
