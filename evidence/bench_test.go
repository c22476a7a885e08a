package evidence

import (
	"testing"
	"time"
)

// A trial is a quote against a span, and whether it is an honest copy.
type trial struct {
	doc    *Doc
	loc    Locator
	quote  string
	honest bool
	how    string
}

// trials sets about size bytes of prose as pages and PDF, and makes n quotes, six in ten of them honest.
func trials(size, n int) (docs []*Doc, ts []trial) {
	g := newGenerator(6)
	var clean [][]string
	for have := 0; have < size; {
		kind := HTML
		if len(docs)%2 == 1 {
			kind = PDF
		}
		c, d := g.page(kind, 100, 900, 0.02)
		clean, docs = append(clean, c), append(docs, d)
		for _, s := range d.spans {
			have += len(s.Text)
		}
	}
	for i := range n {
		k, p := g.IntN(len(docs)), g.IntN(100)
		t := trial{docs[k], Locator{Unit: Para, A: p + 1}, g.slice(clean[k][p], 5+g.IntN(20)), i%10 < 6, "honest"}
		if t.honest {
			t.quote = g.set(t.quote, 0.05, false)
		} else {
			t.quote, t.how = g.alter(t.quote)
		}
		ts = append(ts, t)
	}
	return docs, ts
}

// BenchmarkMatch10k is 10,000 quotes against their spans in 10 MB of text, folding of both included. The goal is a
// second; each verdict is checked. It is one operation: run it with -benchtime 5x.
func BenchmarkMatch10k(b *testing.B) {
	docs, ts := trials(10_000_000, 10_000)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		fresh := map[*Doc]*Doc{}
		for _, d := range docs {
			fresh[d] = nil
		}
		b.StartTimer()
		for _, d := range docs {
			fresh[d] = NewDoc(d.kind, d.spans)
		}
		for _, t := range ts {
			if m := fresh[t.doc].Match(t.loc, t.quote); m.OK() != t.honest {
				b.Fatalf("%s: %q: %s %s", t.how, t.quote, m.Kind, m.Reason)
			}
		}
	}
}

// BenchmarkFold is the folding of 10 MB.
func BenchmarkFold(b *testing.B) {
	docs, _ := trials(10_000_000, 0)
	for b.Loop() {
		n := 0
		for _, d := range docs {
			for _, s := range d.spans {
				fold(s.Text, false)
				n += len(s.Text)
			}
		}
		b.SetBytes(int64(n))
	}
}

// BenchmarkFind looks through a whole source of 1 MB for a quote that stands in its last span, or nowhere.
func BenchmarkFind(b *testing.B) {
	g := newGenerator(7)
	clean, d := g.page(PDF, 1100, 900, 0.02)
	quote := g.slice(clean[len(clean)-1], 10)
	d.Find(quote)
	b.Run("last", func(b *testing.B) {
		for b.Loop() {
			if !d.Find(quote).OK() {
				b.Fatal("lost")
			}
		}
	})
	b.Run("nowhere", func(b *testing.B) {
		for b.Loop() {
			if d.Find("no " + quote).OK() {
				b.Fatal("found")
			}
		}
	})
}

func BenchmarkClosest(b *testing.B) {
	g := newGenerator(8)
	clean, d := g.page(HTML, 1, 900, 0.02)
	bad, _ := g.alter(g.slice(clean[0], 15))
	for b.Loop() {
		d.Closest(Locator{Unit: Para, A: 1}, bad)
	}
}

// TestMatchMany is the benchmark's work at a tenth of its size, with time to spare.
func TestMatchMany(t *testing.T) {
	_, ts := trials(1_000_000, 2_000)
	start := time.Now()
	for _, x := range ts {
		if m := x.doc.Match(x.loc, x.quote); m.OK() != x.honest {
			t.Fatalf("%s: %q: %s %s", x.how, x.quote, m.Kind, m.Reason)
		}
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("2,000 quotes took %v", d)
	}
}
