package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"ibid/agent"
	"ibid/gate"
	"ibid/research"
)

// progress shows what a run does: one live line on a terminal, a line an event elsewhere, JSON Lines on stdout with
// --json. It is called from several goroutines.
type progress struct {
	mu    sync.Mutex
	e     *env
	run   string
	live  bool // one line, rewritten
	width int
	color bool
	open  bool // the live line holds text
}

func newProgress(e *env, run string) *progress {
	p := &progress{e: e, run: run, width: 80}
	if f, ok := e.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.live = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			p.width = w
		}
	}
	_, noColor := os.LookupEnv("NO_COLOR")
	p.color = e.cli.Color == "always" || e.cli.Color == "auto" && p.live && !noColor
	return p
}

// event shows one thing that happened.
func (p *progress) event(ev agent.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.e.cli.JSON {
		line, err := json.Marshal(struct {
			Type string `json:"type"`
			Run  string `json:"run"`
			agent.Event
		}{"event", p.run, ev})
		if err == nil {
			fmt.Fprintf(p.e.out, "%s\n", line)
		}
		return
	}
	if p.e.cli.Quiet {
		return
	}
	text := describe(ev)
	if text == "" {
		return
	}
	if !p.live {
		fmt.Fprintln(p.e.err, text)
		return
	}
	text = clip(text, p.width-1)
	if p.color {
		text = "\x1b[2m" + text + "\x1b[0m"
	}
	fmt.Fprintf(p.e.err, "\r\x1b[K%s", text)
	p.open = true
}

// end clears the live line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.e.err, "\r\x1b[K")
		p.open = false
	}
}

// describe says in a few words what an event was; text from outside is made printable.
func describe(ev agent.Event) string {
	var args struct {
		Query string   `json:"query"`
		URLs  []string `json:"urls"`
		Claim string   `json:"claim"`
		Subs  []string `json:"subquestions"`
		To    string   `json:"to"`
		Text  string   `json:"text"`
	}
	switch ev.Kind {
	case agent.BeforeTool:
		_ = json.Unmarshal([]byte(ev.Text), &args) // for display only: what does not parse is shown by name
		switch {
		case ev.Tool == "plan":
			return fmt.Sprintf("%s planning: %s", at(ev), gate.Printable(strings.Join(args.Subs, " / ")))
		case ev.Tool == "search_web":
			return fmt.Sprintf("%s searching: %s", at(ev), gate.Printable(args.Query))
		case ev.Tool == "read_pages":
			return fmt.Sprintf("%s reading: %s", at(ev), gate.Printable(strings.Join(args.URLs, " ")))
		case ev.Tool == "spawn_subagent", ev.Tool == "list_siblings", ev.Tool == "read_messages":
			return "" // that one was spawned is told when it begins
		case ev.Tool == "wait_subagents":
			return fmt.Sprintf("%s waiting for its agents", at(ev))
		case ev.Tool == "send_message":
			return fmt.Sprintf("%s writing to %s: %s", at(ev), gate.Printable(args.To), gate.Printable(args.Text))
		case ev.Tool == "record_finding":
			return fmt.Sprintf("%s recording: %s", at(ev), gate.Printable(args.Claim))
		}
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Tool))
	case agent.Bounds, research.EventJudging:
		return gate.Printable(ev.Text)
	case agent.AfterTool:
		return failure(ev)
	case agent.Retrying:
		return fmt.Sprintf("%s the model: %s", at(ev), gate.Printable(ev.Text))
	case agent.Gated:
		word := "approved"
		if ev.Error {
			word = "not approved"
		}
		return fmt.Sprintf("%s %s: %s", at(ev), word, gate.Printable(ev.Text))
	case agent.OverBudget:
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Text))
	case agent.Elided, agent.Compacting, agent.Compacted:
		return fmt.Sprintf("%s %s", at(ev), gate.Printable(ev.Text))
	case agent.Spawned:
		return fmt.Sprintf("[%s] begins: %s", ev.Lane, gate.Printable(ev.Text))
	case agent.Ended:
		return fmt.Sprintf("[%s] ended: %s", ev.Lane, gate.Printable(ev.Text))
	case agent.Stalling:
		return fmt.Sprintf("%s nothing new for some steps", at(ev))
	case agent.Closing:
		return fmt.Sprintf("%s closing: %s", at(ev), ev.Text)
	}
	return ""
}

// at says who does something, and in which step: [3] of the lead, [a2 3] of another agent.
func at(ev agent.Event) string {
	if ev.Lane == "" || ev.Lane == "lead" {
		return fmt.Sprintf("[%d]", ev.Step)
	}
	return fmt.Sprintf("[%s %d]", ev.Lane, ev.Step)
}

// clip cuts s to n runes.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// failure says what a search or a read did not bring, or "".
func failure(ev agent.Event) string {
	switch {
	case ev.Tool == "search_web" && ev.Error:
		return fmt.Sprintf("%s no search: %s", at(ev), clip(gate.Printable(ev.Text), 240))
	case ev.Tool != "read_pages":
		return ""
	}
	_, body, _ := strings.Cut(ev.Text, "{")
	var result struct {
		Pages []struct {
			URL     string `json:"url"`
			Outcome string `json:"outcome"`
			Error   string `json:"error"`
		} `json:"pages"`
	}
	if json.NewDecoder(strings.NewReader("{"+body)).Decode(&result) != nil {
		if !ev.Error {
			return ""
		}
		return fmt.Sprintf("%s not read: %s", at(ev), clip(gate.Printable(ev.Text), 240))
	}
	var lines []string
	for _, p := range result.Pages {
		if p.Error != "" {
			lines = append(lines, fmt.Sprintf("%s not read: %s: %s", at(ev), gate.Printable(p.URL), clip(gate.Printable(p.Error), 160)))
		}
	}
	return strings.Join(lines, "\n")
}
