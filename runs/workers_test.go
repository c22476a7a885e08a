package runs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ibid/internal/pgtest"
)

// Workers that are killed at random moments lose nothing, whoever takes their runs over: every run of a team ends with the
// report of one that nothing disturbed, what is on record is paid for once, each question is asked once and each agent
// spawned once, and no user has more at work than they may (law 4). The goal is two thousand kills:
//
//	IBID_KILLS=2000 go test ./runs -run TestKilledWorkers -timeout 2h -v
func TestKilledWorkers(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel() // they wait most of the time
		killWorkers(t, filepath.Join(t.TempDir(), "ibid.db"), 1, false)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		killWorkers(t, pgtest.Start(t).Schema(t), 3, true)
	})
}

func killWorkers(t *testing.T, path string, processes int, cluster bool) {
	f := newFleet(t, path, cluster)
	f.lease = time.Second
	ctx, done := context.WithCancel(context.Background())
	var attending sync.WaitGroup
	attending.Go(func() { f.attend(ctx) })
	defer attending.Wait()
	defer done()
	workers := make([]*fleetWorker, processes)
	for n := range workers {
		workers[n] = f.start()
	}
	want := f.undisturbed()
	began := time.Now()
	kills := killsOf(100, 4)
	ended := make(chan struct{})
	for n := range workers {
		go func() {
			defer func() { ended <- struct{}{} }()
			for range (kills + processes - 1) / processes {
				f.moment()
				workers[n].kill()
				workers[n] = f.start()
			}
		}()
	}
	for left := processes; left > 0; {
		for f.open() < 8 {
			f.queue(fmt.Sprint("reader", rand.IntN(3)))
		}
		select {
		case <-ended:
			left--
		case <-time.After(50 * time.Millisecond):
		}
	}
	killing := time.Since(began)
	f.finish(2 * time.Minute)
	done()
	attending.Wait()
	doubted := f.check(want, true)
	t.Logf("%d kills in %s; %d runs, %d effects in doubt, parked and resumed: %v; at most %d of a user at work", kills, killing.Round(time.Second), len(f.ids), doubted, f.revived, f.most)
}

// moment waits for a moment to kill a worker at: most often some effects later, however fast the machine is, and somewhere
// around the last of them; sometimes soon after its start.
func (f *fleet) moment() {
	if rand.IntN(5) > 0 {
		began, n := f.effects(), 1+rand.IntN(16)
		for patience := time.Now().Add(time.Second); f.effects() < began+n && time.Now().Before(patience); {
			<-time.After(2 * time.Millisecond)
		}
	}
	<-time.After(time.Duration(rand.Int64N(int64(20 * time.Millisecond))))
}

// effects is how many were performed.
func (f *fleet) effects() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, times := range f.performed {
		n += times
	}
	return n
}
