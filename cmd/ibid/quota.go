package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"ibid/journal"
	"ibid/runs"
)

type quotaCmd struct {
	List  quotaListCmd  `cmd:"" help:"List the users who have limits of their own."`
	Set   quotaSetCmd   `cmd:"" help:"Give a user limits of their own; what is left out stays as it is."`
	Clear quotaClearCmd `cmd:"" help:"Give a user the limits of all again (--max-working, --max-queued)."`
}

type quotaListCmd struct{}

// Run lists users.
func (c *quotaListCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error {
		list, err := d.journal.Quotas(e.ctx)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		for _, u := range list {
			fmt.Fprintf(e.out, "%s  %s at work, %s waiting\n", u.User, runsAtOnce(u.Working), runsAtOnce(u.Queued))
		}
		return nil
	})
}

func runsAtOnce(n int) string {
	if n == 0 {
		return "any number"
	}
	return fmt.Sprint(n)
}

type quotaSetCmd struct {
	User    string `arg:"" help:"Whose limits."`
	Working *int   `help:"Runs that may be worked on at once (0: any number)." placeholder:"N"`
	Queued  *int   `help:"Background runs that may wait (0: any number)." placeholder:"N"`
}

// Run sets a user's limits.
func (c *quotaSetCmd) Run(e *env) error {
	for _, n := range []*int{c.Working, c.Queued} {
		if n != nil && (*n < 0 || *n > maxQuota) {
			return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%d: no number of runs that a user may have at once", *n), Hint: fmt.Sprintf("Give a number from 1 to %d, or 0 for any.", maxQuota)}
		}
	}
	if c.Working == nil && c.Queued == nil {
		return &runs.Error{Code: runs.Invalid, Message: "no limit is named", Hint: "Name one: --working N or --queued N"}
	}
	return e.withDesk(func(d *desk) error {
		q, err := d.journal.Quota(e.ctx, c.User)
		if err != nil {
			return err
		}
		if c.Working != nil {
			q.Working = *c.Working
		}
		if c.Queued != nil {
			q.Queued = *c.Queued
		}
		return d.journal.SetQuota(e.ctx, c.User, &q)
	})
}

// maxQuota is more runs than anybody has.
const maxQuota = 1_000_000

type quotaClearCmd struct {
	User string `arg:"" help:"Whose limits."`
}

// Run gives a user the limits of all again.
func (c *quotaClearCmd) Run(e *env) error {
	return e.withDesk(func(d *desk) error {
		list, err := d.journal.Quotas(e.ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(u journal.UserQuota) bool { return u.User == c.User }) {
			return &runs.Error{Code: runs.NotFound, Message: fmt.Sprintf("%q has no limits of their own", c.User), Hint: "See who has: ibid quota list"}
		}
		return d.journal.SetQuota(e.ctx, c.User, nil)
	})
}
