package robots

import "strings"

// Signals are what a site allows to be done with a text, by the names of Content-Signal (contentsignals.org) and of
// Content-Usage (draft-ietf-aipref-attach, draft-ietf-aipref-vocab): "search", "ai-input", "ai-train", "train-ai" …
// A name that is missing was not mentioned.
type Signals map[string]bool

// inputNames are the signals for what a research program does: giving the text to a model at the time of a question. The
// special ones come before the general; the first that is stated decides.
var inputNames = []string{"ai-input", "ai-use", "ai"}

// ForbidsInput names the signal that asks not to give the text to a model, "" if none does.
func (s Signals) ForbidsInput() string {
	for _, name := range inputNames {
		if allowed, stated := s[name]; stated && !allowed {
			return name + "=no"
		} else if stated {
			return ""
		}
	}
	return ""
}

// add takes in another statement; of two that contradict each other the stricter counts.
func (s Signals) add(other Signals) {
	for name, allowed := range other {
		if before, stated := s[name]; stated {
			allowed = allowed && before
		}
		s[name] = allowed
	}
}

// ParseSignals reads the values of the HTTP fields Content-Signal or Content-Usage: "search=yes, ai-input=no", "train-ai=n".
// What is neither yes nor no is skipped.
func ParseSignals(fields ...string) Signals {
	s := Signals{}
	for _, field := range fields {
		for member := range strings.SplitSeq(field, ",") {
			member, _, _ = strings.Cut(member, ";") // parameters
			name, value, _ := strings.Cut(member, "=")
			name = strings.ToLower(strings.TrimSpace(name))
			switch strings.ToLower(strings.Trim(strings.TrimSpace(value), `"`)) {
			case "y", "yes", "?1", "true":
				s.add(Signals{name: true})
			case "n", "no", "?0", "false":
				s.add(Signals{name: false})
			}
		}
	}
	return s
}

// usage is one Content-Signal or Content-Usage line: signals for the paths that fit a pattern.
type usage struct {
	pattern string // "" fits all
	signals Signals
}

func newUsage(value string) usage {
	if first, rest, ok := strings.Cut(value, " "); ok && (first[0] == '/' || first[0] == '*') {
		return usage{pattern: escaped(first), signals: ParseSignals(rest)}
	}
	return usage{signals: ParseSignals(value)}
}

// Signals returns what a robots.txt says to an agent of a path. For each signal the line with the longest pattern that
// mentions it decides, the stricter one of equally long ones.
func (f *File) Signals(agent, path string) Signals {
	path = upperEscapes(path)
	found, length := Signals{}, map[string]int{}
	for _, g := range f.of(agent) {
		for _, u := range g.usages {
			if !matches(u.pattern, path) {
				continue
			}
			for name, allowed := range u.signals {
				switch n, stated := length[name]; {
				case !stated || len(u.pattern) > n:
					found[name], length[name] = allowed, len(u.pattern)
				case len(u.pattern) == n:
					found[name] = found[name] && allowed
				}
			}
		}
	}
	return found
}
