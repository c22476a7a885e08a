package agent

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// The limits of messages.
const (
	longestMessage = 2000 // characters
	fullBox        = 50   // messages that wait for one agent
)

// A message is what one agent writes to another.
type message struct {
	ID   string `json:"id"` // of the sender's n-th: a2#1
	From string `json:"from"`
	Text string `json:"untrusted_text"`
}

// A mailbox holds what was written to one agent, in the order of arrival. Each message is taken once, also in a run that
// is resumed, where senders send again what is on record.
type mailbox struct {
	mu   sync.Mutex
	list []message
	seen map[string]bool // by id, of what was taken
	sent int             // by its owner, who alone counts here
}

// box is the mailbox of a lane; it may be written to before its owner is there.
func (t *Team) box(lane string) *mailbox {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.boxes[lane] == nil {
		t.boxes[lane] = &mailbox{seen: map[string]bool{}}
	}
	return t.boxes[lane]
}

func (b *mailbox) put(m message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.seen[m.ID] && !slices.ContainsFunc(b.list, func(old message) bool { return old.ID == m.ID }) {
		b.list = append(b.list, m)
	}
}

// waiting is what has come and was not taken; never nil.
func (b *mailbox) waiting() []message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]message{}, b.list...)
}

// taken notes that the owner has read these.
func (b *mailbox) taken(list []message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range list {
		b.seen[m.ID] = true
	}
	b.list = slices.DeleteFunc(b.list, func(m message) bool { return b.seen[m.ID] })
}

// A reached says whether an agent can be written to.
type reached struct {
	State  string   `json:"state"` // working, ended, unknown, full
	Others []string `json:"others,omitempty"`
}

// reach looks for an agent that m may write to: its lead, its siblings, those that it spawned.
func (t *Team) reach(m *member, to string) reached {
	state := "unknown"
	others := []string{}
	for _, other := range t.near(m) {
		others = append(others, other.Lane)
		if other.Lane == to {
			state = other.state()
		}
	}
	if state == "working" && len(t.box(to).waiting()) >= fullBox {
		state = "full"
	}
	return reached{state, others}
}

// near lists whom an agent may write to, by lane: those that it spawned, its siblings, and its lead.
func (t *Team) near(m *member) []*member {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []*member
	for _, other := range t.members {
		if other != m && (other.Lead == m.Lane || m.Lead != "" && (other.Lead == m.Lead || other.Lane == m.Lead)) {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, func(a, b *member) int {
		return cmp.Or(a.depth-b.depth, len(a.Lane)-len(b.Lane), strings.Compare(a.Lane, b.Lane))
	})
	return list
}

// siblings lists the other agents near m, without its lead.
func (t *Team) siblings(m *member) []sibling {
	list := []sibling{}
	for _, other := range t.near(m) {
		if other.Lane != m.Lead {
			list = append(list, sibling{other.Lane, other.Task, other.Reason, other.state()})
		}
	}
	return list
}

// state says whether an agent still works. The lead of the run does as long as there is somebody to ask.
func (m *member) state() string {
	if m.done == nil {
		return "working"
	}
	select {
	case <-m.done:
		return "ended"
	default:
		return "working"
	}
}
