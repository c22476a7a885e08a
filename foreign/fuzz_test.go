package foreign

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"ibid/corpus"
	"ibid/fetch"
)

// FuzzCheck: whatever a report is, it is read without a fault; each mark leads to a reference of the report, each quote stands
// in its source, and the same report gives the same result.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"The ferry carried 412 wagons [1], they say (Berg, 2024).\n\n## References\n\n[1] Log. https://ferry.example/log\n",
		"A.[^1] \"we had a quiet year\" <sup>1</sup> [x](https://port.example/fees)\n\n[^1]: Ibid. [2]\n\n| a | b |\n|---|---|\n| 1 [1] | c |\n",
		"[1]: https://survey.example/a\n\n- quay [1-3]【2†x】¹^2^ doi:10.5555/crane.7 [S1 para.2]\n\n**Sources**\n¹ x https://a.example\n",
		"<p>The quay<sup><a href='#a'>1</a></sup></p><ol><li id=a>https://survey.example/a</ol><table><tr><td>x [1]<td>y",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	shelf := map[string]*corpus.Reading{}
	for at := range harbour {
		got, err := harbour.read(context.Background(), at)
		if err != nil {
			f.Fatal(err)
		}
		shelf[at] = got
	}
	read := func(_ context.Context, at string) (*corpus.Reading, error) {
		if got := shelf[at]; got != nil {
			return got, nil
		}
		return nil, &fetch.Unavailable{URL: at, Outcome: fetch.NotFound, Reason: "there is no such page"}
	}
	f.Fuzz(func(t *testing.T, text string, html bool) {
		if len(text) > 20_000 {
			return
		}
		report := Report{Name: "r", Text: []byte(text), HTML: html}
		r, err := Check(context.Background(), report, Options{Read: read})
		if err != nil {
			return
		}
		refs := map[string]bool{}
		for _, ref := range r.References {
			refs[ref.ID] = true
		}
		for _, c := range r.Claims {
			for _, id := range c.Cites {
				if !refs[id] {
					t.Errorf("%+v cites what is not there", c)
				}
			}
			for _, q := range c.Quotes {
				if !refs[q.Reference] || !strings.Contains(oneLine(harbour[q.URL]), strings.Split(oneLine(q.Text), "“")[0]) {
					t.Errorf("%+v is not in its source", q)
				}
			}
		}
		var out bytes.Buffer
		if err := Print(&out, r); err != nil {
			t.Fatal(err)
		}
		again, err := Check(context.Background(), report, Options{Read: read})
		if err != nil {
			t.Fatal(err)
		}
		a, errA := json.Marshal(r)
		b, errB := json.Marshal(again)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("twice, and not the same:\n%s\n%s", a, b)
		}
	})
}
