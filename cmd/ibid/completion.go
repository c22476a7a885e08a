package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a completion script made from the command line's own model, so that it cannot drift from it.
func (c *completionCmd) Run(e *env, kctx *kong.Context) error {
	words := map[string][]string{} // command path → what may follow
	var paths []string
	var walk func(path string, n *kong.Node)
	walk = func(path string, n *kong.Node) {
		var next []string
		for _, child := range n.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				next = append(next, child.Name)
			}
		}
		for node := n; node != nil; node = node.Parent {
			for _, f := range node.Flags {
				next = append(next, "--"+f.Name)
			}
		}
		paths = append(paths, path)
		words[path] = next
		for _, child := range n.Children {
			if child.Type == kong.CommandNode && !child.Hidden {
				walk(strings.TrimSpace(path+" "+child.Name), child)
			}
		}
	}
	walk("", kctx.Model.Node)
	var err error
	switch c.Shell {
	case "bash", "zsh":
		if c.Shell == "zsh" {
			fmt.Fprintln(e.out, "autoload -U +X bashcompinit && bashcompinit")
		}
		fmt.Fprint(e.out, "_ibid() {\n  local cmd=\"\" w i\n  for ((i=1; i<COMP_CWORD; i++)); do w=${COMP_WORDS[i]}; case $w in -*) ;; *) cmd=\"${cmd:+$cmd }$w\" ;; esac; done\n  case \"$cmd\" in\n")
		for i := len(paths) - 1; i > 0; i-- {
			fmt.Fprintf(e.out, "    %q*) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n", paths[i], strings.Join(words[paths[i]], " "))
		}
		_, err = fmt.Fprintf(e.out, "    *) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n  esac\n}\ncomplete -o default -F _ibid ibid\n", strings.Join(words[""], " "))
	case "fish":
		for _, path := range paths {
			cond := "__fish_use_subcommand"
			if path != "" {
				cond = "__fish_seen_subcommand_from " + strings.Fields(path)[len(strings.Fields(path))-1]
			}
			for _, w := range words[path] {
				if flag, ok := strings.CutPrefix(w, "--"); ok {
					_, err = fmt.Fprintf(e.out, "complete -c ibid -n '%s' -l %s\n", cond, flag)
				} else {
					_, err = fmt.Fprintf(e.out, "complete -c ibid -n '%s' -a %s\n", cond, w)
				}
			}
		}
	}
	return err
}
