package journal

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ibid/internal/pgtest"
)

// BenchmarkDo is a durable step: a model call whose context grows, and a note.
func BenchmarkDo(b *testing.B) {
	j, ctx := open(b, Options{}), context.Background()
	bodies := conversation(b, 40, 1500)
	r := j.start(b, Spec{})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		key := Key(fmt.Sprintf("lead/%d/model", i))
		if _, err := Do(ctx, r, Effect{Key: key, Kind: "model", Hold: free(b)}, bodies[i%40], func(context.Context) ([]byte, Amount, error) { return []byte(`{"ok":true}`), Amount{}, nil }); err != nil {
			b.Fatal(err)
		}
		if err := r.Note(key, "tool", "a result"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay40 serves forty recorded steps whose context ends at 120k tokens.
func BenchmarkReplay40(b *testing.B) {
	j, ctx := open(b, Options{}), context.Background()
	bodies := conversation(b, 40, 12_000)
	r := j.start(b, Spec{})
	steps := func(r *Run) {
		for i, body := range bodies {
			if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/model", i)), Kind: "model", Hold: free(b)}, body, func(context.Context) ([]byte, Amount, error) { return body[:1000], Amount{}, nil }); err != nil {
				b.Fatal(err)
			}
		}
	}
	steps(r)
	if err := r.Finish(ctx, StateDone, "done"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		again, err := j.OpenReplay(ctx, r.ID())
		if err != nil {
			b.Fatal(err)
		}
		steps(again)
	}
}

// BenchmarkAppend is an event with a body of 100 KB, packed and on the disk when it is acknowledged: of one run, and of
// sixteen runs at once, on each engine. Beside it stands how often the disk can sync what such an event writes.
func BenchmarkAppend(b *testing.B) {
	b.Run("sqlite", benchmarkAppend)
	b.Run("postgres", func(b *testing.B) {
		b.Setenv("JOURNAL_TEST_POSTGRES", pgtest.Start(b).URL())
		benchmarkAppend(b)
	})
}

func benchmarkAppend(b *testing.B) {
	for _, runs := range []int{1, 16} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			j, ctx := open(b, Options{}), context.Background()
			j.options.Now = time.Now
			bodies := conversation(b, 40, 100_000)
			for i, body := range bodies {
				bodies[i] = body[len(body)-100_000:] // each other text
			}
			took := make([]time.Duration, 0, 1024)
			var mu sync.Mutex
			var n atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			before := processors(b)
			for range runs {
				wg.Go(func() {
					r := j.start(b, Spec{})
					defer r.Abandon()
					for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
						began := time.Now()
						if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/fetch", i)), Kind: "fetch"}, "a page", func(context.Context) ([]byte, Amount, error) { return bodies[i%40], Amount{}, nil }); err != nil {
							b.Error(err)
							return
						}
						mu.Lock()
						took = append(took, time.Since(began))
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64((processors(b)-before).Microseconds())/float64(b.N), "cpu-µs/event")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(syncs(b, 40_000), "syncs/s")
		})
	}
}

// processors is the time of processors that this process has taken, which a loaded machine changes least.
func processors(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// syncs is how often in a second the disk takes n bytes.
func syncs(b *testing.B, n int) float64 {
	f, err := os.Create(filepath.Join(b.TempDir(), "sync"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	const times = 100
	began := time.Now()
	for range times {
		if _, err := f.Write(make([]byte, n)); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	return times / time.Since(began).Seconds()
}
