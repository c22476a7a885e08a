package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ibid/gate"
	"ibid/mcp/client"
	"ibid/research"
	"ibid/runs"
)

// serverTable is one MCP server of another program, whose tools runs may call.
type serverTable struct {
	Name     string            `toml:"name"`
	Command  []string          `toml:"command"` // a program and its arguments, or:
	URL      string            `toml:"url"`
	Dir      string            `toml:"dir"`     // that the program runs in
	Env      map[string]string `toml:"env"`     // besides what any program needs; $NAME stands for a variable here
	Headers  map[string]string `toml:"headers"` // sent to the URL; likewise
	Allow    []string          `toml:"allow"`   // tools that may be called, by name or pattern
	ReadOnly []string          `toml:"read_only"`
	Ask      []string          `toml:"ask"`
	Timeout  float64           `toml:"timeout"`   // seconds for a call; 0 means 30
	MaxBytes int               `toml:"max_bytes"` // of an answer; 0 means 4 MiB
	Restarts int               `toml:"restarts"`  // of a server that was lost in a run; 0 means 3
}

// everyProgram are the variables that a server's program is given of ours. No key is among them.
var everyProgram = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP"}

func (t serverTable) unready(format string, args ...any) error {
	return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the MCP server %s: ", gate.Printable(t.Name)) + fmt.Sprintf(format, args...), Hint: "Mend its [[mcp]] table; docs/mcp.md shows the form."}
}

// check says what is wrong with a table.
func (t serverTable) check() error {
	switch {
	case research.CheckServerName(t.Name) != "":
		return t.unready("%s", research.CheckServerName(t.Name))
	case (len(t.Command) == 0) == (t.URL == ""):
		return t.unready("it needs a command or a url, and not both")
	case t.URL != "" && !strings.HasPrefix(t.URL, "http://") && !strings.HasPrefix(t.URL, "https://"):
		return t.unready("its url begins with neither https:// nor http://")
	case len(t.Headers) > 0 && t.URL == "", (len(t.Env) > 0 || t.Dir != "") && t.URL != "":
		return t.unready("headers are for a url, env and dir for a command")
	case len(t.Allow) == 0:
		return t.unready(`no tool is allowed; name those that may be called in allow ("*": all), as 'ibid mcp tools' lists them`)
	case t.Timeout < 0 || t.MaxBytes < 0 || t.Restarts < 0 || t.MaxBytes > maxServerBytes || !(t.Timeout <= 3600):
		return t.unready("timeout, max_bytes and restarts are numbers from 0; an hour and %d bytes are the most", maxServerBytes)
	}
	return nil
}

// maxServerBytes is what a journal takes of one answer with ease.
const maxServerBytes = 16 << 20

// variables are the names that the table's values take from the environment.
func (t serverTable) variables() (names []string) {
	for _, values := range []map[string]string{t.Env, t.Headers} {
		for _, value := range values {
			os.Expand(value, func(name string) string { names = append(names, name); return "" })
		}
	}
	return names
}

// filled are a table's values with what the environment has in their place.
func (t serverTable) filled(values map[string]string) (map[string]string, error) {
	filled, missing := map[string]string{}, []string{}
	for name, value := range values {
		filled[name] = os.Expand(value, func(name string) string {
			v, set := os.LookupEnv(name)
			if !set {
				missing = append(missing, name)
			}
			return v
		})
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return nil, t.unready("it takes %s from the environment, where it is not set", strings.Join(slices.Compact(missing), ", "))
	}
	return filled, nil
}

// server makes the client of a server.
func (e *env) server(t serverTable) (*client.Server, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	own, err := t.filled(t.Env)
	if err != nil {
		return nil, err
	}
	headers, err := t.filled(t.Headers)
	if err != nil {
		return nil, err
	}
	environment := map[string]string{}
	for _, name := range everyProgram {
		if v, set := os.LookupEnv(name); set {
			environment[name] = v
		}
	}
	maps.Copy(environment, own)
	c := client.Config{Name: t.Name, Program: "ibid " + programVersion(), Command: t.Command, Dir: t.Dir, URL: t.URL, Headers: headers,
		Timeout: seconds(t.Timeout), MaxBytes: t.MaxBytes, Restarts: t.Restarts, Hide: t.secrets().Replace, Log: e.serverLog(t)}
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		c.Env = append(c.Env, name+"="+environment[name])
	}
	return client.New(c), nil
}

// maxServerLog is the size in bytes at which the log of a server begins anew.
const maxServerLog = 1 << 20

// secrets puts names in the place of the values that a server was given out of the environment.
func (t serverTable) secrets() *strings.Replacer {
	var hidden []string
	for _, name := range t.variables() {
		if v := os.Getenv(name); v != "" {
			hidden = append(hidden, v, "{{secret:"+name+"}}")
		}
	}
	return strings.NewReplacer(hidden...)
}

