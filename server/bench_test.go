package server

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkWatchers opens a thousand streams of one run and tells what each takes of the server's memory (with the little
// that a bare connection takes on the other side, in the same process), and how long an event takes to all of them, with
// twenty events a second.
func BenchmarkWatchers(b *testing.B) {
	const n = 1000
	for range b.N {
		w := newWorld(b, nil)
		id := w.start("ada")
		before := held()
		conns := make([]net.Conn, n)
		for i := range conns {
			conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET /v1/runs/%s/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", id, w.tokens["ada"])
			conns[i] = conn
		}
		for {
			w.api.feeds.mu.Lock()
			open := w.api.feeds.n
			w.api.feeds.mu.Unlock()
			if open == n {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		done := make(chan int64, 1)
		go func() { done <- w.write(id, 8, 100*time.Millisecond) }()
		time.Sleep(200 * time.Millisecond) // all have been told something
		each := float64(held()-before) / n / 1024
		var mu sync.Mutex
		first, last := map[string]time.Time{}, map[string]time.Duration{}
		var all sync.WaitGroup
		told := 0
		for _, conn := range conns {
			all.Go(func() {
				in := bufio.NewReader(conn)
				for {
					line, err := in.ReadSlice('\n')
					if err != nil || bytes.HasPrefix(line, []byte("event: end")) {
						return
					}
					if bytes.HasPrefix(line, []byte("id: ")) {
						now := time.Now()
						mu.Lock()
						at, seen := first[string(line)]
						if !seen {
							at = now
							first[string(line)] = at
						}
						last[string(line)] = now.Sub(at)
						told++
						mu.Unlock()
					}
				}
			})
		}
		events := <-done
		all.Wait()
		spread := []time.Duration{}
		for _, d := range last {
			spread = append(spread, d)
		}
		slices.Sort(spread)
		b.ReportMetric(each, "KiB/watcher")
		b.ReportMetric(float64(told)/n, "told/watcher")
		b.ReportMetric(float64(events), "events")
		b.ReportMetric(float64(spread[len(spread)/2].Milliseconds()), "p50-ms-first-to-last")
		b.ReportMetric(float64(spread[len(spread)*99/100].Milliseconds()), "p99-ms-first-to-last")
	}
}

// held is memory in use: heap and stacks.
func held() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
