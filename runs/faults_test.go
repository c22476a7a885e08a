package runs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"ibid/gate"
	"ibid/internal/pgtest"
	"ibid/journal"
)

// disturb lets some workers do runs of three users while something happens to them, and checks what came of it.
func disturb(t *testing.T, f *fleet, runs int, withLimit bool, fault func()) {
	t.Helper()
	ctx, done := context.WithCancel(context.Background())
	var attending sync.WaitGroup
	attending.Go(func() { f.attend(ctx) })
	defer attending.Wait()
	defer done()
	first := f.start()
	want := f.undisturbed()
	first.signal(syscall.SIGTERM)
	if err := first.wait(); err != nil {
		t.Errorf("a worker that was asked to end: %v\n%s", err, first.said.String())
	}
	for n := range runs {
		f.queue(fmt.Sprint("reader", n%3))
	}
	fault()
	f.finish(2 * time.Minute)
	done()
	attending.Wait()
	doubted := f.check(want, withLimit)
	t.Logf("%d runs, %d effects in doubt, parked and resumed: %v; at most %d of a user at work", len(f.ids), doubted, f.revived, f.most)
}

// What may befall workers loses nothing.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	server := pgtest.Start(t)
	group := func(name string, f func(t *testing.T, f *fleet), path func(t *testing.T) string, cluster bool) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, newFleet(t, path(t), cluster))
		})
	}
	schema := func(t *testing.T) string { return server.Schema(t) }
	file := func(t *testing.T) string { return filepath.Join(t.TempDir(), "ibid.db") }
	group("stopped workers", stoppedWorkers, schema, true)
	group("skewed workers", skewedWorkers, schema, true)
	group("deleted jobs", deletedJobs, schema, true)
	group("recovery elsewhere", recoveryElsewhere, schema, true)
	group("recovery here", recoveryHere, file, false)
	group("answered after exit, postgres", answeredAfterExit, schema, true)
	group("answered after exit, sqlite", answeredAfterExit, file, false)
}

// Workers that stand still for longer than their lease lose their runs, and write nothing when they move again.
func stoppedWorkers(t *testing.T, f *fleet) {
	f.lease, f.pause = time.Second, 20*time.Millisecond
	stops := killsOf(3, 2)
	disturb(t, f, 5, true, func() {
		workers := []*fleetWorker{f.start(), f.start(), f.start()}
		for n := range stops {
			w := workers[n%len(workers)]
			w.signal(syscall.SIGSTOP)
			<-time.After(1500 * time.Millisecond)
			w.signal(syscall.SIGCONT)
			<-time.After(100 * time.Millisecond)
		}
	})
}

// Workers whose clocks go five minutes before or after take each other's runs, and nothing worse comes of it. Leases go by
// the server's clock, so that no worker is like that whatever its machine's clock says; this one is made to be.
func skewedWorkers(t *testing.T, f *fleet) {
	f.pause = 10 * time.Millisecond
	disturb(t, f, 4, false, func() {
		f.start()
		f.start("IBID_TEST_SKEW=5m")
		f.start("IBID_TEST_SKEW=-5m")
	})
}

// A server that crashes and comes back is waited for.
func TestServerCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	server := pgtest.Start(t)
	f := newFleet(t, server.Schema(t), true)
	f.pause = 20 * time.Millisecond
	disturb(t, f, 5, true, func() {
		f.start()
		f.start()
		for range 2 {
			<-time.After(700 * time.Millisecond)
			server.Down(t, syscall.SIGQUIT)
			<-time.After(300 * time.Millisecond)
			server.Up(t)
		}
	})
}

// Jobs wake workers and nothing more: all of them deleted, again and again, no run is lost.
func deletedJobs(t *testing.T, f *fleet) {
	deleted := int64(0)
	disturb(t, f, 5, true, func() {
		f.start()
		f.start()
		for f.open() > 0 {
			res, err := f.db.Exec(`DELETE FROM river_job`)
			if err != nil {
				t.Fatal(err)
			}
			n, err := res.RowsAffected()
			if err != nil {
				t.Fatal(err)
			}
			deleted += n
			<-time.After(20 * time.Millisecond)
		}
	})
	if deleted == 0 {
		t.Error("there was no job to delete")
	}
	t.Logf("%d jobs deleted", deleted)
}

