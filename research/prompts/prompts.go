// Package prompts holds every text that the research agent says to a model: the system prompt, and for each tool its
// description, its arguments and its errors. Each is a Markdown file, reviewed as prose; a run pins the set it began with.
package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
)

//go:embed *.md
var files embed.FS

// A Set is the texts by file name without ending: system, plan, search_web … A run keeps its set in its journal.
type Set map[string]string

// Default returns the texts that this program was built with.
func Default() Set {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	set := Set{}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic(err)
		}
		set[strings.TrimSuffix(e.Name(), ".md")] = strings.TrimSpace(string(text))
	}
	return set
}

// Version names the set by its content: the first 12 hex digits of a SHA-256.
func (s Set) Version() string {
	names := make([]string, 0, len(s))
	for name := range s {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d %s %d %s", len(name), name, len(s[name]), s[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// A Text is one tool's prompt file: what stands before the first heading describes the tool, and each "## kind: name"
// section is a text of its own.
type Text struct {
	Description string
	sections    map[string]string
}

// Text returns the texts of a tool.
func (s Set) Text(tool string) Text {
	t := Text{sections: map[string]string{}}
	head, rest, _ := strings.Cut("\n"+s[tool], "\n## ")
	t.Description = strings.TrimSpace(head)
	for rest != "" {
		var section string
		section, rest, _ = strings.Cut(rest, "\n## ")
		name, body, _ := strings.Cut(section, "\n")
		t.sections[strings.TrimSpace(name)] = strings.TrimSpace(body)
	}
	return t
}

// Argument is the description of an argument.
func (t Text) Argument(name string) string { return t.sections["argument: "+name] }

// Note fills in a note that goes with a result; pairs are names and values, as in Fill.
func (t Text) Note(name string, pairs ...any) string {
	return Fill(t.sections["note: "+name], pairs...)
}

// Error makes the error that the model reads. A name without a section is a fault of the program and says so.
func (t Text) Error(name string, pairs ...any) error {
	text, ok := t.sections["error: "+name]
	if !ok {
		text = "This did not work (" + name + "). Try something else."
	}
	return fmt.Errorf("%s", Fill(text, pairs...))
}

// Fill replaces {name} in text by the value that follows name in pairs, once and at once, so that a value which itself
// holds braces stays as it is.
func Fill(text string, pairs ...any) string {
	if len(pairs) == 0 {
		return text
	}
	oldnew := make([]string, 0, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		oldnew = append(oldnew, fmt.Sprintf("{%v}", pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(oldnew...).Replace(text)
}

// Sections lists the section names of a tool's file, sorted, for tests that hold code against text.
func (t Text) Sections() []string {
	names := make([]string, 0, len(t.sections))
	for name := range t.sections {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