// serverLog keeps what a server prints, in the folder for runs: made printable, without its secrets, and not without end.
func (e *env) serverLog(t serverTable) func(string) {
	home, err := e.home()
	if err != nil {
		return nil
	}
	path := filepath.Join(home, "mcp-"+t.Name+".log")
	secrets := t.secrets()
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
		if info, err := os.Stat(path); err == nil && info.Size() > maxServerLog {
			mode |= os.O_TRUNC
		}
		f, err := os.OpenFile(path, mode, 0o600)
		if err != nil {
			return // a log is not worth a run
		}
		_, _ = io.WriteString(f, gate.Printable(secrets.Replace(line))+"\n")
		_ = f.Close()
	}
}

// servers are the configured servers of these names; all, where none is named.
func (e *env) servers(names []string) (list []serverTable, err error) {
	if len(names) == 1 && names[0] == "none" {
		return nil, nil
	}
	all := e.origin.tables.MCP
	for _, name := range names {
		if !slices.ContainsFunc(all, func(t serverTable) bool { return t.Name == name }) {
			return nil, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("there is no MCP server %q in the configuration", name), Hint: "'ibid mcp tools' lists them; none stands for no server."}
		}
	}
	for _, t := range all {
		if len(names) == 0 || slices.Contains(names, t.Name) {
			if err := t.check(); err != nil {
				return nil, err
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// listing is what a configured server says of itself.
type listing struct {
	table serverTable
	client.Listing
	err error
}

// ask asks servers for their tools, side by side.
func (e *env) ask(ctx context.Context, tables []serverTable) []listing {
	list := make([]listing, len(tables))
	var wg sync.WaitGroup
	for i, t := range tables {
		wg.Go(func() {
			list[i].table = t
			server, err := e.server(t)
			if err != nil {
				list[i].err = err
				return
			}
			defer server.Close()
			list[i].Listing, list[i].err = server.List(ctx)
		})
	}
	wg.Wait()
	return list
}

// pinned are the tools of a listing that a run is offered.
func (l listing) pinned() (research.Server, []string) {
	offered := make([]research.Offered, len(l.Tools))
	for i, t := range l.Tools {
		offered[i] = research.Offered{Name: t.Name, Title: t.Title, Description: t.Description, Schema: t.Schema, ReadOnly: t.ReadOnly, SHA256: t.SHA256}
	}
	return research.NewServer(l.table.Name, strings.TrimSpace(l.Server+" "+l.Version), offered, research.Rules{Allow: l.table.Allow, ReadOnly: l.table.ReadOnly, Ask: l.table.Ask})
}

// chooseServers pins the tools that a run may call. A server that does not answer is left out, and told; one that was asked
// for by name must be there.
func (e *env) chooseServers(c *research.Config, named []string) error {
	tables, err := e.servers(named)
	if err != nil || len(tables) == 0 {
		return err
	}
	var told []string
	for _, l := range e.ask(e.ctx, tables) {
		switch {
		case l.err != nil && (len(named) > 0 || runs.CodeOf(l.err) == runs.Unready):
			return &runs.Error{Code: runs.Unready, Message: "asking for the tools of MCP servers", Err: l.err, Hint: "'ibid doctor' looks at each; --mcp none goes without."}
		case l.err != nil:
			told = append(told, l.err.Error()+"; this run goes without its tools")
			continue
		}
		s, leftOut := l.pinned()
		c.Servers, told = append(c.Servers, s), append(told, leftOut...)
	}
	var leftOut []string
	c.Servers, leftOut = research.FitServers(c.Servers)
	for _, line := range append(told, leftOut...) {
		fmt.Fprintln(e.err, gate.Printable(line))
	}
	return nil
}

// callers calls the tools of the servers of a run, each started when it is first needed.
type callers struct {
	e    *env
	mu   sync.Mutex
	open map[string]*client.Server
}

// Call is part of [research.Caller].
func (c *callers) Call(ctx context.Context, server, tool, sha256 string, args json.RawMessage) ([]byte, error) {
	s, err := c.server(server)
	if err != nil {
		return nil, err
	}
	return s.Call(ctx, tool, sha256, args)
}

func (c *callers) server(name string) (*client.Server, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.open[name]; s != nil {
		return s, nil
	}
	for _, t := range c.e.origin.tables.MCP {
		if t.Name == name {
			s, err := c.e.server(t)
			if err == nil {
				c.open[name] = s
			}
			return s, err
		}
	}
	return nil, fmt.Errorf("the MCP server %s is not in the configuration any more", name)
}

// close ends what was started.
func (c *callers) close() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.open {
		err = errors.Join(err, s.Close())
	}
	return err
}
