package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ibid/store"
)

type configCmd struct {
	Show configShowCmd `cmd:"" help:"Print every setting, and what the tables of the configuration hold."`
}

type configShowCmd struct {
	Origin bool `help:"Say where each value comes from."`
	researchFlags
}

// A setting is a line of config show.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// Run prints the settings as the commands would see them that take them.
func (c *configShowCmd) Run(e *env, kctx *kong.Context) error {
	list := []setting{}
	seen := map[string]bool{}
	add := func(f *kong.Flag, value string) {
		if !slices.Contains(settings, f.Name) || seen[f.Name] {
			return
		}
		seen[f.Name] = true
		if f.Name == "database" {
			value = store.Redact(value)
		}
		list = append(list, setting{f.Name, value, c.where(e, kctx, f)})
	}
	for _, f := range kctx.Flags() {
		add(f, plain(f.Target.Interface()))
	}
	for _, n := range kctx.Model.Children { // of serve and worker
		for _, f := range n.Flags {
			value := f.Default
			if v, ok := e.origin.values[f.Name]; ok {
				value = v
			}
			for _, name := range slices.Backward(f.Envs) {
				if v, ok := os.LookupEnv(name); ok {
					value = v
				}
			}
			add(f, value)
		}
	}
	slices.SortFunc(list, func(a, b setting) int { return strings.Compare(a.Name, b.Name) })
	list = append(list, e.origin.shown...)
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(list)
	}
	width := 0
	for _, s := range list {
		width = max(width, len(s.Name))
	}
	for _, s := range list {
		line := fmt.Sprintf("%-*s  %s", width, s.Name, s.Value)
		if c.Origin {
			line = fmt.Sprintf("%-*s  %-24s  %s", width, s.Name, s.Value, s.Origin)
		}
		if _, err := fmt.Fprintln(e.out, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// plain prints a value as it is given on the command line: a list with commas.
func plain(v any) string {
	switch list := v.(type) {
	case []string:
		return strings.Join(list, ",")
	case []any:
		parts := make([]string, len(list))
		for i, e := range list {
			parts[i] = fmt.Sprint(e)
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

// show adds what a table holds, a line a value, over what another file says: fetch.contact, mcp.atlas.command. Values that
// are sent to others are shown only where they name a variable.
func (o *origins) show(path string, v any, from string) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			o.show(path+"."+name, inner, from)
		}
		return
	case []map[string]any:
		for _, table := range v {
			o.show(fmt.Sprint(path, ".", table["name"]), table, from)
		}
		return
	}
	text := plain(v)
	if (strings.Contains(path, ".headers.") || strings.Contains(path, ".env.")) && !strings.Contains(text, "$") {
		text = "(not shown)"
	}
	at, there := slices.BinarySearchFunc(o.shown, path, func(s setting, path string) int { return strings.Compare(s.Name, path) })
	switch {
	case !there:
		o.shown = slices.Insert(o.shown, at, setting{path, text, from})
	case path == "fetch.allow_addresses" || path == "fetch.allow_ports": // which are laid together
		o.shown[at] = setting{path, o.shown[at].Value + "," + text, o.shown[at].Origin + ", " + from}
	default:
		o.shown[at] = setting{path, text, from}
	}
}

// where says which of the five places a flag's value comes from.
func (c *configShowCmd) where(e *env, kctx *kong.Context, f *kong.Flag) string {
	for _, p := range kctx.Path {
		if p.Flag == f && !p.Resolved {
			return "flag"
		}
	}
	for _, name := range f.Envs {
		if _, set := os.LookupEnv(name); set {
			return "environment " + name
		}
	}
	if from, ok := e.origin.from[f.Name]; ok {
		return from
	}
	return "default"
}
