package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/alecthomas/kong"

	"ibid/llm/catalog"
	"ibid/runs"
)

// origins is the configuration: values by flag name, with where each came from. It is kong's resolver, so that a flag
// beats the environment, the environment beats the project's file, that beats the user's file, and that the default.
type origins struct {
	values  map[string]string
	from    map[string]string
	given   []string  // flags on the command line
	shown   []setting // what the tables hold, as config show prints it
	tables  tables
	catalog func() (*catalog.Catalog, error) // of the tables, read once
}

// load reads the configuration files: the one named by --config or IBID_CONFIG alone, or else the user's
// ($XDG_CONFIG_HOME/ibid/config.toml) and over it the project's (./ibid.toml). A file that is not there is no error
// unless it was named.
func (o *origins) load(args []string, getenv func(string) string) error {
	o.values, o.from, o.tables = map[string]string{}, map[string]string{}, tables{}
	o.catalog = sync.OnceValues(o.tables.catalog)
	named := getenv("IBID_CONFIG")
	for i, a := range args {
		if m := flagName.FindStringSubmatch(a); m != nil {
			o.given = append(o.given, m[1])
		}
		if v, ok := strings.CutPrefix(a, "--config="); ok {
			named = v
		} else if a == "--config" && i+1 < len(args) {
			named = args[i+1]
		}
	}
	if named != "" {
		return o.file(named, true)
	}
	if dir, err := os.UserConfigDir(); err == nil {
		if err := o.file(filepath.Join(dir, "ibid", "config.toml"), false); err != nil {
			return err
		}
	}
	return o.file(projectFile, false)
}

// projectFile is read where ibid is run. What would run programs or send keys is not taken from it unasked.
const projectFile = "ibid.toml"

// settings are the flags that a file may set; anything else in it is a mistake and is named.
var settings = []string{"home", "database", "max-working", "max-queued", "workers", "listen", "host", "require-token", "no-workers", "rate", "daily-cost", "quiet", "color", "model", "judge", "judge-threshold", "stream", "search", "render", "ocr", "tier", "approve", "files", "corpus", "allow-host", "max-steps",
	"workspace", "changes", "open-file", "recent-file", "folder", "cursor", "selection", "max-searches", "max-reads", "max-tokens", "max-seconds", "max-cost", "tag", "team", "elide", "compact", "compact-at", "window", "ask-after", "ask-plan", "ask-above",
	"kb", "kb-store", "kb-wait"}

func (o *origins) file(path string, must bool) error {
	var values map[string]any
	var own tables
	_, err := toml.DecodeFile(path, &values)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil
	case err != nil:
		return &runs.Error{Code: runs.Unready, Message: "reading the configuration " + path, Err: err, Hint: "Mend the file, or name another with --config."}
	}
	meta, err := toml.DecodeFile(path, &own)
	if err != nil {
		return &runs.Error{Code: runs.Unready, Message: "reading the configuration " + path, Err: err, Hint: "Mend the file; docs/configuration.md shows its form."}
	}
	for _, key := range meta.Undecoded() {
		if len(key) > 1 && (key[0] == "fetch" || key[0] == "search-provider" || key[0] == "embeddings" || key[0] == "retention" || key[0] == "mcp") { // the others are the catalogue's to check
			return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the configuration %s sets %q, which does not exist", path, key), Hint: "docs/configuration.md shows its form."}
		}
	}
	if len(own.MCP) > 0 && path == projectFile && !must {
		return &runs.Error{Code: runs.Unready, Message: "the configuration " + path + " of this folder names MCP servers: programs that would be run, and addresses that would be sent keys, for no more than being here",
			Hint: "Name them in your own configuration, or name this file with --config."}
	}
	for i, s := range own.MCP {
		if slices.ContainsFunc(own.MCP[:i], func(t serverTable) bool { return t.Name == s.Name }) {
			return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the configuration %s names two MCP servers %q", path, s.Name), Hint: "Call one of them otherwise."}
		}
	}
	o.tables.lay(own)
	for name, v := range values {
		if slices.Contains(tableNames, name) {
			o.show(name, v, path)
			continue
		}
		flag := strings.ReplaceAll(name, "_", "-")
		if !slices.Contains(settings, flag) {
			return &runs.Error{Code: runs.Unready, Message: fmt.Sprintf("the configuration %s sets %q, which does not exist", path, name),
				Hint: "The settings are: " + strings.Join(settings, ", ") + "; the tables: " + strings.Join(tableNames, ", ") + "."}
		}
		o.values[flag], o.from[flag] = plain(v), path
	}
	return nil
}

var flagName = regexp.MustCompile(`--([a-z][a-z-]*)`)

// blame returns the file that set the flag of which a usage error speaks, or "".
func (o *origins) blame(err error) string {
	if m := flagName.FindStringSubmatch(err.Error()); m != nil && !slices.Contains(o.given, m[1]) {
		return o.from[m[1]]
	}
	return ""
}

// Validate is part of kong.Resolver.
func (o *origins) Validate(*kong.Application) error { return nil }

// Resolve gives a flag's value from the files. kong would let it beat the environment, so it keeps silent where a
// variable is set.
// A flag with the tag config:"-" is not set by a file.
func (o *origins) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Tag.Get("config") == "-" {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	if flag.Tag.Has("unset") { // of commands that do only what they are asked for: a file is about research
		return nil, nil
	}
	if v, ok := o.values[flag.Name]; ok {
		if (flag.Name == "ocr" || flag.Name == "render") && flag.IsBool() { // of the commands that only read
			return fmt.Sprint(v == "allow"), nil
		}
		return v, nil
	}
	return nil, nil
}
