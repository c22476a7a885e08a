package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"ibid/agent"
	"ibid/gate"
	"ibid/journal"
	"ibid/runs"
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
	p.say(runs.Tell(ev))
}

// recorded shows an event that is read from a record.
func (p *progress) recorded(ev journal.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.e.cli.JSON {
		p.say(ev.Text)
		return
	}
	line, err := json.Marshal(struct {
		Type string `json:"type"`
		journal.Event
	}{"event", ev})
	if err == nil {
		fmt.Fprintf(p.e.out, "%s\n", line)
	}
}

// say shows a text, if there is one.
func (p *progress) say(text string) {
	if text == "" || p.e.cli.Quiet {
		return
	}
	if !p.live {
		fmt.Fprintln(p.e.err, text)
		return
	}
	text = gate.Clip(text, p.width-1)
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
