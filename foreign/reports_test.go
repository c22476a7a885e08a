package foreign

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"ibid/audit"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/internal/testset"
)

// sharedReports checks one in step of the shared reports as if somebody else had written them: over their sources alone.
func sharedReports(t *testing.T, file, layer string, step int, each func(id string, r Result)) {
	t.Helper()
	f, err := os.Open(testset.Path(t, "data", "reports", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for n := 0; sc.Scan(); n++ {
		if n%step > 0 || testing.Short() && n%(8*step) > 0 {
			continue
		}
		var about struct{ Layer string }
		if err := json.Unmarshal(sc.Bytes(), &about); err != nil {
			t.Fatal(err)
		}
		if layer != "" && about.Layer != layer {
			continue
		}
		c, err := audit.ParseCase(sc.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		read := func(_ context.Context, at string) (*corpus.Reading, error) {
			for _, s := range c.Record.Sources {
				if s.URL == at {
					r := &corpus.Reading{Source: s}
					for _, span := range c.Record.Spans[s.ID] {
						r.Blocks = append(r.Blocks, extract.Block{Locator: span.Locator, Text: span.Text, Main: true, Quotable: true})
					}
					return r, nil
				}
			}
			return nil, &fetch.Unavailable{URL: at, Outcome: fetch.NotFound, Reason: "there is no such page"}
		}
		r, err := Check(context.Background(), Report{Text: []byte(c.Report)}, Options{Read: read})
		if err != nil {
			t.Fatal(err)
		}
		each(c.ID, r)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestSharedReports: of the honest reports no claim is called contradicted or misquoted, and nearly all are supported; of the
// reports with one forged claim each is caught, and nearly half as contradicted.
func TestSharedReports(t *testing.T) {
	supported, all := 0, 0
	sharedReports(t, "honest.jsonl", "", 3, func(id string, r Result) {
		supported, all = supported+r.Counts.Supported, all+r.Counts.Claims
		if r.Counts.Contradicted+r.Counts.Misquoted+r.Counts.Dangling > 0 {
			t.Errorf("%s: %s", id, r.Summary())
		}
	})
	t.Logf("honest: %d of %d claims are supported", supported, all)
	if !testing.Short() && supported*100 < all*95 {
		t.Errorf("%d of %d claims of honest reports are supported", supported, all)
	}
	forged, contradicted := 0, 0
	sharedReports(t, "forgeries.jsonl", "claim", 1, func(id string, r Result) {
		forged++
		if r.Counts.Contradicted > 0 {
			contradicted++
		}
		if r.OK || r.Counts.Supported < r.Counts.Claims-2 {
			t.Errorf("%s: %s", id, strings.Split(r.Summary(), ".")[0])
		}
	})
	t.Logf("forged: %d of %d reports have a claim that is contradicted", contradicted, forged)
	if !testing.Short() && contradicted*100 < forged*45 {
		t.Errorf("of %d forged claims %d are contradicted", forged, contradicted)
	}
}
