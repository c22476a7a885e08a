package merkle

import "testing"

func TestRepeated(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,"a":2}`:                           "a",
		`{"a":1,"A":2}`:                           "A",
		`{"size":1,"ſize":2}`:                     "ſize",      // encoding/json takes either for the field size
		`{"kind":1,"\u212Aind":2}`:                "\u212Aind", // the sign of the kelvin
		`{"x":[{"y":{"b":{},"c":[],"b":null}}]}`:  "b",
		`{"a":{"b":1},"b":{"a":1},"c":["a","a"]}`: "",
		`[{"a":1},{"a":2}]`:                       "",
		`{"a":"a","b":"a"}`:                       "",
		`{"a":1,`:                                 "",
		``:                                        "",
	} {
		if name, twice := Repeated([]byte(text)); name != want || twice != (want != "") {
			t.Errorf("%s: %q, %v", text, name, twice)
		}
	}
}
