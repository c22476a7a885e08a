package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottleSpacesStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		th := newThrottle(time.Second)
		var mu sync.Mutex
		var starts []time.Duration
		under := 0
		var wait sync.WaitGroup
		for range 5 {
			wait.Go(func() {
				leave, err := th.enter(t.Context(), "https://a.example/", "a.example", 0)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				starts = append(starts, time.Since(begin))
				if under++; under > 1 {
					t.Error("two requests to one host at a time")
				}
				mu.Unlock()
				time.Sleep(1500 * time.Millisecond) // longer than the interval
				mu.Lock()
				under--
				mu.Unlock()
				leave()
			})
		}
		leave, err := th.enter(t.Context(), "https://b.example/", "b.example", 0)
		if err != nil || time.Since(begin) != 0 {
			t.Errorf("another host waited %v: %v", time.Since(begin), err)
		}
		leave()
		wait.Wait()
		for i, at := range starts {
			if want := time.Duration(i) * 1500 * time.Millisecond; at != want {
				t.Errorf("start %d at %v, want %v", i, at, want)
			}
		}
		last := time.Now()
		for i, delay := range []time.Duration{7 * time.Second, 0, 0} { // the pause after a start is the one of that request
			leave, err := th.enter(t.Context(), "https://c.example/", "c.example", delay)
			if err != nil {
				t.Fatal(err)
			}
			leave()
			if want := []time.Duration{0, 7 * time.Second, time.Second}[i]; time.Since(last) != want {
				t.Errorf("start %d after %v, want %v", i, time.Since(last), want)
			}
			last = time.Now()
		}
	})
}

func TestThrottleParks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle(time.Second)
		visit := func(ctx context.Context, overloaded bool, after time.Duration) (time.Duration, error) {
			begin := time.Now()
			leave, err := th.enter(ctx, "https://a.example/x", "a.example", 0)
			if err == nil {
				th.heed("a.example", overloaded, after)
				leave()
			}
			return time.Since(begin), err
		}
		limited := func(took time.Duration, err error, after time.Duration) {
			t.Helper()
			var e *Unavailable
			if !errors.As(err, &e) || e.Outcome != RateLimited || took != 0 || e.RetryAfter != after || e.Hint == "" {
				t.Errorf("after %v: %v; want a rate limit of %v at once", took, err, after)
			}
		}
		visit(t.Context(), true, 8*time.Second)
		if took, err := visit(t.Context(), false, 0); err != nil || took != 8*time.Second {
			t.Errorf("a short parking was not waited for: %v, %v", took, err)
		}
		visit(t.Context(), true, 5*time.Second)
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		took, err := visit(short, false, 0)
		limited(took, err, 5*time.Second)
		cancel()
		time.Sleep(5 * time.Second)
		visit(t.Context(), true, time.Minute)
		took, err = visit(t.Context(), false, 0)
		limited(took, err, time.Minute)
		time.Sleep(50*time.Second + 500*time.Millisecond)
		if took, err := visit(t.Context(), true, 0); err != nil || took != 9500*time.Millisecond {
			t.Errorf("%v, %v", took, err)
		}
		for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
			took, err = visit(t.Context(), false, 0)
			limited(took, err, want)
			time.Sleep(want)
			visit(t.Context(), true, 0)
		}
		time.Sleep(time.Hour)
		visit(t.Context(), false, 0) // it has recovered
		visit(t.Context(), true, 0)
		took, err = visit(t.Context(), false, 0)
		limited(took, err, 30*time.Second)
	})
}

func TestThrottleObeysContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle(time.Second)
		hold, err := th.enter(t.Context(), "https://a.example/", "a.example", 30*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var got error
		var wait sync.WaitGroup
		wait.Go(func() { _, got = th.enter(ctx, "https://a.example/", "a.example", 0) }) // waits for its turn
		synctest.Wait()
		cancel()
		wait.Wait()
		if !errors.Is(got, context.Canceled) {
			t.Errorf("in the queue: %v", got)
		}
		hold()
		ctx, cancel = context.WithCancel(t.Context())
		wait.Go(func() { _, got = th.enter(ctx, "https://a.example/", "a.example", 0) }) // waits for the pause
		synctest.Wait()
		cancel()
		wait.Wait()
		if !errors.Is(got, context.Canceled) {
			t.Errorf("in the pause: %v", got)
		}
		short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var e *Unavailable
		if _, err := th.enter(short, "https://a.example/", "a.example", 0); !errors.As(err, &e) || e.Outcome != RateLimited || e.RetryAfter != 30*time.Second {
			t.Errorf("a pause longer than the deadline: %v", err)
		}
		if leave, err := th.enter(t.Context(), "https://a.example/", "a.example", 0); err != nil {
			t.Errorf("the lane stays closed: %v", err)
		} else {
			leave()
		}
		for i := range 3 * manyLanes {
			leave, err := th.enter(t.Context(), "u", string(rune('a'+i%26))+time.Duration(i).String(), 0)
			if err != nil {
				t.Fatal(err)
			}
			leave()
			time.Sleep(2 * time.Millisecond)
		}
		if len(th.lanes) > manyLanes+1 {
			t.Errorf("%d lanes are kept", len(th.lanes))
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Unix(1_760_000_000, 0)
	for _, c := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{}, 0},
		{http.Header{"Retry-After": {"120"}}, 2 * time.Minute},
		{http.Header{"Retry-After": {" 1.5 "}}, 2 * time.Second},
		{http.Header{"Retry-After": {now.Add(90 * time.Second).UTC().Format(http.TimeFormat)}}, 90 * time.Second},
		{http.Header{"Retry-After": {now.Add(-time.Hour).UTC().Format(http.TimeFormat)}}, 0},
		{http.Header{"Retry-After": {"-5"}}, 0},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"NaN"}}, 0},
		{http.Header{"Retry-After": {"99999999999999999999"}}, 24 * time.Hour},
		{http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1760000600"}}, 10 * time.Minute},
		{http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1759999999"}}, 0},
		{http.Header{"X-Ratelimit-Remaining": {"7"}, "X-Ratelimit-Reset": {"1760000600"}}, 0},
		{http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"30"}}, 30 * time.Second},
		{http.Header{"Retry-After": {"1e999"}}, 24 * time.Hour},
		{http.Header{"X-Rate-Limit-Remaining": {"0"}, "X-Rate-Limit-Reset": {"1760000600000"}}, 10 * time.Minute},
		{http.Header{"Retry-After": {"60"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1760000600"}}, time.Minute},
	} {
		if got := RetryAfter(c.header, now); got != c.want {
			t.Errorf("%v: %v, want %v", c.header, got, c.want)
		}
	}
}
