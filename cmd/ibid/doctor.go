package main

import (
	"encoding/json"
	"fmt"
	"time"

	"ibid/corpus/bundled"
	"ibid/fetch"
	"ibid/journal"
)

type doctorCmd struct{}

// Run checks what a run needs, one line each. It ends with 1 if something is broken and 4 if something is missing.
func (doctorCmd) Run(e *env) error {
	type check struct {
		Name  string `json:"name"`
		OK    bool   `json:"ok"`
		Found string `json:"found"`
	}
	var list []check
	add := func(name string, found string, err error) {
		if err != nil {
			found = err.Error()
		}
		list = append(list, check{name, err == nil, found})
	}
	home, err := e.home()
	add("folder for runs", home, err)
	d, err := e.desk()
	if err == nil {
		defer d.close()
		var n []journal.Info
		n, err = d.journal.Runs(e.ctx, 1000)
		add("store", fmt.Sprintf("%d runs", len(n)), err)
	} else {
		add("store", "", err)
	}
	shelf, err := fetch.NewOffline(bundled.FS)
	if err == nil {
		add("bundled corpus", fmt.Sprintf("%d documents", len(shelf.Entries())), nil)
	} else {
		add("bundled corpus", "", err)
	}
	add("model", "extractive: needs no key and no network", nil)
	clock := time.Now()
	if clock.Year() < 2026 {
		err = fmt.Errorf("it says %s; times in reports would be wrong", clock.Format(time.DateOnly))
	}
	add("clock", clock.UTC().Format(time.RFC3339), err)
	broken := false
	for _, c := range list {
		broken = broken || !c.OK
		if !e.cli.JSON {
			mark := "ok  "
			if !c.OK {
				mark = "FAIL"
			}
			fmt.Fprintf(e.out, "%s  %-16s %s\n", mark, c.Name, c.Found)
		}
	}
	if e.cli.JSON {
		if err := json.NewEncoder(e.out).Encode(list); err != nil {
			return err
		}
	}
	if broken {
		return exit(exitConfig)
	}
	return nil
}
