package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ibid/audit/judge"
	"ibid/corpus"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
)

type gcCmd struct {
	OlderThan age  `help:"Also delete runs that are over and older than this: 90d, 36h. Without it, what [retention] in the configuration says; else runs are kept." placeholder:"AGE"`
	DryRun    bool `help:"Say what would be deleted, and delete nothing."`
}

// swept is what was deleted, or would be.
type swept struct {
	DryRun   bool     `json:"dry_run"`
	Before   string   `json:"runs_before,omitempty"` // whose last event is older were deleted; RFC 3339
	Runs     []string `json:"runs"`
	Blobs    int64    `json:"blobs"` // that nobody wanted
	Bytes    int64    `json:"blob_bytes"`
	Cached   int64    `json:"cached"` // entries of the cache of pages that are too old to be used
	Vectors  int64    `json:"vectors"`
	Rulings  int64    `json:"rulings"`
	SizeFrom int64    `json:"size_before"` // of the database
	SizeTo   int64    `json:"size_after"`
	Traces   string   `json:"traces,omitempty"` // why traces of what was deleted may still be in the files

	kept []string
}

// Run deletes what nobody needs any more, and rewrites the database's files.
func (c *gcCmd) Run(e *env) error {
	keep := c.OlderThan
	if keep == 0 {
		var err error
		if keep, err = e.origin.tables.Retention.age(); err != nil {
			return err
		}
	}
	return e.withDesk(func(d *desk) error {
		s := &swept{DryRun: c.DryRun, Runs: []string{}}
		var err error
		if s.SizeFrom, err = d.db.Size(e.ctx); err != nil {
			return err
		}
		if keep > 0 {
			before := d.db.Now().Add(-time.Duration(keep))
			s.Before = before.UTC().Format(time.RFC3339)
			if err := s.runs(e, d, before); err != nil {
				return err
			}
		}
		if err := s.rest(e.ctx, d); err != nil {
			return err
		}
		if !c.DryRun {
			if err := s.compact(e.ctx, d); err != nil {
				return err
			}
		}
		if s.SizeTo, err = d.db.Size(e.ctx); err != nil {
			return err
		}
		return s.tell(e, keep)
	})
}

// runs deletes the runs that nothing has happened to since a time. One that somebody began to need meanwhile is kept.
func (s *swept) runs(e *env, d *desk, before time.Time) error {
	old, err := d.journal.Expired(e.ctx, before)
	if err != nil {
		return err
	}
	for _, i := range old {
		if !s.DryRun {
			_, err := d.engine.Remove(e.ctx, i.ID)
			var needed *journal.Needed
			if errors.As(err, &needed) || runs.CodeOf(err) == runs.NotFound {
				continue
			}
			if err != nil {
				return err
			}
		}
		s.Runs = append(s.Runs, i.ID)
		s.kept = append(s.kept, fmt.Sprintf("%s  %s  %s  %s", i.ID, i.Updated.Format(time.DateOnly), i.State, gate.Clip(gate.Printable(i.Question), 70)))
	}
	return nil
}

// rest deletes what is kept for later runs and too old to be used, and blobs that nobody wants.
func (s *swept) rest(ctx context.Context, d *desk) (err error) {
	if s.Cached, err = fetch.NewCache(d.db, d.db.Now).Expire(ctx, s.DryRun); err != nil {
		return err
	}
	if s.Vectors, err = (&corpus.Vectors{DB: d.db, Now: d.db.Now}).Expire(ctx, s.DryRun); err != nil {
		return err
	}
	if s.Rulings, err = (&judge.Kept{DB: d.db, Now: d.db.Now}).Expire(ctx, s.DryRun); err != nil {
		return err
	}
	if s.DryRun {
		s.Blobs, s.Bytes, err = d.db.Orphans(ctx)
	} else {
		s.Blobs, s.Bytes, err = d.db.ForgetOrphans(ctx)
	}
	return err
}

// compact rewrites the files: whatever their size where no run is worked on, since nobody is kept waiting then.
func (s *swept) compact(ctx context.Context, d *desk) error {
	working, err := d.journal.List(ctx, journal.Listing{Anyone: true, State: journal.StateWorking, Limit: 1000})
	if err != nil {
		return err
	}
	for _, i := range working {
		if i.State == journal.StateInterrupted {
			continue
		}
		if s.Traces = d.db.Tidy(ctx); s.Traces != "" {
			s.Traces = "run " + i.ID + " is being worked on, and would wait; " + s.Traces
		}
		return nil
	}
	if err := d.db.Scrub(ctx); err != nil {
		s.Traces = err.Error()
	}
	return nil
}

// tell prints what was done.
func (s *swept) tell(e *env, keep age) error {
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(s)
	}
	word := "deleted"
	if s.DryRun {
		word = "would be deleted"
	}
	if keep > 0 {
		fmt.Fprintf(e.out, "%s older than %s %s\n", count(len(s.Runs), "run"), keep, word)
		for _, line := range s.kept {
			fmt.Fprintln(e.out, "  "+line)
		}
	} else {
		fmt.Fprintln(e.out, "runs are kept, whatever their age")
	}
	fmt.Fprintf(e.out, "%s of the cache, %s, %s, %s that nobody wants (%s) %s\n", count(s.Cached, "entry"), count(s.Vectors, "vector"),
		count(s.Rulings, "ruling"), count(s.Blobs, "page"), size(s.Bytes), word)
	fmt.Fprintf(e.out, "database: %s before, %s after\n", size(s.SizeFrom), size(s.SizeTo))
	if s.Traces != "" {
		tellTraces(e, s.Traces)
	}
	return nil
}

// retentionTable says how long runs are kept.
type retentionTable struct {
	Runs string `toml:"runs"` // as 90d; "" keeps them
}

func (t retentionTable) age() (a age, err error) {
	if t.Runs == "" {
		return 0, nil
	}
	if err := a.UnmarshalText([]byte(t.Runs)); err != nil {
		return 0, &runs.Error{Code: runs.Unready, Message: "the configuration's retention.runs", Err: err}
	}
	return a, nil
}

// An age is a span of time, in days where it can be.
type age time.Duration

// UnmarshalText reads 90d, 36h, 1h30m.
func (a *age) UnmarshalText(text []byte) error {
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			*a = age(time.Duration(n) * 24 * time.Hour)
			return nil
		}
	} else if d, err := time.ParseDuration(string(text)); err == nil && d > 0 {
		*a = age(d)
		return nil
	}
	return fmt.Errorf("%q is no age: write it as 90d or 36h", text)
}

func (a age) String() string {
	if d := time.Duration(a); d%(24*time.Hour) == 0 {
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return time.Duration(a).String()
}
