package report

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"ibid/evidence"
	"ibid/internal/testset"
)

// valid holds the machine form of a report against the published schema.
func valid(t testing.TB, data []byte) {
	t.Helper()
	if err := againstSchema(t, data); err != nil {
		t.Errorf("against the schema: %v", err)
	}
}

func againstSchema(t testing.TB, data []byte) error {
	t.Helper()
	published, err := os.ReadFile("../docs/schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(published, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(document)
}

// TestSchema: the schema names every field that a bundle may have and no other, and another tool reads it alike.
func TestSchema(t *testing.T) {
	in := ferry(t)
	until := in.Record.Findings[0].Locator
	in.Record.Findings[0].Until = &until
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, data)
	published, err := os.ReadFile("../docs/schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(published, &s); err != nil {
		t.Fatal(err)
	}
	sameFields(t, s, s, reflect.TypeFor[Bundle](), "")

	for _, forged := range [][2]string{{`"version": 1`, `"version": 2`}, {`"id": "S1"`, `"id": "X1"`}, {`"searches": 3`, `"searches": -3`}, {`"run"`, `"ran"`},
		{`"kind": "pdf"`, `"kind": "scroll"`}, {`"fetched": "2026`, `"fetched": "in 2026`}} {
		bad := strings.Replace(string(data), forged[0], forged[1], 1)
		if bad == string(data) || againstSchema(t, []byte(bad)) == nil {
			t.Errorf("%s passes the schema (%v)", forged[1], err)
		}
	}
	const script = "import json, sys\nfrom jsonschema import Draft202012Validator as V\ns = json.load(open(sys.argv[1]))\nV.check_schema(s)\nV(s).validate(json.load(open(sys.argv[2])))"
	python := cmp.Or(os.Getenv("IBID_TEST_PYTHON"), "python3")
	if exec.Command(python, "-c", "import jsonschema").Run() != nil {
		testset.Lacks(t, "another validator", "pip install jsonschema, or apt-get install python3-jsonschema")
	}
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", script, "../docs/schema/report.schema.json", file).CombinedOutput(); err != nil {
		t.Errorf("another validator: %v\n%s", err, out)
	}
}

// sameFields holds the properties of a schema against the fields of a Go type.
func sameFields(t *testing.T, root, s map[string]any, typ reflect.Type, at string) {
	if ref, ok := s["$ref"].(string); ok {
		s = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch {
	case typ == reflect.TypeFor[evidence.Locator]() || typ == reflect.TypeFor[time.Time]():
	case typ.Kind() == reflect.Slice:
		sameFields(t, root, s["items"].(map[string]any), typ.Elem(), at)
	case typ.Kind() == reflect.Map:
		sameFields(t, root, s["additionalProperties"].(map[string]any), typ.Elem(), at)
	case typ.Kind() == reflect.Struct:
		properties, _ := s["properties"].(map[string]any)
		if len(properties) != typ.NumField() {
			t.Errorf("%s: the schema has %d properties, %s has %d fields", at, len(properties), typ, typ.NumField())
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			property, ok := properties[name].(map[string]any)
			if !ok {
				t.Errorf("%s: the schema has no %s", at, name)
				continue
			}
			sameFields(t, root, property, f.Type, at+"/"+name)
		}
	}
}
