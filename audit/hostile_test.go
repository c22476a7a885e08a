package audit

import (
	"strings"
	"testing"
	"time"
)

// Text made to be slow is judged in time.
func TestHostile(t *testing.T) {
	_, rec := hundred()
	rec.Sources, rec.Findings = rec.Sources[:3], rec.Findings[:6]
	const n = 1 << 16
	for _, unit := range []string{">", "> ", "- ", "[", "]", "![", "*a_", "<", "`", "``` ", "| a ", "(", "\"", "“", "'", "&#", "\\", "[^1]", "[S1 para.1]", "[S1 ", "A 3 b. ", "A b c d e f [S1 para.1]. ",
		"Not established: why ", "See a ", "The a ", "\u202e", "\x00", "a\n\n", "1. ", "#", "# a\n", "[a]: b\n\n", "We could not establish why the one in five ", "1,", "1 ", "one hundred and ", "¹", "½", "- x:\n\n", "a-b-", "《", "x:\n\n- y\n\n"} {
		text := strings.Repeat(unit, n/len(unit))
		start := time.Now()
		Report([]byte(text), rec)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%d bytes of %q took %v", n, unit, took)
		}
	}
}
