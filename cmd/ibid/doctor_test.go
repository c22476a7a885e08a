package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// Lines of calls that end while others are still being added: none is lost, and each is in its place.
func TestChecksKeepTheirPlace(t *testing.T) {
	list := &checks{}
	for i := range 100 {
		list.call(t.Context(), fmt.Sprint(i), func(context.Context) (string, error) {
			if i%2 == 0 {
				return "", errors.New("refused\n  twice")
			}
			return fmt.Sprint("found ", i), nil
		})
	}
	list.wg.Wait()
	for i, c := range list.list {
		want := check{fmt.Sprint(i), "ok", fmt.Sprint("found ", i)}
		if i%2 == 0 {
			want = check{fmt.Sprint(i), "FAIL", "refused twice"}
		}
		if *c != want {
			t.Errorf("%+v, want %+v", *c, want)
		}
	}
}
