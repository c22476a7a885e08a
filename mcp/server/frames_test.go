package server

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// open is a stream that is never closed.
type open struct{ io.Writer }

func (open) Close() error { return nil }

// Whatever comes in, what is passed on are messages, and what is no message is answered as such, in one line each.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"x"}`, `[]`, `{"jsonrpc":"2.0","id":9,"method":"tools/list"`,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"1.0","id":1}`, "\x00\xff", `{"jsonrpc":"2.0","id":1.5,"method":"x"}` + "\r\n\n", `"x"`, `{"jsonrpc":"2.0","Method":"x","ID":3}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		to := &lines{to: open{&out}}
		frames := newFrames(bytes.NewReader(in), to)
		var passed bytes.Buffer
		p := make([]byte, 7)
		for {
			n, err := frames.Read(p)
			passed.Write(p[:n])
			to.mu.Lock()
			to.owed = 0 // nobody answers here
			to.mu.Unlock()
			if err != nil {
				break
			}
		}
		for line := range strings.Lines(passed.String()) {
			if _, err := jsonrpc.DecodeMessage([]byte(line)); err != nil {
				t.Errorf("passed on %q: %v", line, err)
			}
		}
		for line := range strings.Lines(out.String()) {
			var m struct {
				Version string `json:"jsonrpc"`
				Error   struct{ Code int }
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" || m.Error.Code == 0 {
				t.Errorf("answered %q: %v", line, err)
			}
		}
	})
}

// A line that is too long is passed over, and what follows is heard.
func TestLongLines(t *testing.T) {
	var out bytes.Buffer
	in := io.MultiReader(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(zeros{}, maxLine), strings.NewReader("\"}\n"+`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n"))
	got, err := io.ReadAll(newFrames(in, &lines{to: open{&out}}))
	if err != nil || !strings.Contains(string(got), "notifications/x") || len(got) > 100 || !strings.Contains(out.String(), "-32600") {
		t.Errorf("%v, %q, %q", err, got, out.String())
	}
}

// The answer to a line that is refused pays for no request, though it names an id.
func TestRefusedIsNotOwed(t *testing.T) {
	var out bytes.Buffer
	to := &lines{to: open{&out}}
	frames := newFrames(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"+`{"jsonrpc":"1.0","id":2,"method":"ping"}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/x"}`+"\n"), to)
	for passed := ""; !strings.Contains(passed, "notifications/x"); {
		p := make([]byte, 512)
		n, err := frames.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		passed += string(p[:n])
	}
	if to.owed != 1 || !strings.Contains(out.String(), `"id":2`) {
		t.Fatalf("%d answers are owed after a refusal, 1 is; said %s", to.owed, &out)
	}
	if _, err := to.Write([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")); err != nil || to.owed != 0 {
		t.Errorf("%d answers are owed after the answer, %v", to.owed, err)
	}
}

// zeros are many letters.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
