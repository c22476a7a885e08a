package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	in := ferry(t)
	md := Assemble(in)
	data, err := JSON(md, in)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := JSON(md, in); !bytes.Equal(data, again) {
		t.Error("two forms of one report")
	}
	valid(t, data)
	r, err := VerifyJSON(data)
	if err != nil || !r.OK {
		t.Fatalf("%v\n%s", err, blocks(r))
	}
	b, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	if b.Run != in.Record.Facts.Run || b.Stop != "done" || len(b.Gaps) != 1 || len(b.Findings) != len(in.Record.Findings) || b.Facts.Searches != 3 {
		t.Errorf("%+v", b)
	}
	if _, ok := b.Spans["S6"]; ok {
		t.Error("the text of a source without findings is in the bundle")
	}
	if strings.Contains(string(data), "null") {
		t.Errorf("null in the JSON form: %s", data[strings.Index(string(data), "null")-60:][:80])
	}
}

// What is altered in a bundle is found without the run.
func TestVerifyJSONForged(t *testing.T) {
	in := ferry(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"cost 14.2 million crowns in its first two years, about 11 percent over budget [S1", "cost 15.2 million crowns in its first two years, about 11 percent over budget [S1"},
		{`"quote": "Running the line cost 14.2`, `"quote": "Running the line cost 15.2`},
		{`"text": "Running the line cost 14.2`, `"text": "Running the line cost 15.2`},
		{`"searches": 3`, `"searches": 4`},
		{`"url": "https://board.example/audit/7-2025.pdf"`, `"url": "https://b0ard.example/audit/7-2025.pdf"`},
		{`"title": "Coast county yearbook 2025"`, `"title": "Coast county audit 2025"`},
		{`"stop": "done",` + "\n  \"queries\"", `"stop": "budget:steps",` + "\n  \"queries\""},
		{`"fetched": "2026-05-04T10:20:01Z"`, `"fetched": "2026-05-04T10:20:02Z"`},
	} {
		forged := strings.Replace(string(data), c[0], c[1], 1)
		if forged == string(data) {
			t.Errorf("nothing to forge: %q", c[0])
			continue
		}
		if r, err := VerifyJSON([]byte(forged)); err == nil && r.OK {
			t.Errorf("not found: %q for %q", c[1], c[0])
		}
	}
}

func TestParseJSONRefuses(t *testing.T) {
	in := ferry(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	change := func(key string, value any) []byte {
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		if m[key] = value; value == nil {
			delete(m, key)
		}
		out, _ := json.Marshal(m)
		return out
	}
	for name, bad := range map[string][]byte{
		"empty": nil, "no JSON": []byte("# report"), "list": []byte("[]"), "cut off": data[:len(data)/2], "other version": change("version", 2),
		"no facts": change("facts", nil), "no report": change("report", ""),
		"bad locator":       bytes.Replace(data, []byte(`"locator": "para.2"`), []byte(`"locator": "para.0"`), 1),
		"no locator":        bytes.Replace(data, []byte(`"locator": "para.2"`), []byte(`"locator": ""`), 1),
		"source twice":      bytes.Replace(data, []byte(`"id": "S2"`), []byte(`"id": "S1"`), 1),
		"finding twice":     bytes.Replace(data, []byte(`"id": "F2"`), []byte(`"id": "F1"`), 1),
		"id that is no id":  bytes.Replace(data, []byte(`"id": "S2"`), []byte(`"id": "source 2"`), 1),
		"too large to read": make([]byte, maxBundle+1),
	} {
		if _, err := ParseJSON(bad); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	in := ferry(f)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1,"report":"x","facts":{},"findings":[{"id":"F1","locator":"para.1"}],"spans":{"S1":[{"locator":"p.2"}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, err := ParseJSON(data); err == nil {
			b.Verify()
		}
	})
}

// A file in which the report stands twice is refused: what is checked need not be what another reader shows.
func TestVerifyJSONTwice(t *testing.T) {
	in := ferry(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	evil := `"# How did it go?\n\nNobody was paid.\n",`
	for _, forged := range []string{
		strings.Replace(string(data), `"version"`, `"report": `+evil+`"version"`, 1),
		strings.Replace(strings.Replace(string(data), `"report"`, `"Report"`, 1), `"version"`, `"report": `+evil+`"version"`, 1),
		strings.Replace(string(data), `"quote"`, `"quote": `+evil+`"quote"`, 1),
	} {
		if r, err := VerifyJSON([]byte(forged)); err == nil {
			t.Errorf("read, and verified: %v", r.OK)
		}
	}
}
