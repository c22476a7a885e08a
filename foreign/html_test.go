package foreign

import (
	"context"
	"strings"
	"testing"
)

// Tags that HTML lets be left out: the end of a head, of a cell, of a row.
func TestTagsLeftOut(t *testing.T) {
	for src, want := range map[string][]string{
		`<!doctype html><head><title>Halden [4]</title><body><p>The dam is 45 m high [1].`:                                                             {"The dam is 45 m high."},
		`<title>Halden</title><p>The dam is 45 m high [1].`:                                                                                            {"The dam is 45 m high."},
		`<table><tr><th>Name<th>Height<tr><td>Old dam<td>45 m [1]<tr><td>New dam<td>50 m [2]</table><p>After it 50 people came [1].`:                   {"Old dam | 45 m", "New dam | 50 m", "After it 50 people came."},
		`<table><tr><td>Old dam</td><td>45 m [1]</td></tr><tr><td>New dam<td>50 m [2]</td></tr></table><ul><li>After it 50 people came [1].</li></ul>`: {"Old dam | 45 m", "New dam | 50 m", "After it 50 people came."},
	} {
		r, err := Check(context.Background(), Report{HTML: true, Text: []byte(src)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.Claims {
			got = append(got, c.Text)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s\nhas the claims %q, not %q", src, got, want)
		}
	}
}
