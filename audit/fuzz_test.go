package audit

import (
	"encoding/json"
	"testing"
)

// Any text is judged without a crash, twice the same, with places inside the text and lines that exist.
func FuzzReport(f *testing.F) {
	md, rec := hundred()
	rec.Sources, rec.Findings = rec.Sources[:3], rec.Findings[:6]
	f.Add(md[:3000])
	for _, s := range []string{
		"# T\n\nA [S1 para.2]. B\n\n> q [S1 para.1]\n\n| a | b |\n|---|---|\n| 1 | [S2 p.3] |\n",
		"x[^1] <b>y</b> <!-- c --> `[S1 para.1]` ![3](a) [t](u \"4\")\n\n[^1]: [S1 para.1]\n[r]: u 'five'\n",
		"## Sources\n\n- **S1** t — <https://a.example/> (html, sha256 `abcdef0123`, fetched 2026-01-02)\n\n---\nRun r, 3 steps.\n",
		"It was about 1 day (computed: 3 days − 2 days = about 1 day, from [S1 para.1; S2 p.3]), 2 (computed: 1 − (2 ÷ 3) ≈ 2, from [S1 para.1]).\n\n- (computed: mean(1; 2) = 1 [calculated: x\n",
		"\u202e&#8238;\\[S1 para.1\\]\r\n\tcode 12\r\n\x00", "> - > - > 7\n***\n===\n", "“a b c” 'd e f' ‘g h i’ «j k l»",
	} {
		f.Add([]byte(s))
	}
	rec.Facts.Queries = []string{"depot vans"}
	f.Fuzz(func(t *testing.T, md []byte) {
		if len(md) > 1<<16 {
			return
		}
		r := Report(md, rec)
		for _, x := range r.Failures {
			if x.Start < 0 || x.End < x.Start || x.End > len(md)+1 || x.Line > 1+len(md) {
				t.Fatalf("%+v is outside of %d bytes", x, len(md))
			}
			if x.Code == "" || x.Message == "" {
				t.Fatalf("%+v says nothing", x)
			}
		}
		a, _ := json.Marshal(r)
		b, _ := json.Marshal(Report(md, rec))
		if string(a) != string(b) {
			t.Fatalf("two judgements:\n%s\n%s", a, b)
		}
	})
}

// Any line is a case that can be judged, or an error.
func FuzzParseCase(f *testing.F) {
	f.Add([]byte(`{"id":"a","report":"It is 4 [S1 para.1].","sources":[{"id":"S1","kind":"html","fetched":"2026-03-04T05:06:07Z","spans":[{"locator":"para.1","text":"It is 4."}]}],"findings":[{"id":"F1","source":"S1","locator":"para.1","claim":"It is 4.","quote":["It is 4","4."]}]}`))
	f.Add([]byte(`{"id":"a","report":""}`))
	f.Add([]byte(`{"id":"a","report":"x","sources":[{"fetched":"today"}],"findings":[{"quote":7}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) > 1<<14 {
			return
		}
		if c, err := ParseCase(line); err == nil {
			Report([]byte(c.Report), c.Record)
		}
	})
}
