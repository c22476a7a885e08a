package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Auto answers by rule, with nobody there: it grants what is only a matter of extent (many reads, a plan, a spend) and
// denies what crosses a border (a blocked path, a host out of scope, a mutation).
type Auto struct{}

// Decide grants or denies r by the rule that asked.
func (Auto) Decide(_ context.Context, r Request) (Decision, error) {
	switch r.Policy {
	case PolicyReads, PolicyPlan, PolicySpend:
		return Decision{Allow: true, By: "auto", Reason: "within the automatic approver's remit", Hash: r.Hash()}, nil
	}
	return Decision{By: "auto", Reason: "nobody is there to decide on this", Hash: r.Hash()}, nil
}

// ByPolicy asks the approver of the rule that asks, and that of "" where a rule has none. Where there is neither, it denies.
type ByPolicy map[string]Approver

// Decide has the rule's approver decide on r.
func (b ByPolicy) Decide(ctx context.Context, r Request) (Decision, error) {
	for _, policy := range []string{r.Policy, ""} {
		if a := b[policy]; a != nil {
			return a.Decide(ctx, r)
		}
	}
	return Deny{}.Decide(ctx, r)
}

// Deny refuses everything, for unattended runs that must not go beyond their policy.
type Deny struct{}

// Decide denies r.
func (Deny) Decide(_ context.Context, r Request) (Decision, error) {
	return Decision{By: "deny", Reason: "unattended: no approver", Hash: r.Hash()}, nil
}

// Script answers with its decisions in order; when none is left it denies (law 8). It is safe for concurrent use.
type Script struct {
	mu      sync.Mutex
	answers []bool
}

// NewScript returns an approver that gives these answers in order.
func NewScript(answers ...bool) *Script { return &Script{answers: answers} }

// Decide takes the next answer.
func (s *Script) Decide(_ context.Context, r Request) (Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) == 0 {
		return Decision{By: "script", Reason: "the script has no answer left", Hash: r.Hash()}, nil
	}
	allow := s.answers[0]
	s.answers = s.answers[1:]
	return Decision{Allow: allow, By: "script", Hash: r.Hash()}, nil
}

// Console asks on a terminal. It shows the exact arguments; only "y" or "yes" grants, end of input denies.
type Console struct {
	Stopped <-chan struct{} // closed when nobody will answer any more, as after an interrupt: it denies; nil: never

	mu  sync.Mutex
	in  *bufio.Reader
	out io.Writer
}

// NewConsole returns an approver that asks on out and reads answers from in.
func NewConsole(in io.Reader, out io.Writer) *Console {
	return &Console{in: bufio.NewReader(in), out: out}
}

// Decide asks and waits for a line, or for ctx to end.
func (c *Console) Decide(ctx context.Context, r Request) (Decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, "\nApproval needed (%s): %s\n  %s %s\nAllow? [y/N, then an optional reason] ", r.Policy, r.Reason, r.Tool, Printable(string(r.Args)))
	type answer struct {
		line string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		line, err := c.in.ReadString('\n')
		got <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return Decision{}, ctx.Err()
	case <-c.Stopped:
		return Decision{By: "console", Reason: "the run is being stopped", Hash: r.Hash()}, nil
	case a := <-got:
		if a.err != nil && a.line == "" {
			return Decision{By: "console", Reason: "no answer on the console", Hash: r.Hash()}, nil
		}
		word, reason, _ := strings.Cut(strings.TrimSpace(a.line), " ")
		word = strings.ToLower(word)
		return Decision{Allow: word == "y" || word == "yes", By: "console", Reason: strings.TrimSpace(reason), Hash: r.Hash()}, nil
	}
}

// Printable makes text from outside safe to show on a terminal: control characters, and with them escape sequences,
// become visible.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return '�'
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, s)
}

// Clip cuts s to n characters, the last of which then says so.
func Clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
