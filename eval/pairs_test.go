package eval

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func pairsOf(t *testing.T, in string) (out []Judgement, bad []int) {
	t.Helper()
	var b strings.Builder
	err := Pairs(context.Background(), strings.NewReader(in), &b, false, nil, func(n int, err error) {
		if err == nil || err.Error() == "" {
			t.Errorf("line %d: no reason", n)
		}
		bad = append(bad, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		var j Judgement
		if err := json.Unmarshal([]byte(line), &j); err != nil {
			t.Fatal(err)
		}
		out = append(out, j)
	}
	return out, bad
}

func TestPairs(t *testing.T) {
	out, bad := pairsOf(t, `{"id":"a","claim":"It cost 5 euros.","evidence":"It cost 5 euros in all."}
{"id":"b","claim":"It cost 6 euros.","evidence":"It cost 5 euros.","label":"REFUTES"}

{"id":"c","claim":"It cost 5 euros.","evidence":"It cost 5 euros."
{"claim":"x","evidence":"y"}
{"id":"d","evidence":"y"}
[]
{"id":"e","claim":"The Aller bridge cost 5 euros.","evidence":"It cost 5 euros.","context":"The Aller bridge"}
{"id":"f","claim":"It is deep.","evidence":"is deep","context":{"before":"The lake ","after":", although it was shallow."}}
{"id":"g","claim":"","evidence":"","context":null}`)
	var got []string
	for _, j := range out {
		got = append(got, j.ID+" "+j.Verdict)
		if (j.Verdict == "pass") != (len(j.Codes) == 0) || (j.Verdict == "fail") != (j.Score > 0.5) || j.Score < 0 || j.Score > 1 {
			t.Errorf("%+v", j)
		}
	}
	if want := []string{"a pass", "b fail", "e pass", "f warn", "g pass"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []int{4, 5, 6, 7}; !slices.Equal(bad, want) {
		t.Errorf("bad lines %v, want %v", bad, want)
	}
}

// A line that is too long is told and skipped, whatever comes behind it.
func TestPairsLong(t *testing.T) {
	good := `{"id":"a","claim":"It cost 5 euros.","evidence":"It cost 5 euros."}`
	for _, end := range []string{"", "\n" + good, "\n" + good + "\n"} {
		out, bad := pairsOf(t, good+"\n"+strings.Repeat("x", maxPair+1)+end)
		if len(out) != 1+min(1, len(end)) || !slices.Equal(bad, []int{2}) {
			t.Errorf("%d judged, bad %v", len(out), bad)
		}
	}
}

// What is judged of a line is written before the next is waited for.
func TestPairsStream(t *testing.T) {
	in, feed := io.Pipe()
	results, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Pairs(context.Background(), in, out, true, nil, func(int, error) {})
	}()
	dec := json.NewDecoder(results)
	for _, id := range []string{"a", "b"} {
		if _, err := io.WriteString(feed, `{"id":"`+id+`","claim":"It cost 6 euros.","evidence":"It cost 5 euros."}`+"\n"); err != nil {
			t.Fatal(err)
		}
		var j Judgement
		if err := dec.Decode(&j); err != nil || j.ID != id || len(j.Verdicts) == 0 || j.Verdicts[0].Message == "" {
			t.Fatalf("%+v, %v", j, err)
		}
	}
	broken := errors.New("broken")
	feed.CloseWithError(broken)
	if err := <-done; !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestPairsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Pairs(ctx, strings.NewReader("{}\n"), io.Discard, false, nil, func(int, error) { t.Error("read") }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func FuzzPairs(f *testing.F) {
	f.Add(`{"id":"a","claim":"It cost 5 euros.","evidence":"It cost 5 euros.","context":{"title":"t"}}` + "\n{\n")
	f.Fuzz(func(t *testing.T, in string) {
		out, bad := pairsOf(t, in)
		if n := strings.Count(in, "\n") + 1; len(out)+len(bad) > n {
			t.Errorf("%d results of %d lines", len(out)+len(bad), n)
		}
	})
}
