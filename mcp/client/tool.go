package client

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Listing is what a server says of itself. All of it is its own words.
type Listing struct {
	Server, Version string
	Tools           []Tool
}

// A Tool is what a server says of a tool.
type Tool struct {
	Name        string
	Title       string
	Description string
	Schema      json.RawMessage // of its arguments
	ReadOnly    bool            // it says that it changes nothing
	SHA256      string          // hex, of all that the server says of it but for icons and metadata

	said definition
}

// A definition is what a tool's hash is taken of.
type definition struct {
	Name        string               `json:"name"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	Input       any                  `json:"input_schema"`
	Output      any                  `json:"output_schema"`
	Annotations *mcp.ToolAnnotations `json:"annotations"`
}

func describe(t *mcp.Tool) Tool {
	d := definition{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations}
	sum := sha256.Sum256(encoded(d))
	return Tool{Name: t.Name, Title: t.Title, Description: t.Description, Schema: encoded(t.InputSchema),
		ReadOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint, SHA256: hex.EncodeToString(sum[:]), said: d}
}

// encoded is JSON with sorted keys, as of decoded JSON encoding/json makes it.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil { // it was decoded from JSON
		return json.RawMessage("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// differences are what is different between two descriptions of a tool.
func differences(was, is Tool) (parts []string) {
	a, b := was.said, is.said
	for _, part := range []struct {
		name string
		same bool
	}{{"title", a.Title == b.Title}, {"description", a.Description == b.Description}, {"schema of the arguments", reflect.DeepEqual(a.Input, b.Input)},
		{"schema of the result", reflect.DeepEqual(a.Output, b.Output)}, {"annotations", reflect.DeepEqual(a.Annotations, b.Annotations)}} {
		if !part.same {
			parts = append(parts, part.name)
		}
	}
	return parts
}