// recovery is how long after began, which kill returns, a dead worker's run makes its next event.
func recovery(t *testing.T, f *fleet, most time.Duration, kill func(w *fleetWorker) (began time.Time)) {
	ctx, done := context.WithCancel(context.Background())
	var attending sync.WaitGroup
	attending.Go(func() { f.attend(ctx) })
	defer attending.Wait()
	defer done()
	f.pause = 100 * time.Millisecond
	events := func(id string) int {
		list, err := f.j.Events(ctx, id, 0, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	var took []time.Duration
	for range killsOf(1, 1) {
		w := f.start()
		id := f.queue("reader")
		for events(id) < 20 {
			<-time.After(10 * time.Millisecond)
		}
		began := kill(w)
		for have := events(id); events(id) == have; <-time.After(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatal("nobody goes on with the run")
			}
		}
		took = append(took, time.Since(began))
		f.finish(time.Minute)
		for _, w := range f.workers {
			w.kill()
		}
	}
	t.Logf("next event after %s", took)
	if slowest := slices.Max(took); slowest > most {
		t.Errorf("the next event came after %s; %s is the goal", slowest, most)
	}
}

// A dead worker's run makes its next event within its lease and two seconds on another machine, and on the same one within
// three seconds of the next worker's start.
func recoveryElsewhere(t *testing.T, f *fleet) {
	f.lease = 3 * time.Second
	recovery(t, f, f.lease+2*time.Second, func(w *fleetWorker) time.Time {
		f.start()
		w.kill()
		return time.Now()
	})
}

func recoveryHere(t *testing.T, f *fleet) {
	f.lease = 15 * time.Second
	recovery(t, f, 3*time.Second, func(w *fleetWorker) time.Time {
		w.kill()
		began := time.Now()
		f.start()
		return began
	})
}

// Questions that are answered when the process that asked is gone let every run go on, in another: none is skipped, none
// used twice. The goal is a thousand:
//
//	IBID_KILLS=1000 go test ./runs -run TestFaults/answered -timeout 1h -v
func answeredAfterExit(t *testing.T, f *fleet) {
	f.pause, f.lease = 0, 15*time.Second // nobody dies here
	ctx, gates := context.Background(), journal.Gates{Journal: f.j}
	n := killsOf(8, 2)
	for i := range n {
		f.queue(fmt.Sprint("reader", i%10))
	}
	asks := func(want int) []journal.Pending {
		t.Helper()
		w := f.start("IBID_TEST_POOL=8")
		deadline := time.Now().Add(time.Minute + time.Duration(n)*3*time.Second)
		for {
			waiting, err := gates.List(ctx, "", false)
			if err != nil {
				t.Fatal(err)
			}
			if parked := f.states()[journal.StateParked]; parked == want && len(waiting) == want {
				w.signal(syscall.SIGTERM)
				if err := w.wait(); err != nil {
					t.Errorf("%v\n%s", err, w.said.String())
				}
				return waiting
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d questions, %v\n%s", len(waiting), f.states(), w.said.String())
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	for range 2 { // the plan, and a page
		for _, p := range asks(n) {
			if _, err := gates.Answer(ctx, p.ID, gate.Answer{Allow: true, By: "reader"}); err != nil {
				t.Error(err)
			}
			f.asked[p.Request.Run]++
		}
		if queued := f.states()[journal.StateQueued]; queued != n {
			t.Fatalf("%d of %d runs wait for a worker", queued, n)
		}
	}
	f.start("IBID_TEST_POOL=8")
	f.finish(time.Minute + time.Duration(n)*3*time.Second)
	f.check(f.report(f.ids[0], fmt.Sprintf(" %s (0)", threePlaces)), false)
	for _, id := range f.ids {
		if used, err := f.j.Count(ctx, id, "gate"); err != nil || used != 2 {
			t.Errorf("run %s used %d decisions, %v", id, used, err)
		}
	}
}

// states counts the runs by how they stand.
func (f *fleet) states() map[journal.State]int {
	f.t.Helper()
	list, err := f.j.Runs(context.Background(), 100_000)
	if err != nil {
		f.t.Fatal(err)
	}
	n := map[journal.State]int{}
	for _, i := range list {
		n[i.State]++
	}
	return n
}
