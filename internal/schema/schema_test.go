package schema

import "testing"

func TestValidate(t *testing.T) {
	const s = `{"$schema":"x","type":"object","required":["a"],"additionalProperties":false,
		"properties":{"a":{"$ref":"#/$defs/id"},"n":{"type":["integer","null"],"minimum":1},"t":{"format":"date-time"},"l":{"type":"array","items":{"enum":["x","y"]}},
		"v":{"const":1},"s":{"minLength":2},"m":{"type":"object","propertyNames":{"$ref":"#/$defs/id"},"additionalProperties":{"type":"boolean"}}},
		"$defs":{"id":{"type":"string","pattern":"^S[0-9]+$"}}}`
	for doc, wrong := range map[string]int{
		`{"a":"S1","n":2,"t":"2026-01-02T03:04:05Z","l":["x"],"v":1,"s":"ab","m":{"S2":true}}`: 0,
		`{"a":"S1","n":null}`:                   0,
		`{"n":1}`:                               1,
		`{"a":1}`:                               1,
		`{"a":"T1"}`:                            1,
		`{"a":"S1","n":0}`:                      1,
		`{"a":"S1","n":1.5}`:                    1,
		`{"a":"S1","t":"today"}`:                1,
		`{"a":"S1","l":["x","z","w"]}`:          2,
		`{"a":"S1","v":2,"s":"a","new":1}`:      3,
		`{"a":"S1","m":{"T":true}}`:             1,
		`{"a":"S1","m":{"S3":1}}`:               1,
		`[]`:                                    1,
		`{"a":"S1","l":{"x":"y"},"m":["true"]}`: 2,
	} {
		if faults, err := Validate([]byte(s), []byte(doc)); err != nil || len(faults) != wrong {
			t.Errorf("%s: %q, %v; want %d", doc, faults, err, wrong)
		}
	}
	for _, s := range []string{`{"oneOf":[]}`, `{"$ref":"#/$defs/none"}`, `{`, `{} {}`} {
		if _, err := Validate([]byte(s), []byte(`{}`)); err == nil {
			t.Errorf("%s is taken for a schema", s)
		}
	}
}
