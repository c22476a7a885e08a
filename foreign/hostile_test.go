package foreign

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What is called a list of references and is none, what is repeated without an end, and what is no text: the time grows with
// the length and not with its square, and nothing falls over. Each of these took minutes, or for ever.
func TestHostileReports(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	const n = 300_000
	var definitions strings.Builder
	for i := range n / 12 {
		fmt.Fprintf(&definitions, "[a%d]: /u\n\n", i)
	}
	for name, r := range map[string]Report{
		"a line, and no list":  {Text: []byte("Sources\nThe dam is 45 m high.\n\nMore was not said.\n")},
		"names of lists":       {Text: []byte(strings.Repeat("Sources\n\n", n/9))},
		"links to themselves":  {Text: []byte(strings.Repeat("[1](#x)\n\n", n/9))},
		"one note, many times": {Text: []byte(strings.Repeat("[^1]: a\n\n", n/9))},
		"definitions":          {Text: []byte(definitions.String())},
		"no characters":        {HTML: true, Text: []byte("<p>" + strings.Repeat("\x80", maxBlock+100))},
	} {
		done := make(chan error, 1)
		go func() {
			_, err := Check(context.Background(), r, Options{})
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: it does not end", name)
		}
	}
}
