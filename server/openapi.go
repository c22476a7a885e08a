package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ibid/evidence"
)

// The OpenAPI document is made of the table of routes and of the types of their bodies; nothing of it is written by hand.

type object = map[string]any

// document gives it.
func (c *call) document() error {
	body, err := c.described()
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "max-age=300")
	_, err = c.w.Write(body)
	return err
}

func (s *Server) openAPI() ([]byte, error) {
	d := document{schemas: object{}}
	paths := object{}
	for _, r := range s.routes {
		item, ok := paths[r.path].(object)
		if !ok {
			item = object{}
			paths[r.path] = item
		}
		op, err := d.operation(r)
		if err != nil {
			return nil, fmt.Errorf("server: %s %s: %w", r.method, r.path, err)
		}
		item[strings.ToLower(r.method)] = op
	}
	if _, err := d.schema(reflect.TypeFor[Problem](), false); err != nil {
		return nil, err
	}
	return json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "ibid", "version": s.config.Version,
			"description": "Research whose every claim can be checked: each carries a locator and the source's own words."},
		"paths": paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer",
			"description": "A token that \"ibid token create\" made. Where the server listens on loopback alone it may be left out."}}},
	}, "", " ")
}

// document is the part that is shared: schemas by their names.
type document struct{ schemas object }

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (d *document) operation(r route) (object, error) {
	params := []any{}
	for _, m := range pathParam.FindAllStringSubmatch(r.path, -1) {
		params = append(params, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range r.query {
		schema, in := object{"type": p.kind}, "query"
		if p.one != nil {
			schema["enum"] = p.one
		}
		if p.header {
			in = "header"
		}
		params = append(params, object{"name": p.name, "in": in, "description": p.about, "schema": schema})
	}
	op := object{"operationId": r.name, "summary": r.about, "parameters": params}
	if r.scope != "" {
		op["security"] = []any{object{"token": []any{}}, object{}}
		op["x-scope"] = r.scope
	}
	if err := d.bodies(op, r); err != nil {
		return nil, err
	}
	return op, nil
}

func (d *document) bodies(op object, r route) error {
	switch {
	case r.in != nil:
		ref, err := d.schema(r.in, true)
		if err != nil {
			return err
		}
		op["requestBody"] = object{"content": object{"application/json": object{"schema": ref}}}
	case len(r.takes) > 0:
		op["requestBody"] = object{"required": true, "content": opaque(r.takes)}
	}
	answer := object{"description": http.StatusText(r.status)}
	switch {
	case r.out != nil:
		ref, err := d.schema(r.out, false)
		if err != nil {
			return err
		}
		answer["content"] = object{"application/json": object{"schema": ref}}
	case len(r.gives) > 0:
		answer["content"] = opaque(r.gives)
	}
	if (r.status == http.StatusAccepted || r.status == http.StatusCreated) && r.in != nil {
		answer["headers"] = object{"Location": object{"description": "Where it is.", "schema": object{"type": "string"}}}
	}
	op["responses"] = object{strconv.Itoa(r.status): answer,
		"default": object{"description": "A problem (RFC 9457).", "content": object{"application/problem+json": object{"schema": object{"$ref": "#/components/schemas/Problem"}}}}}
	return nil
}

func opaque(types []string) object {
	content := object{}
	for _, t := range types {
		content[t] = object{}
	}
	return content
}

// texts are types that JSON has as something else than Go has.
var texts = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[evidence.Locator](): {Type: "string"},
	reflect.TypeFor[json.RawMessage]():  {},
	reflect.TypeFor[map[string]any]():   {Type: "object"},
	reflect.TypeFor[[]byte]():           {Type: "string"},
}

// schema is a reference to the schema of a type. Of what is taken, no other field is; of what is given, more may come.
func (d *document) schema(t reflect.Type, taken bool) (object, error) {
	name := t.Name()
	ref := object{"$ref": "#/components/schemas/" + name}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: texts})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(body, &plain); err != nil {
		return nil, err
	}
	plain = simplified(plain, taken)
	if old, ok := d.schemas[name]; ok && !reflect.DeepEqual(old, plain) {
		return nil, fmt.Errorf("two types of bodies are called %s", name)
	}
	d.schemas[name] = plain
	return ref, nil
}

// simplified is a schema of Go's types as the API has them: a list that is given is never null, and what may be left out of
// a request is not required there.
func simplified(v any, taken bool) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = simplified(v[i], taken)
		}
	case object:
		for k, e := range v {
			v[k] = simplified(e, taken)
		}
		if list, ok := v["type"].([]any); ok && len(list) == 2 && list[0] == "null" && list[1] == "array" && taken {
			v["type"] = "array"
		}
		if closed, ok := v["additionalProperties"].(bool); ok && !closed && !taken {
			delete(v, "additionalProperties")
		}
		if not, ok := v["additionalProperties"].(object); ok && not["not"] != nil && !taken {
			delete(v, "additionalProperties")
		}
	}
	return v
}
