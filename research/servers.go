package research

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
	llmfence "ibid/llm/fence"
)

// A Server is another program's MCP server, with those of its tools that a run may call, as they were when the run began. The
// model is told these texts and no others, so that a replay needs no server, and a server that changes changes nothing here.
type Server struct {
	Name  string       `json:"name"`
	About string       `json:"about,omitempty"` // what it says it is: name and version
	Tools []ServerTool `json:"tools"`
}

// A ServerTool is a tool of a Server.
type ServerTool struct {
	Name        string          `json:"name"` // as the model and people call it: server.tool
	Tool        string          `json:"tool"` // as the server calls it
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema"`
	SHA256      string          `json:"sha256"`         // of all that the server says of it
	Asks        bool            `json:"asks,omitempty"` // as far as is known it changes something: a person is asked before each call
}

// Offered is what a server says of a tool. ReadOnly is its claim.
type Offered struct {
	Name, Title, Description string
	Schema                   json.RawMessage
	ReadOnly                 bool
	SHA256                   string
}

// Rules are what the user's configuration says of a server's tools, by their names or patterns as of path.Match. They come
// before what the server says.
type Rules struct {
	Allow    []string // tools that are offered; none: none
	ReadOnly []string // tools that are called without asking
	Ask      []string // tools before whose calls a person is asked, also if they say that they change nothing
}

// Limits of what a server says.
const (
	maxServerTools = 64   // of all servers of a run
	maxDescription = 1000 // characters
	maxToolSchema  = 8 << 10
	maxToolName    = 64 // of server__tool, which is what providers take
)

var serverName = lazyregexp.New(`^[a-z][a-z0-9-]{0,23}$`)

// CheckServerName says what is wrong with a server's name, or "".
func CheckServerName(name string) string {
	if !serverName.MatchString(name) {
		return "a server is called by up to 24 small letters, digits and -, with a letter first"
	}
	return ""
}

// NewServer picks the tools that the rules allow. leftOut says, for the user, which of them cannot be offered, and which rules
// name no tool.
func NewServer(name, about string, offered []Offered, r Rules) (s Server, leftOut []string) {
	s = Server{Name: name, About: clean(about, 100), Tools: []ServerTool{}}
	used := map[string]bool{}
	for _, o := range offered {
		if !matches(r.Allow, o.Name) {
			continue
		}
		schema, err := cleanSchema(o.Schema)
		plain := plainName(o.Name, maxToolName-len(name)-2)
		switch {
		case err != nil:
			leftOut = append(leftOut, fmt.Sprintf("%s.%s: %v", name, clean(o.Name, 60), err))
			continue
		case plain == "" || used[plain]:
			leftOut = append(leftOut, fmt.Sprintf("%s.%s: there is no name for it that others have not", name, clean(o.Name, 60)))
			continue
		}
		used[plain] = true
		description := clean(o.Description, maxDescription)
		if description == "" {
			description = clean(o.Title, maxDescription)
		}
		s.Tools = append(s.Tools, ServerTool{Name: name + "." + plain, Tool: o.Name, Description: description, Schema: schema, SHA256: o.SHA256,
			Asks: matches(r.Ask, o.Name) || !o.ReadOnly && !matches(r.ReadOnly, o.Name)})
	}
	for _, rule := range slices.Concat(r.Allow, r.ReadOnly, r.Ask) {
		if !slices.ContainsFunc(offered, func(o Offered) bool { return matches([]string{rule}, o.Name) }) {
			leftOut = append(leftOut, fmt.Sprintf("%s has no tool %s, which the configuration names", name, clean(rule, 60)))
		}
	}
	return s, leftOut
}

// FitServers leaves the tools that go beyond what a run takes out.
func FitServers(servers []Server) (fitting []Server, leftOut []string) {
	n := 0
	for _, s := range servers {
		if most := max(maxServerTools-n, 0); len(s.Tools) > most {
			leftOut = append(leftOut, fmt.Sprintf("%s: %d of its tools, as a run takes %d of all servers; name fewer in allow", s.Name, len(s.Tools)-most, maxServerTools))
			s.Tools = s.Tools[:most]
		}
		n += len(s.Tools)
		if len(s.Tools) > 0 {
			fitting = append(fitting, s)
		}
	}
	return fitting, leftOut
}

func matches(rules []string, name string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		ok, err := path.Match(rule, name)
		return ok && err == nil || rule == name
	})
}

// plainName is a tool's name in the characters that providers take.
func plainName(name string, most int) string {
	plain := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, name)
	return plain[:min(len(plain), most)]
}

// clean makes a short line of what a server says: no control characters, nothing invisible, nothing that models take for the
// marks of a turn.
func clean(s string, most int) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, llmfence.Harmless(s))), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + " …"
	}
	return s
}

// wordy are the parts of a schema that tell and do not bind. Descriptions stay, for a model needs them; cleaned and short.
var wordy = map[string]bool{"$schema": true, "$id": true, "$comment": true, "title": true, "examples": true, "default": true}

// cleanSchema makes a schema for arguments as providers take them.
func cleanSchema(raw json.RawMessage) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the schema of its arguments is no JSON")
	}
	top, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema of its arguments is no object")
	}
	if t, ok := top["type"]; ok && t != "object" {
		return nil, fmt.Errorf("its arguments are no object")
	}
	top["type"] = "object"
	for _, choice := range []string{"oneOf", "anyOf", "allOf", "not", "if", "then", "else"} { // providers refuse them here; the server checks
		delete(top, choice)
	}
	if err := trim(top, 0); err != nil {
		return nil, err
	}
	clean := toJSON(top)
	if len(clean) > maxToolSchema {
		return nil, fmt.Errorf("the schema of its arguments has %d bytes; %d is the most", len(clean), maxToolSchema)
	}
	return clean, nil
}

var propertyName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)

// trim takes out of a schema what only tells.
func trim(schema map[string]any, depth int) error {
	if depth > 12 {
		return fmt.Errorf("the schema of its arguments is too deep")
	}
	for key, v := range schema {
		switch v := v.(type) {
		case string:
			switch {
			case wordy[key]:
				delete(schema, key)
			default: // a type, a format, a pattern, a reference, a description
				schema[key] = clean(v, 300)
			}
			continue
		case map[string]any:
			if key == "properties" || key == "$defs" || key == "definitions" || key == "patternProperties" {
				for name, inner := range v {
					if !propertyName.MatchString(name) && key == "properties" {
						return fmt.Errorf("its argument %q has a name that providers do not take", clean(name, 40))
					}
					if inner, ok := inner.(map[string]any); ok {
						if err := trim(inner, depth+1); err != nil {
							return err
						}
					}
				}
				continue
			}
			if err := trim(v, depth+1); err != nil {
				return err
			}
		case []any:
			for _, inner := range v {
				if inner, ok := inner.(map[string]any); ok {
					if err := trim(inner, depth+1); err != nil {
						return err
					}
				}
			}
		}
		if wordy[key] {
			delete(schema, key)
		}
	}
	return nil
}
