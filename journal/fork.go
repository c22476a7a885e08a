package journal

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// evidence is what a fork may take from its parent: model answers by position, everything else by what was asked.
type evidence struct {
	run    string
	models map[place]*record
	others map[string][]*record // kind and request hash → outcomes, in the order recorded
}

func (j *Journal) loadEvidence(ctx context.Context, parent string) (*evidence, error) {
	records, _, err := j.load(ctx, parent)
	if err != nil {
		return nil, err
	}
	ev := &evidence{run: parent, models: map[place]*record{}, others: map[string][]*record{}}
	for at, rec := range records {
		switch {
		case rec.state != done && rec.state != failed:
		case at.kind == "model":
			ev.models[at] = rec
		default:
			ev.others[asked(at.kind, rec.requestSHA)] = append(ev.others[asked(at.kind, rec.requestSHA)], rec)
		}
	}
	for _, list := range ev.others {
		sort.Slice(list, func(a, b int) bool { return list[a].seq < list[b].seq })
	}
	return ev, nil
}

func asked(kind, sha string) string { return kind + "\x00" + sha }

// take finds the parent's outcome for an effect: a model's answer at the same position to the same request, before the
// step at which the fork goes its own way; of anything else the next outcome of the same request, the last one again
// when all are used.
func (r *Run) take(e Effect, sha string) *record {
	if e.Kind == "model" {
		if rec := r.evidence.models[place{e.Key, e.Kind}]; rec != nil && rec.requestSHA == sha && number(e.Key) < r.info.ForkAt {
			return rec
		}
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.evidence.others[asked(e.Kind, sha)]
	if len(list) == 0 {
		return nil
	}
	if len(list) > 1 {
		r.evidence.others[asked(e.Kind, sha)] = list[1:]
	}
	return list[0]
}

// number is the key's step.
func number(k Key) int {
	_, step, _ := strings.Cut(k.step(), "/")
	n, err := strconv.Atoi(step)
	if err != nil {
		return 0
	}
	return n
}

// copy serves an effect of a fork from the parent's record and makes it the fork's own, so that the fork replays
// alone. What is recorded is not paid for again: its tokens and dollars are free, its searches and reads still count. A
// search or a read that the parent does not hold is a failure, unless the fork may go beyond the evidence.
func (r *Run) copy(ctx context.Context, e Effect, sha string, request []byte) (*record, error) {
	if r.evidence == nil {
		return nil, nil
	}
	old := r.take(e, sha)
	if old == nil && (r.info.Live || e.Kind != "search" && e.Kind != "fetch") {
		return nil, nil
	}
	rec := &record{state: failed, requestSHA: sha, visited: true, copied: r.evidence.run,
		failure: "this is not in the recorded evidence of run " + r.evidence.run + ", and the fork may not go beyond it"}
	if e.Hold != nil {
		rec.reserved = e.Hold.Amount()
	}
	if old != nil {
		body, err := old.body()
		if err != nil {
			return nil, fmt.Errorf("journal: the outcome of %s in run %s: %w", e.Key, r.evidence.run, err)
		}
		rec.state, rec.failure, rec.plain, rec.took = old.state, old.failure, body, 0
		rec.spent = Amount{Steps: old.spent.Steps, Searches: old.spent.Searches, Reads: old.spent.Reads}
	}
	if err := rec.pack(); err != nil {
		return nil, &Lost{e.Key, err}
	}
	return rec, r.insert(ctx, e, rec, request)
}
