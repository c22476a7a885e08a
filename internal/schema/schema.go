// Package schema holds JSON against the JSON Schemas (2020-12) that ibid publishes. It knows the keywords that they use; any
// other one is an error, so that a schema never says more than is tested.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Validate returns what is wrong with a document, each with its place as a JSON pointer. The error is about the schema, or about
// a document that is not JSON.
func Validate(schema, document []byte) (faults []string, err error) {
	var s map[string]any
	if err := read(schema, &s); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	var d any
	if err := read(document, &d); err != nil {
		return nil, fmt.Errorf("reading the document: %w", err)
	}
	v := &validator{root: s}
	v.check(s, d, "")
	return v.faults, v.err
}

func read(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("something follows the value")
	}
	return nil
}

type validator struct {
	root   map[string]any
	faults []string
	err    error
}

func (v *validator) fault(at, format string, args ...any) {
	v.faults = append(v.faults, at+": "+fmt.Sprintf(format, args...))
}

// check holds d against s, keyword by keyword, in the order of their names.
func (v *validator) check(s map[string]any, d any, at string) {
	for _, key := range sorted(s) {
		value := s[key]
		switch key {
		case "$schema", "$id", "$defs", "$comment", "title", "description":
		case "$ref":
			name := strings.TrimPrefix(value.(string), "#/$defs/")
			defs, _ := v.root["$defs"].(map[string]any)
			def, ok := defs[name].(map[string]any)
			if !ok {
				v.err = fmt.Errorf("the schema has no %s", value)
				return
			}
			v.check(def, d, at)
		case "type":
			if !ofType(value, d) {
				v.fault(at, "%T is not of the type %v", d, value)
			}
		case "const":
			if fmt.Sprint(value) != fmt.Sprint(d) {
				v.fault(at, "%v is not %v", d, value)
			}
		case "enum":
			if !slices.ContainsFunc(value.([]any), func(e any) bool { return fmt.Sprint(e) == fmt.Sprint(d) }) {
				v.fault(at, "%v is none of %v", d, value)
			}
		case "properties", "required", "additionalProperties", "propertyNames":
			if m, ok := d.(map[string]any); ok {
				v.object(key, value, s, m, at)
			}
		case "items":
			list, _ := d.([]any)
			for i, e := range list {
				v.check(value.(map[string]any), e, fmt.Sprintf("%s/%d", at, i))
			}
		case "minimum", "pattern", "minLength", "format":
			v.scalar(key, value, d, at)
		default:
			v.err = fmt.Errorf("the keyword %s at %s is not known here", key, at)
		}
	}
}

func (v *validator) object(key string, value any, s, m map[string]any, at string) {
	known, _ := s["properties"].(map[string]any)
	switch key {
	case "required":
		for _, name := range value.([]any) {
			if _, ok := m[name.(string)]; !ok {
				v.fault(at, "there is no %s", name)
			}
		}
	case "properties":
		for _, name := range sorted(known) {
			if e, ok := m[name]; ok {
				v.check(known[name].(map[string]any), e, at+"/"+name)
			}
		}
	case "propertyNames":
		for _, name := range sorted(m) {
			v.check(value.(map[string]any), name, at+"/"+name)
		}
	case "additionalProperties":
		for _, name := range sorted(m) {
			if known[name] != nil {
				continue
			}
			if more, ok := value.(map[string]any); ok {
				v.check(more, m[name], at+"/"+name)
			} else if value == false {
				v.fault(at, "%s is not in the schema", name)
			}
		}
	}
}

func (v *validator) scalar(key string, value, d any, at string) {
	text, isText := d.(string)
	number, isNumber := d.(json.Number)
	switch {
	case key == "minimum" && isNumber:
		least, err := value.(json.Number).Float64()
		if n, bad := number.Float64(); err != nil || bad != nil || n < least {
			v.fault(at, "%v is less than %v", d, value)
		}
	case key == "minLength" && isText:
		if least, err := value.(json.Number).Int64(); err != nil || int64(utf8.RuneCountInString(text)) < least {
			v.fault(at, "%q is shorter than %v", text, value)
		}
	case key == "pattern" && isText:
		if re, err := regexp.Compile(value.(string)); err != nil || !re.MatchString(text) {
			v.fault(at, "%q does not match %v", text, value)
		}
	case key == "format" && isText:
		if _, err := time.Parse(time.RFC3339, text); value == "date-time" && err != nil {
			v.fault(at, "%q is no date-time", text)
		}
	}
}

// ofType reports whether d is of a type, or of one of several.
func ofType(want, d any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return ofType(w, d) })
	}
	switch d := d.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	case json.Number:
		_, err := d.Int64()
		return want == "number" || want == "integer" && err == nil
	}
	return false
}

func sorted(m map[string]any) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
