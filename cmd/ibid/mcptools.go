package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ibid/gate"
	"ibid/research"
)

type mcpToolsCmd struct {
	Server []string `arg:"" optional:"" help:"Servers; left out: all."`
}

// toolLine is one tool of a server, for a person or a program.
type toolLine struct {
	Name        string          `json:"name"`
	Allowed     bool            `json:"allowed"`
	Asks        bool            `json:"asks"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// serverLine is one server.
type serverLine struct {
	Name  string     `json:"name"`
	About string     `json:"about,omitempty"`
	Error string     `json:"error,omitempty"`
	Tools []toolLine `json:"tools"`
	Notes []string   `json:"notes,omitempty"`
}

// Run starts or reaches each server, asks it for its tools, and says what a run would be offered. It ends with 4 if one does
// not answer.
func (c *mcpToolsCmd) Run(e *env) error {
	tables, err := e.servers(c.Server)
	if err != nil {
		return err
	}
	if len(tables) == 0 && !e.cli.JSON {
		fmt.Fprintln(e.err, "no MCP server is configured; docs/mcp.md tells how one is")
	}
	lines, broken := []serverLine{}, false
	for _, l := range e.ask(e.ctx, tables) {
		lines = append(lines, l.line())
		broken = broken || l.err != nil
	}
	if e.cli.JSON {
		err = json.NewEncoder(e.out).Encode(lines)
	} else {
		for _, l := range lines {
			l.print(e)
		}
	}
	if err == nil && broken {
		return exit(exitConfig)
	}
	return err
}

func (l listing) line() serverLine {
	line := serverLine{Name: l.table.Name, Tools: []toolLine{}}
	if l.err != nil {
		line.Error = l.err.Error()
		return line
	}
	s, leftOut := l.pinned()
	line.About, line.Notes = s.About, leftOut
	pinned := map[string]research.ServerTool{}
	for _, t := range s.Tools {
		pinned[t.Tool] = t
	}
	for _, t := range l.Tools {
		if p, allowed := pinned[t.Name]; allowed {
			line.Tools = append(line.Tools, toolLine{p.Name, true, p.Asks, p.Description, p.Schema})
		} else {
			line.Tools = append(line.Tools, toolLine{Name: l.table.Name + "." + t.Name, Description: strings.Join(strings.Fields(t.Description), " ")})
		}
	}
	return line
}

// print writes a server and its tools, a line each. What they say of themselves is made printable, and short.
func (l serverLine) print(e *env) {
	if l.Error != "" {
		fmt.Fprintf(e.out, "%s: %s\n", l.Name, gate.Printable(l.Error))
		return
	}
	allowed := 0
	for _, t := range l.Tools {
		if t.Allowed {
			allowed++
		}
	}
	fmt.Fprintf(e.out, "%s (%s): %d of %d tools may be called\n", l.Name, gate.Printable(l.About), allowed, len(l.Tools))
	for _, t := range l.Tools {
		what := "not allowed"
		switch {
		case t.Allowed && t.Asks:
			what = "asks first"
		case t.Allowed:
			what = "reads"
		}
		fmt.Fprintf(e.out, "  %-12s %-32s %s\n", what, gate.Printable(t.Name), gate.Clip(gate.Printable(t.Description), 80))
	}
	for _, note := range l.Notes {
		fmt.Fprintf(e.out, "  note: %s\n", gate.Printable(note))
	}
}

// checkServers starts or reaches each MCP server that is configured.
func (e *env) checkServers(list *checks, calls bool) {
	all := e.origin.tables.MCP
	if len(all) == 0 {
		list.off("mcp servers", "tools of other programs may be used: [[mcp]] in the configuration names them")
	}
	for _, t := range all {
		name := "mcp " + gate.Printable(t.Name)
		if err := t.check(); err != nil || !calls {
			list.add(name, "configured; not started", err)
			continue
		}
		list.call(e.ctx, name, func(ctx context.Context) (string, error) {
			l := e.ask(ctx, []serverTable{t})[0]
			if l.err != nil {
				return "", l.err
			}
			s, leftOut := l.pinned()
			text := fmt.Sprintf("%s; %d of %d tools may be called", s.About, len(s.Tools), len(l.Tools))
			for _, note := range leftOut {
				text += "; " + note
			}
			return gate.Printable(text), nil
		})
	}
}
