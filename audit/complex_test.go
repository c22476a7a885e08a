package audit

import (
	"strings"
	"testing"
)

// Definitions of links without an empty line between them are parsed in the square of their number.
func TestTooManyDefinitions(t *testing.T) {
	const one = "[a]: https://a.example/b\n"
	if TooComplex([]byte(strings.Repeat(one, 2000))) {
		t.Error("a long list of references is too complex")
	}
	if !TooComplex([]byte(strings.Repeat(one, 20_000))) {
		t.Error("20,000 definitions in one stretch are not too complex")
	}
	if TooComplex([]byte(strings.Repeat(one+"\n", 20_000))) {
		t.Error("definitions that stand apart are too complex")
	}
}
