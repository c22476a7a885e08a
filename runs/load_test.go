package runs

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/budget"
	"ibid/journal"
	"ibid/research"
	"ibid/store"
)

var load = flag.Duration("load", 10*time.Second, "how long BenchmarkLoad lasts")

// BenchmarkLoad is a service at work: twenty users who have ten runs each, and begin another through their desk as soon as
// one is over. A run is ten searches, pages and findings and a report, 52 effects; the model takes 50 ms for each turn.
//
//	go test ./runs -run '^$' -bench Load -benchtime 1x -load 60s
func BenchmarkLoad(b *testing.B) {
	const users, each = 20, 10
	was := http.DefaultClient.Transport
	http.DefaultClient.Transport = &stub{turn: 50 * time.Millisecond}
	defer func() { http.DefaultClient.Transport = was }()
	db, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "ibid.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{Quota: journal.Quota{Working: each}})
	e := engine(j, "http://world")
	e.Configure = func(_ context.Context, r Request) (research.Config, error) {
		c, err := research.New(r.Question, budget.Deep)
		c.Limits = budget.Limits{Steps: 200}
		return c, err
	}
	for b.Loop() {
		ctx, stop := context.WithTimeout(context.Background(), *load)
		work, end := context.WithCancel(context.Background())
		var all, worked sync.WaitGroup
		worked.Go(func() {
			p := &Pool{Engine: e, Workers: users * each, Grace: time.Minute}
			if err := p.Run(work); err != nil {
				b.Error(err)
			}
		})
		var mu sync.Mutex
		var created, took []time.Duration
		for i := range users {
			desk := e.For(fmt.Sprint("user ", i))
			for range each {
				all.Go(func() {
					for ctx.Err() == nil {
						began := time.Now()
						run, err := desk.Start(ctx, Request{Question: "How much rain fell?"})
						create := time.Since(began)
						if err == nil {
							err = ended(ctx, desk, run.ID)
						}
						if ctx.Err() != nil {
							return
						}
						if err != nil {
							b.Error(err)
							return
						}
						mu.Lock()
						created, took = append(created, create), append(took, time.Since(began))
						mu.Unlock()
					}
				})
			}
		}
		all.Wait()
		stop()
		end()
		worked.Wait()
		if len(took) == 0 {
			b.Fatal("no run came to its end")
		}
		b.ReportMetric(float64(len(took))/load.Seconds(), "runs/s")
		for name, times := range map[string][]time.Duration{"create": created, "run": took} {
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, name+"-p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, name+"-p99-ms")
		}
		b.ReportMetric(float64(peak()), "MiB")
	}
}

// ended watches a run until it is over, as its user does.
func ended(ctx context.Context, desk *Desk, id string) error {
	for _, err := range desk.Events(ctx, id, 0, true) {
		if err != nil {
			return err
		}
	}
	info, err := desk.own(ctx, id)
	if err == nil && info.State != journal.StateDone {
		err = fmt.Errorf("run %s is %s: %s", id, info.State, info.Stop)
	}
	return err
}

// stub is the world of the kill test without a network.
type stub struct{ turn time.Duration }

func (s *stub) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("what") == "model" {
		select {
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		case <-time.After(s.turn):
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// peak is the most memory that the process has held, in MiB; 0 where that is not known.
func peak() (mib int) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(rest, &mib) // kB
	return mib / 1024
}
