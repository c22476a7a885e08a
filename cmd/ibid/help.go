package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// chapters are the commands as the help shows them: what one begins with comes first.
var chapters = []struct {
	title    string
	commands []string
}{
	{"Research", []string{"research", "watch", "resume", "replay", "fork", "extract"}},
	{"Reports", []string{"report", "verify", "bundle", "recheck", "check", "keys"}},
	{"What is kept", []string{"runs", "gate", "kb", "workspace", "gc"}},
	{"For programs and other people", []string{"serve", "worker", "token", "quota", "mcp"}},
	{"Setting up and measuring", []string{"doctor", "config", "completion", "version", "audit", "eval"}},
}

const (
	helpHead = `ibid researches a question in sources and writes a report whose every claim
can be checked: each carries a place in a source and the source's own words,
verified before the report is printed.

  ibid research "What makes agent runs expensive, and what fixes it?"
  ibid research "When was the boiler serviced?" --files ~/notes
  ibid report last -o report.html
`
	helpFoot = `
Exit status
  0  a verified report             4    configuration: something is not set up
  1  failed                        5    a check failed; nothing is on stdout
  2  usage, or no such run         6    a person is needed, or said no
  3  incomplete, gaps named, or    130  stopped
     nothing established

'ibid COMMAND --help' tells more of a command, 'ibid doctor' what is set up.
`
)

// familiar turns what other programs are asked in into what this one is asked in.
func familiar(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// printHelp prints the commands, or all about one of them.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() != nil {
		for _, f := range ctx.Model.Flags {
			f.Hidden = true
		}
		if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintln(ctx.Stdout, "\n'ibid --help' has the flags of every command: --json, --quiet, --home, --server …")
		return err
	}
	w := &strings.Builder{}
	w.WriteString(helpHead)
	for _, c := range chapters {
		fmt.Fprintf(w, "\n%s\n", c.title)
		for _, name := range c.commands {
			for _, n := range ctx.Model.Children {
				if n.Name == name {
					fmt.Fprintf(w, "  %-11s %s\n", name, strings.TrimSuffix(n.Help, "."))
				}
			}
		}
	}
	w.WriteString("\nFlags of every command\n")
	for _, f := range ctx.Model.Flags {
		name := "--" + f.Name
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		if f.Short != 0 {
			name = fmt.Sprintf("-%c, %s", f.Short, name)
		}
		fmt.Fprintf(w, "  %-17s %s\n", name, strings.TrimSuffix(f.Help, "."))
	}
	w.WriteString(helpFoot)
	_, err := fmt.Fprint(ctx.Stdout, w)
	return err
}

// forDesk are flags of research that mean nothing to who is asked by others.
var forDesk = []string{"open-file", "recent-file", "folder", "cursor", "selection"}

// arrange leaves out of serve's help what only a person at a desk has.
func arrange(app *kong.Application) {
	for _, n := range app.Children {
		for _, f := range n.Flags {
			f.Hidden = f.Hidden || n.Name == "serve" && slices.Contains(forDesk, f.Name)
		}
	}
}

// usageHint says what to do about arguments that mean nothing.
func usageHint(args []string, command *kong.Node) string {
	switch {
	case command == nil && len(args) > 0 && strings.ContainsAny(args[0], " ?"):
		return `Ask it with: ibid research "…"`
	case command == nil:
		return "Try 'ibid --help'."
	case command.Name == "research" && len(args) > 2 && !slices.ContainsFunc(args[:3], func(a string) bool { return strings.HasPrefix(a, "-") }):
		return `Put the question in quotes: ibid research "…"`
	}
	path := command.Name
	for n := command.Parent; n != nil; n = n.Parent {
		path = n.Name + " " + path
	}
	return "Try '" + path + " --help'."
}
