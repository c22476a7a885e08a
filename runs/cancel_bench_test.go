package runs

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ibid/internal/pgtest"
	"ibid/journal"
)

// How long after somebody in another process cancels a run that works it is over: half of them, and all but the slowest hundredth.
func BenchmarkCancelFromElsewhere(b *testing.B) {
	f := newFleet(b, pgtest.Start(b).Schema(b), true)
	f.lease, f.pause = 15*time.Second, 30*time.Second
	w := f.start()
	defer w.kill()
	ctx := context.Background()
	until := func(id string, want journal.State) {
		for {
			i, err := f.j.Info(ctx, id)
			if err != nil {
				b.Fatal(err)
			}
			if i.State == want {
				return
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	var took []time.Duration
	for b.Loop() {
		id := f.queue("reader")
		until(id, journal.StateWorking)
		<-time.After(time.Duration(50+rand.IntN(200)) * time.Millisecond)
		began := time.Now()
		if err := f.j.Cancel(ctx, id); err != nil {
			b.Fatal(err)
		}
		until(id, journal.StateCancelled)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), "p99-ms")
}
