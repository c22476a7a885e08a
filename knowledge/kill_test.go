package knowledge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/store"
)

// child remembers snippets from a number on, or works on the queue, and says what it has done, until it is killed.
func child(what string) error {
	ctx := context.Background()
	db, err := store.Open(ctx, os.Getenv("KNOWLEDGE_TEST_DB"))
	if err != nil {
		return err
	}
	defer db.Close()
	b := &Base{DB: db, Lease: 300 * time.Millisecond}
	if strings.HasPrefix(what, "remember ") {
		var n, until int
		_, err := fmt.Sscanf(what, "remember %d to %d", &n, &until)
		for ; err == nil && n < until; n++ {
			s := Snippet{Text: fmt.Sprintf("The station at mile %d recorded %d litres of rain.", n, 1000+n), Label: User, Origin: fmt.Sprint("s", n)}
			if _, err = b.Remember(ctx, me, "notes", s, n%50 == 7); err == nil {
				fmt.Println("accepted", n)
			}
		}
		return err
	}
	for {
		_, err := b.work(ctx, me, "notes", func(*stored) (Extractor, string) {
			fmt.Println("absorbing")
			return Rules{}, ""
		})
		var busy *Busy
		if err != nil && !errors.As(err, &busy) && !errors.Is(err, errFenced) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// a life is one child, killed after it has said something so often. It returns the last thing it said.
func life(ctx context.Context, t *testing.T, at, what string, lines int) (last string) {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "KNOWLEDGE_TEST_CHILD="+what, "KNOWLEDGE_TEST_DB="+at)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return ""
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return ""
	}
	scan := bufio.NewScanner(out)
	for said := 0; said < lines && scan.Scan(); said++ {
		last = scan.Text()
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	for scan.Scan() { // what it had said before it was killed
		last = scan.Text()
	}
	_ = cmd.Wait() // it was killed
	return last
}

// Whoever remembers and whoever absorbs may be killed at any moment, again and again: every snippet that was accepted is absorbed
// exactly once, and none is lost.
func TestKill(t *testing.T) {
	at := address(t)
	b := open(t, at)
	rng := rand.New(rand.NewPCG(3, 9))
	var mu sync.Mutex
	some := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return 1 + rng.IntN(n)
	}
	kills, remembered := 0, 500
	if testing.Short() {
		remembered = 100
	}
	working, over := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for working.Err() == nil {
				life(working, t, at, "work", some(80)) // with an empty queue it says nothing until it is killed at the end
				mu.Lock()
				kills++
				mu.Unlock()
			}
		})
	}
	for accepted := 0; accepted < remembered; {
		last := life(t.Context(), t, at, fmt.Sprintf("remember %d to %d", accepted, remembered), some(90))
		if n, err := strconv.Atoi(strings.TrimPrefix(last, "accepted ")); err == nil {
			accepted = n + 1
		}
		mu.Lock()
		kills++
		mu.Unlock()
	}
	over()
	wg.Wait()
	b.Lease = 300 * time.Millisecond
	all := make([]int64, remembered)
	for i := range all {
		all[i] = int64(i + 1)
	}
	if _, err := b.Wait(t.Context(), me, "notes", all); err != nil {
		t.Fatal(err)
	}
	i, err := b.Info(t.Context(), me, "notes")
	if err != nil {
		t.Fatal(err)
	}
	var supports, twice int64
	if err := b.DB.QueryRowContext(t.Context(), `SELECT COUNT(*), COUNT(*) - COUNT(DISTINCT snippet) FROM kb_support`).Scan(&supports, &twice); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills: %+v, version %d", kills, i, i.version)
	if want := int64(remembered); i.Snippets != want || i.Waiting != 0 || i.Facts != want || i.version != want || supports != want || twice != 0 {
		t.Errorf("%+v, version %d, %d supports, %d twice", i, i.version, supports, twice)
	}
	if kills < remembered/50 {
		t.Errorf("only %d kills", kills)
	}
}
