package main

import (
	"encoding/json"
	"fmt"

	"ibid/journal"
	"ibid/runs"
)

type runsDeleteCmd struct {
	IDs []string `arg:"" name:"run" help:"Runs: their ids, or 'last'."`
}

// Run deletes runs, and then rewrites the database's files, if that is soon done. It stops at the first that cannot be
// deleted; what it deleted it says.
func (c *runsDeleteCmd) Run(e *env) error {
	if e.cli.Server != "" {
		return c.remotely(e)
	}
	return e.withDesk(func(d *desk) error {
		list := []journal.Deleted{}
		var failed error
		for _, name := range c.IDs {
			id, err := newest(e, d.engine.Everyone(), name)
			if err != nil {
				failed = err
				break
			}
			gone, err := d.engine.Remove(e.ctx, id)
			if err != nil {
				failed = err
				break
			}
			list = append(list, gone)
			if !e.cli.JSON {
				fmt.Fprintf(e.out, "%s deleted: %s, %s, %s, %s of the cache, %s\n", gone.Run, count(gone.Events, "event"), count(gone.Gates, "question"),
					count(gone.Blobs, "page"), count(gone.Cached, "entry"), size(gone.Bytes))
			}
		}
		if len(list) == 0 {
			return failed
		}
		traces := d.db.Tidy(e.ctx)
		for i := range list {
			list[i].Traces = traces
		}
		if e.cli.JSON {
			if err := json.NewEncoder(e.out).Encode(list); err != nil {
				return err
			}
		}
		tellTraces(e, traces)
		return failed
	})
}

// tellTraces says that what was deleted is gone, but not yet from the files.
func tellTraces(e *env, why string) {
	if why != "" {
		fmt.Fprintf(e.err, "traces of what was deleted may still be in the database's files: %s. Clear them with: ibid gc\n", why)
	}
}

// remotely deletes runs of a server, which looks after its own files.
func (c *runsDeleteCmd) remotely(e *env) error {
	for _, name := range c.IDs {
		err := e.withNamed(name, func(s runs.Service, id string) error {
			if err := s.Delete(e.ctx, id); err != nil {
				return err
			}
			if e.cli.JSON {
				return json.NewEncoder(e.out).Encode(struct {
					Run string `json:"run"`
				}{id})
			}
			fmt.Fprintf(e.out, "%s deleted\n", id)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
