package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
)

// TeamLimits bound a team in code (TEAM-3). The zero value allows none.
type TeamLimits struct {
	Depth    int // generations of agents under the lead
	Number   int // agents that one agent may spawn in its life
	Parallel int // of them that it may have and not have waited for
}

// leastSteps is the smallest budget of steps that an agent is spawned with: to look, to record, to answer.
const leastSteps = 3

// A Member is an agent that another one spawned.
type Member struct {
	Lane   string          // first element of its journal keys: a1, and a1.2 is its second
	Lead   string          // lane of the agent that spawned it
	Task   string          // what it is to do
	Reason string          // why it was spawned (TEAM-2)
	Args   json.RawMessage // the whole call, for what the caller adds to it
}

// A Crew is what the caller brings to a team. Its functions are called in the lane of the agent that they serve, and
// must follow from what that agent knows: whatever order agents run in, they say the same (docs/decisions/019).
type Crew struct {
	Limits  TeamLimits
	Closing budget.Amount // set aside in each member's budget for its last words
	Texts   TeamTexts
	// Vet refuses a member, or names the gate's rule by which a person must say yes; policy "" means that none is needed.
	Vet func(m Member) (policy, why string, err error)
	// Hire makes what a member works with, from what its lead knows at that moment. Lane, record, ledger and the team's own
	// tools are added.
	Hire func(m Member) (*Loop, *Session)
	// Merge takes what a member has found into what its lead knows, and returns what the lead reads of it: its last words,
	// with what they name as the lead knows it, and what was found. It is called once for each member, in the order in which
	// they were spawned.
	Merge func(m Member, a Answer) (summary string, found any)
	// Fence puts text from outside where it is data and nothing else. A member's words are such text: it has read pages.
	Fence func(v any) string
}

// A Team is the agents of one run: each with a conversation and a carved budget of its own, side by side. An agent sees
// nothing of what another does until it waits for it; then what was found comes in, in the order of spawning.
type Team struct {
	Crew
	record  *journal.Run
	observe func(Event)
	ctx     context.Context
	cancel  context.CancelCauseFunc
	work    sync.WaitGroup

	mu      sync.Mutex
	members map[string]*member // by lane
	boxes   map[string]*mailbox
	fault   error // of the program or the journal, in any member
}

// member is an agent at work.
type member struct {
	Member
	depth   int
	ledger  *budget.Ledger
	child   *budget.Child // nil: the lead of the run
	used    budget.Amount // by others, at worst, when it was admitted
	began   int64         // milliseconds its lead had spent when it was spawned
	done    chan struct{}
	answer  Answer
	spawned int       // agents, ever
	open    []*member // those not waited for, in the order of spawning
	opening int       // admitted in this step, not yet open
}

// NewTeam makes a team. Close ends it.
func NewTeam(ctx context.Context, record *journal.Run, observe func(Event), c Crew) *Team {
	t := &Team{Crew: c, record: record, observe: observe, members: map[string]*member{}, boxes: map[string]*mailbox{}}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

// Context ends with the run, and when any member meets a fault of the program or the journal: the lead's loop runs in it.
func (t *Team) Context() context.Context { return t.ctx }

// Lead gives a session the tools by which it leads this team.
func (t *Team) Lead(s *Session) {
	t.enlist(&member{Member: Member{Lane: s.Lane}, ledger: s.Ledger}, s)
}

// enlist makes a session one of this team's.
func (t *Team) enlist(m *member, s *Session) {
	t.know(m, true)
	s.Tools = append(s.Tools[:len(s.Tools):len(s.Tools)], t.tools(m)...)
	if m.depth < t.Limits.Depth {
		s.Outstanding = func() (string, error) { return t.outstanding(m) }
	}
}

// Close ends whoever still works, and waits for them.
func (t *Team) Close() {
	t.cancel(context.Canceled)
	t.work.Wait()
}

// Settle waits until nobody works any more: for a run that parks, so that what is under way is recorded whole.
func (t *Team) Settle() error {
	t.work.Wait()
	return t.Fault()
}

// Finish takes in what members found whom the lead has not waited for, and returns what they meet of faults, or
// gate.ErrPending where one of them waits for a person. It is called when the lead's loop has ended.
func (t *Team) Finish(lane string) error {
	m := t.member(lane)
	if m == nil {
		return nil
	}
	_, err := t.join(m)
	return err
}

// Fault is the first fault of the program or the journal that a member met, or nil.
func (t *Team) Fault() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fault
}

// Members counts the agents that were spawned.
func (t *Team) Members() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.members {
		n += m.spawned
	}
	return n
}

// know says whether a lane is a member's.
func (t *Team) know(m *member, is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.members[m.Lane] = m; !is {
		delete(t.members, m.Lane)
	}
}

func (t *Team) member(lane string) *member {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.members[lane]
}

func (t *Team) see(e Event) {
	if t.observe != nil {
		t.observe(e)
	}
}

