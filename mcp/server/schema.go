package server

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// schemaOf is the JSON Schema of a Go type as it is written. A list is never null: the
// tools make an empty one of none. What is JSON already is an object.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {Type: "object"}}})
	if err != nil {
		panic(err) // of this program's own types
	}
	notNull(s)
	return s
}

func notNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 {
		if s.Types = slices.Delete(slices.Clone(s.Types), i, i+1); len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	}
	notNull(s.Items)
	for _, p := range s.Properties {
		notNull(p)
	}
	if s.AdditionalProperties != nil {
		notNull(s.AdditionalProperties)
	}
}

// add offers a tool of the server's own.
func add[In, Out any](s *Server, t *mcp.Tool, h mcp.ToolHandlerFor[In, Out]) {
	t.InputSchema, t.OutputSchema = schemaOf(reflect.TypeFor[In]()), schemaOf(reflect.TypeFor[Out]())
	mcp.AddTool(s.mcp, t, h)
}

// hints tell a client what a call does, all of them, whatever a client takes for granted.
func hints(title string, reads, destroys, repeated, reaches bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: repeated, OpenWorldHint: &reaches}
}
