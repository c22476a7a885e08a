//go:build unix

package audit

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// Text made to be slow is judged in time.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("one text after the other")
	}
	_, rec := hundred()
	rec.Sources, rec.Findings = rec.Sources[:3], rec.Findings[:6]
	const n = 1 << 16
	for _, unit := range []string{">", "> ", "- ", "[", "]", "![", "[a](", "*a_", "<", "`", "``` ", "| a ", "(", "\"", "“", "'", "&#", "\\", "[^1]", "[S1 para.1]", "[S1 ", "A 3 b. ", "A b c d e f [S1 para.1]. ",
		"Not established: why ", "See a ", "The a ", "\u202e", "\x00", "a\n\n", "1. ", "#", "# a\n", "[a]: b\n\n", "We could not establish why the one in five ", "1,", "1 ", "one hundred and ", "¹", "½", "- x:\n\n", "a-b-", "《", "x:\n\n- y\n\n",
		"It was 1 (computed: 2 − 1 = 1, from [S1 para.1]). ", "It was 1 (computed: 2 − 1 = 1, from [S1 para.1]).\n\n", "(computed: ", "1 − (", "[S1 para.1] (computed: 1 = 1) "} {
		text := strings.Repeat(unit, n/len(unit))
		start := cpu(t)
		Report([]byte(text), rec)
		if took := cpu(t) - start; took > 10*time.Second {
			t.Errorf("%d bytes of %q took %v", n, unit, took)
		}
	}
}

// cpu is the processor time that this process has used: what other work on the machine takes does not count.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