// start lets a member work. It is a consequence of the spawning call, so a run that is resumed starts it again, once, and
// its record is served to it.
func (t *Team) start(lead *member, m *member) error {
	m.began = lead.ledger.Spent().Millis
	lead.open = append(lead.open, m)
	loop, s := t.Hire(m.Member)
	s.Lane, s.Record, s.Ledger, s.Observe, s.Used = m.Lane, t.record, m.ledger, t.observe, m.used
	t.enlist(m, s)
	t.mu.Lock()
	lead.spawned++
	t.mu.Unlock()
	if t.record != nil {
		if err := t.record.Note(journal.Key(m.Lane+"/0/spawn"), "spawn", struct {
			Agent  string        `json:"agent"`
			Lead   string        `json:"lead"`
			Task   string        `json:"task"`
			Reason string        `json:"reason"`
			Limits budget.Limits `json:"limits"`
		}{m.Lane, m.Lead, m.Task, m.Reason, m.ledger.Limits()}); err != nil {
			return err
		}
	}
	t.see(Event{Kind: Spawned, Lane: m.Lane, Text: m.Task, Spent: m.child.Carved()})
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		defer close(m.done)
		t.run(loop, s, m)
	}()
	return nil
}

// run is a member's life. Whatever becomes of it, it ends with an answer, and touches no other member.
func (t *Team) run(loop *Loop, s *Session, m *member) {
	defer func() {
		if fault := recover(); fault != nil {
			m.answer = Answer{Stop: StopFailed, Err: fmt.Errorf("agent %s: internal fault: %v", m.Lane, fault)}
		}
		t.see(Event{Kind: Ended, Lane: m.Lane, Text: string(m.answer.Stop), Error: m.answer.Stop == StopFailed, Spent: m.ledger.Spent()})
	}()
	var err error
	if m.answer, err = loop.Run(t.ctx, s); err == nil && m.answer.Stop != StopParked && m.answer.Stop != StopCancelled {
		_, err = t.join(m)
	}
	switch {
	case errors.Is(err, gate.ErrPending):
		m.answer.Stop = StopParked
	case err != nil && t.ctx.Err() != nil:
		m.answer.Stop = StopCancelled
	case err != nil:
		t.mu.Lock()
		t.fault = cmp.Or(t.fault, err)
		t.mu.Unlock()
		t.cancel(err)
	}
}

// A joined is what the lead reads of a member that it waited for.
type joined struct {
	Agent   string `json:"agent"`
	Task    string `json:"task"`
	Ended   Stop   `json:"ended"`
	Steps   int    `json:"steps"`
	Summary string `json:"untrusted_summary,omitempty"`
	Cut     bool   `json:"summary_cut,omitempty"`
	Error   string `json:"error,omitempty"`
	Found   any    `json:"found,omitempty"`
}

// longestSummary is how much of a member's last words its lead reads, in characters.
const longestSummary = 4000

// join waits for the agents that m has spawned and not waited for, returns their budgets, and takes in what they found, in
// the order of spawning. They have worked side by side, so the time that m has waited is that of the slowest, less what m
// itself has spent meanwhile. None is waited for that is dead: each ends by itself, by its budget or with the run.
func (t *Team) join(m *member) ([]joined, error) {
	for _, child := range m.open {
		select {
		case <-child.done:
		case <-t.ctx.Done():
			return nil, context.Cause(t.ctx)
		}
	}
	if err := t.Fault(); err != nil {
		return nil, err
	}
	for _, child := range m.open {
		switch child.answer.Stop {
		case StopParked:
			return nil, gate.ErrPending
		case StopCancelled:
			return nil, cmp.Or(context.Cause(t.ctx), context.Canceled)
		}
	}
	var list []joined
	waited, now := int64(0), m.ledger.Spent().Millis
	for _, child := range m.open {
		waited = max(waited, child.ledger.Spent().Millis-(now-child.began))
		child.child.Return()
		a := child.answer
		summary, found := t.Merge(child.Member, a)
		one := joined{Agent: child.Lane, Task: child.Task, Ended: a.Stop, Steps: a.Steps, Found: found}
		one.Summary, one.Cut = cut(summary, longestSummary)
		if a.Err != nil {
			one.Error, _ = cut(a.Err.Error(), 300)
		}
		list = append(list, one)
	}
	m.ledger.Charge(budget.Amount{Millis: waited})
	m.open = nil
	return list, nil
}

// outstanding is what an agent is told that wants to end while others work for it: it waits for them first.
func (t *Team) outstanding(m *member) (string, error) {
	if len(m.open) == 0 {
		return "", nil
	}
	list, err := t.join(m)
	if err != nil {
		return "", err
	}
	return t.Texts.Wait.Text.Note("outstanding") + "\n" + t.Fence(team{list}), nil
}

// team is the shape of a list of members.
type team struct {
	Agents any `json:"agents"`
}

// cut is the first n characters of s, and whether there were more.
func cut(s string, n int) (string, bool) {
	if r := []rune(s); len(r) > n {
		return string(r[:n]), true
	}
	return s, false
}
