package journal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// evidence is what a fork may take from its parent: model answers by position, everything else by what was asked.
type evidence struct {
	run    string
	models map[place]*record
	others map[string][]*record // kind and request hash → outcomes not yet taken, in the order recorded
}

func (j *Journal) loadEvidence(ctx context.Context, parent string) (*evidence, error) {
	records, err := j.load(ctx, parent)
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
		slices.SortFunc(list, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	}
	return ev, nil
}

func asked(kind, sha string) string { return kind + "\x00" + sha }

// take finds the parent's outcome for an effect, or nil. A model's answer is the one at the same position, to the same
// request, before the step at which the fork goes its own way. Anything else is the outcome of the same request: the one
// at the same position, or else the first that was not taken yet, so that the n-th time gets the n-th answer.
func (r *Run) take(e Effect, sha string) *record {
	if r.evidence == nil {
		return nil
	}
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
	i := max(slices.IndexFunc(list, func(rec *record) bool { return rec.key == e.Key }), 0)
	rec := list[i]
	r.evidence.others[asked(e.Kind, sha)] = slices.Delete(list, i, i+1)
	return rec
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
// alone. What is recorded is not paid for again: its tokens and dollars are free, its searches and reads still count. What
// the parent does not hold is a failure, unless the fork may go beyond the evidence; only models, judges, persons and the
// clock are always asked anew.
func (r *Run) copy(ctx context.Context, e Effect, sha string, request []byte) (o outcome, found bool, err error) {
	if r.evidence == nil {
		return o, false, nil
	}
	old := r.take(e, sha)
	if old == nil && (r.info.Live || e.Kind == "model" || e.Kind == "judge" || e.Kind == "gate" || e.Kind == "clock") {
		return o, false, nil
	}
	rec := &record{place: place{e.Key, e.Kind}, state: failed, requestSHA: sha, visited: true, copied: r.evidence.run,
		failure: "this is not in the recorded evidence of run " + r.evidence.run + ", and the fork may not go beyond it"}
	if e.Hold != nil {
		rec.reserved = e.Hold.Amount()
	}
	if old != nil {
		if o.body, err = old.body(); err != nil {
			return o, false, fmt.Errorf("journal: the outcome of %s in run %s: %w", e.Key, r.evidence.run, err)
		}
		rec.state, rec.failure = old.state, old.failure
		rec.spent = Amount{Steps: old.spent.Steps, Searches: old.spent.Searches, Reads: old.spent.Reads}
	}
	if err := rec.pack(o.body); err != nil {
		return o, false, err
	}
	if err := r.insert(ctx, e, rec, request); err != nil {
		return o, false, err
	}
	if e.Hold != nil {
		e.Hold.Settle(rec.spent)
	}
	o.recorded = true
	return o, true, rec.failed()
}
