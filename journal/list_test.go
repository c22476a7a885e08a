package journal

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Pages of a list hold each run of the user once, the newest first, also where several began at the same moment; no
// other's run is in them.
func TestListPages(t *testing.T) {
	b, ctx := open(t, Options{}), context.Background()
	mine := map[string]bool{}
	for i := range 23 {
		if i%3 == 0 { // three runs a moment
			b.advance(time.Millisecond)
		}
		user := "a"
		if i%4 == 0 {
			user = "b"
		}
		id, err := b.Create(ctx, Spec{User: user, Question: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		if user == "a" {
			mine[id] = true
		}
	}
	l, seen := Listing{User: "a", Limit: 4}, []Info{}
	for {
		page, err := b.List(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		seen = append(seen, page...)
		l.Before, l.BeforeID = page[len(page)-1].Created, page[len(page)-1].ID
	}
	for _, i := range seen {
		if !mine[i.ID] {
			t.Errorf("run %s of %s is listed, or twice", i.ID, i.User)
		}
		delete(mine, i.ID)
	}
	if len(mine) > 0 || !slices.IsSortedFunc(seen, func(x, y Info) int { return y.Created.Compare(x.Created) }) {
		t.Errorf("missing %v, of %d", mine, len(seen))
	}
	if all, err := b.List(ctx, Listing{Anyone: true, State: StateQueued, Limit: 100}); err != nil || len(all) != 23 {
		t.Errorf("%d runs of all, %v", len(all), err)
	}
	if done, err := b.List(ctx, Listing{Anyone: true, State: StateDone, Limit: 100}); err != nil || len(done) != 0 {
		t.Errorf("%d runs are done, %v", len(done), err)
	}
}
