package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"ibid/gate"
	"ibid/store"
)

// eventful makes a run with everything that a journal can hold, and leaves it interrupted.
func eventful(t testing.TB, b *bench, steps int) string {
	t.Helper()
	ctx := context.Background()
	r := b.start(t, Spec{Question: "q <&> ü \u2028", User: "reader", Config: json.RawMessage(`{ "n": 9007199254740993 }`)})
	for _, blob := range []string{"raw \x00\xff bytes", "plain text", ""} {
		if _, err := r.PutBlob(ctx, []byte(blob)); err != nil {
			t.Fatal(err)
		}
	}
	for i, body := range conversation(t, steps, 3000) {
		if _, err := Do(ctx, r, Effect{Key: Key(fmt.Sprintf("lead/%d/model", i+1)), Kind: "model", Hold: free(t)}, body,
			func(context.Context) ([]byte, Amount, error) {
				return []byte{byte(i), 0xff}, Amount{Tokens: int64(i), MicroUSD: 3}, nil
			}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Do(ctx, r, Effect{Key: "lead/30/tool.0/fetch.0", Kind: "fetch", Hold: free(t)}, []byte(nil),
		func(context.Context) (string, Amount, error) { return "", Amount{Reads: 1}, errors.New("no answer") }); err == nil {
		t.Fatal("a failure is none")
	}
	cancelled, cancel := context.WithCancel(ctx)
	if _, err := Do(cancelled, r, Effect{Key: "lead/31/model", Kind: "model", Hold: free(t)}, "in doubt",
		func(ctx context.Context) (string, Amount, error) { cancel(); return "", Amount{}, ctx.Err() }); err == nil {
		t.Fatal("no doubt")
	}
	if err := r.Note("lead/31/tool.0", "tool", map[string]any{"html": "<b>&</b>"}); err != nil {
		t.Fatal(err)
	}
	g := Gates{Journal: b.Journal}
	for i := range 2 {
		request := gate.Request{Run: r.ID(), Key: fmt.Sprint("lead/31/gate.", i), Tool: "read", Args: json.RawMessage(`{"u":1}`)}
		if _, err := g.Decide(ctx, request); !errors.Is(err, gate.ErrPending) {
			t.Fatal(err)
		}
	}
	waiting, err := g.List(ctx, r.ID(), false)
	if err != nil || len(waiting) != 2 {
		t.Fatal(waiting, err)
	}
	if _, err := g.Answer(ctx, waiting[0].ID, gate.Answer{Allow: true, By: "reader", Reason: "why not"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Release(ctx); err != nil {
		t.Fatal(err)
	}
	return r.ID()
}

func exported(t testing.TB, j *Journal, id string) string {
	t.Helper()
	var out bytes.Buffer
	if err := j.Export(context.Background(), id, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// An exported run comes in as it was, byte for byte: exported again it is the same file, its bodies are the same, and it
// is resumed where it stood.
func TestExportImport(t *testing.T) {
	a, b, ctx := open(t, Options{}), open(t, Options{}), context.Background()
	id := eventful(t, a, 20)
	first := exported(t, a.Journal, id)
	got, err := b.Import(ctx, strings.NewReader(first))
	if err != nil || got != id {
		t.Fatalf("import: %q, %v", got, err)
	}
	if second := exported(t, b.Journal, id); second != first {
		t.Errorf("exported again it differs:\n%.2000s\n%.2000s", first, second)
	}
	was, err := a.Events(ctx, id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	is, err := b.Events(ctx, id, 0, 1000)
	if err != nil || len(is) != len(was) {
		t.Fatalf("%d events of %d, %v", len(is), len(was), err)
	}
	for i := range was {
		if was[i] != is[i] {
			t.Errorf("event %d: %+v, was %+v", i, is[i], was[i])
		}
		one, err1 := a.Request(ctx, id, was[i].Seq)
		two, err2 := b.Request(ctx, id, was[i].Seq)
		if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Errorf("request %d differs: %v, %v", i, err1, err2)
		}
	}
	for _, blob := range []string{"raw \x00\xff bytes", "plain text", ""} {
		if data, err := b.Blob(ctx, store.Hash([]byte(blob))); err != nil || string(data) != blob {
			t.Errorf("blob %q: %q, %v", blob, data, err)
		}
	}
	if info, err := b.Info(ctx, id); err != nil || info.State != StateInterrupted {
		t.Errorf("%+v, %v", info, err)
	}
	r := b.claim(t, id)
	d, err := Do(ctx, r, Effect{Key: "lead/31/model", Kind: "model", Hold: free(t)}, "in doubt", func(context.Context) (string, Amount, error) { return "ok", Amount{}, nil })
	if err != nil || d.Value != "ok" {
		t.Errorf("resumed: %+v, %v", d, err)
	}
	if g, err := (Gates{Journal: b.Journal}).List(ctx, id, false); err != nil || len(g) != 1 {
		t.Errorf("%d gates wait, %v; one does", len(g), err)
	}
	if _, err := b.Import(ctx, strings.NewReader(first)); err == nil {
		t.Error("imported twice")
	}
	if raw := int64(20 * 60_000 / 2); int64(len(first)) > raw {
		t.Errorf("the export has %d bytes: it grows with the square of the steps", len(first))
	}
}

// sealed puts the right end under lines, so that only what they say can be at fault.
func sealed(lines []string) string {
	text := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s{\"v\":1,\"end\":{\"lines\":%d,\"sha256\":%q}}\n", text, len(lines), hex.EncodeToString(sum[:]))
}

// A damaged or forged file is refused and leaves nothing behind.
func TestImportRefuses(t *testing.T) {
	a, ctx := open(t, Options{}), context.Background()
	text := exported(t, a.Journal, eventful(t, a, 20))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	lines = lines[:len(lines)-1] // without the end
	if sealed(lines) != text {
		t.Fatal("the test's own seal is not the export's")
	}
	change := func(old, new string) string {
		changed := strings.Replace(strings.Join(lines, "\n"), old, new, 1)
		if changed == strings.Join(lines, "\n") {
			t.Fatalf("%q is not in the export", old)
		}
		return sealed(strings.Split(changed, "\n"))
	}
	swapped := append([]string(nil), lines...)
	swapped[2], swapped[3] = swapped[3], swapped[2]
	b := open(t, Options{})
	for name, text := range map[string]string{
		"empty":                  "",
		"no JSON":                "hello\n",
		"only an end":            sealed(nil),
		"cut":                    strings.Join(lines, "\n") + "\n",
		"cut in a line":          text[:len(text)/2],
		"changed":                strings.Replace(text, "reader", "editor", 1),
		"a line less":            strings.Replace(text, lines[4]+"\n", "", 1),
		"a line after the end":   text + lines[1] + "\n",
		"run not first":          sealed(append([]string{lines[1], lines[0]}, lines[2:]...)),
		"run twice":              sealed(append([]string{lines[0]}, lines...)),
		"event twice":            sealed(append(lines[:3:3], lines[2:]...)),
		"events swapped":         sealed(swapped),
		"delta without base":     sealed(append(lines[:1:1], lines[2:]...)),
		"another version":        change(`"v":1`, `"v":2`),
		"unknown field":          change(`"v":1`, `"x":1,"v":1`),
		"two values":             change(lines[0], lines[0]+"{}"),
		"no state":               change(`"state":"working"`, `"state":"flying"`),
		"outcome forged":         change(`"outcome":{"base64":"A`, `"outcome":{"base64":"B`),
		"request forged":         change(`"request":"`, `"request":"x`),
		"base ahead":             change(`"request_base":1,`, `"request_base":9,`),
		"same beyond":            change(`"request_same":`, `"request_same":9`),
		"same negative":          change(`"request_same":`, `"request_same":-`),
		"size":                   change(`"request_size":`, `"request_size":1`),
		"huge size":              change(`"request_size":`, `"request_size":99999999`),
		"figures":                change(`"tokens":`, `"tokens":99999999999999`),
		"id":                     change(`"id":"`, `"id":"../`),
		"note with a request":    change(`"state":"note"`, `"state":"done"`),
		"intent for an outcome":  change(`"state":"done"`, `"state":"intent"`),
		"blob forged":            change("plain text", "plain lies"),
		"gate of another run":    change(`{\"run\":\"`, `{\"run\":\"x`),
		"gate shows other words": change(`{\"u\":1}`, `{\"u\":2}`),
		"config":                 change(`{ \"n\"`, `{ n`),
	} {
		id, err := b.Import(ctx, strings.NewReader(text))
		if err == nil {
			t.Errorf("%s: imported as %s", name, id)
		}
		for _, table := range []string{"run", "event", "gate", "blob", "run_blob"} {
			var n int
			if err := b.db.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: %d rows of %s left behind, %v", name, n, table, err)
			}
		}
	}
	c := open(t, Options{Secrets: map[string]string{"KEY": "why not"}}) // shorter than a secret
	if _, err := c.Import(ctx, strings.NewReader(text)); err != nil {
		t.Error(err)
	}
	c = open(t, Options{Secrets: map[string]string{"KEY": "plain text"}})
	if _, err := c.Import(ctx, strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "KEY") {
		t.Errorf("a secret came in: %v", err)
	}
}

type slowReader struct{ r io.Reader }

func (s slowReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), 512)]) }

// The database is free while a file comes in.
func TestImportHoldsNoLock(t *testing.T) {
	a, ctx := open(t, Options{}), context.Background()
	text := exported(t, a.Journal, eventful(t, a, 20))
	b := open(t, Options{})
	in, feed := io.Pipe()
	done := make(chan error, 1)
	go func() { _, err := b.Import(ctx, slowReader{in}); done <- err }()
	if _, err := io.WriteString(feed, text[:len(text)/2]); err != nil {
		t.Fatal(err)
	}
	quick, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := b.Create(quick, Spec{}); err != nil {
		t.Errorf("an import half read keeps others out: %v", err)
	}
	if _, err := io.WriteString(feed, text[len(text)/2:]); err != nil {
		t.Fatal(err)
	}
	feed.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// FuzzImport gives the importer lines with the right end under them. What it takes must come out and in again the same.
func FuzzImport(f *testing.F) {
	a, b, c := open(f, Options{}), open(f, Options{}), open(f, Options{})
	text := exported(f, a.Journal, eventful(f, a, 2))
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	f.Add(strings.Join(lines[:len(lines)-1], "\n"))
	f.Add(strings.Join(append(lines[:1:1], lines[3:len(lines)-1]...), "\n"))
	f.Add(lines[0])
	f.Add(`{"v":1,"run":{"id":"a","state":"done","next_seq":9,"config":"{}"}}` + "\n" +
		`{"v":1,"event":{"seq":1,"key":"k","kind":"x","state":"intent","request_sha256":"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb","request":"a","request_size":1}}`)
	ctx := context.Background()
	f.Fuzz(func(t *testing.T, text string) {
		id, err := b.Import(ctx, strings.NewReader(sealed(strings.Split(text, "\n"))))
		list, lerr := b.Runs(ctx, 10)
		if lerr != nil {
			t.Fatal(lerr)
		}
		if err != nil {
			if len(list) != 0 {
				t.Fatalf("refused with %v, and %d runs are left behind", err, len(list))
			}
			return
		}
		first := exported(t, b.Journal, id)
		if _, err := c.Import(ctx, strings.NewReader(first)); err != nil {
			t.Fatalf("its export is refused: %v", err)
		}
		if second := exported(t, c.Journal, id); second != first {
			t.Fatal("exported again it differs")
		}
		for _, j := range []*bench{b, c} {
			if _, err := j.db.Exec(`DELETE FROM run`); err != nil {
				t.Fatal(err)
			}
		}
	})
}
