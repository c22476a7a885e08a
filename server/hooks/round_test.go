package hooks

import (
	"context"
	"net/http"
	"testing"
	"time"

	"ibid/journal"
)

// A user whose addresses do not answer takes a few places, and the others are told at once.
func TestDeadAddressesDelayNobodyElse(t *testing.T) {
	b, ctx := open(t), context.Background()
	hangs, heard := make(chan struct{}), make(chan struct{}, 1)
	b.answer = func(n int, w http.ResponseWriter) {
		if n <= mostOfOne {
			<-hangs
			return
		}
		heard <- struct{}{}
	}
	for range mostOfOne + 3 {
		if _, _, err := b.Create(ctx, "ada", b.ear.URL, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.run(t, "ada", journal.StateDone)
	r := newRound()
	look := func() int {
		t.Helper()
		if err := b.Derive(ctx, time.UnixMilli(0)); err != nil {
			t.Fatal(err)
		}
		made, err := b.begin(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	if n := look(); n != mostOfOne {
		t.Errorf("%d attempts for one user at once", n)
	}
	for len(b.all()) < mostOfOne { // all of them hang
		<-time.After(time.Millisecond)
	}
	b.pass(time.Second)
	if _, _, err := b.Create(ctx, "bob", b.ear.URL, nil); err != nil {
		t.Fatal(err)
	}
	b.run(t, "bob", journal.StateDone)
	if n := look(); n != 1 {
		t.Errorf("%d attempts, while those for ada hang", n)
	}
	<-heard
	close(hangs)
	r.all.Wait()
	if err := r.failed(); err != nil {
		t.Error(err)
	}
}

// An attempt whose lease has lapsed changes nothing that another has written by then.
func TestLateAttemptsWriteNothing(t *testing.T) {
	b, ctx := open(t), context.Background()
	w, _, err := b.Create(ctx, "ada", b.ear.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked, late := make(chan struct{}), make(chan struct{})
	b.answer = func(n int, w http.ResponseWriter) {
		if n == 1 {
			close(asked)
			<-late
			w.WriteHeader(http.StatusGone)
		}
	}
	b.run(t, "ada", journal.StateDone)
	if err := b.Derive(ctx, time.UnixMilli(0)); err != nil {
		t.Fatal(err)
	}
	r := newRound()
	if _, err := b.begin(ctx, r); err != nil {
		t.Fatal(err)
	}
	<-asked
	b.pass(lease + time.Second)
	if n, err := b.Deliver(ctx); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	close(late)
	r.all.Wait()
	if err := r.failed(); err != nil {
		t.Error(err)
	}
	list, err := b.Deliveries(ctx, "ada", w.ID)
	if err != nil || len(list) != 1 || list[0].Delivered.IsZero() || list[0].Attempts != 2 || list[0].Failure != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if w, err := b.Get(ctx, "ada", w.ID); err != nil || !w.Disabled.IsZero() {
		t.Errorf("a late answer disabled it: %+v, %v", w, err)
	}
}
