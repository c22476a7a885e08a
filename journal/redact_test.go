package journal

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/gate"
	"ibid/store"
)

// Against the plainest way of replacing, on random text made of pieces of the secrets.
func TestRedactorFindsAll(t *testing.T) {
	secrets := map[string]string{"A": "abcabcabd", "B": "abcabcab", "LONG": "abcabcabdabcabcab", "Q": `q"<&>\/é0`}
	r := newRedactor(secrets)
	pieces := []string{"a", "b", "c", "d", "abc", "abcabcab", "abcabcabd", `q"<&>\/é0`, `q"<&`, "\n", "é"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var s strings.Builder
		for range rng.IntN(12) {
			s.WriteString(pieces[rng.IntN(len(pieces))])
		}
		var want []byte
		for b := []byte(s.String()); len(b) > 0; {
			n := 1
			replaced := b[:1]
			for _, p := range r.patterns {
				if bytes.HasPrefix(b, p.text) {
					n, replaced = len(p.text), []byte(p.placeholder)
					break
				}
			}
			want, b = append(want, replaced...), b[n:]
		}
		if got := r.text(s.String()); got != string(want) {
			t.Fatalf("%q became %q, want %q", s.String(), got, want)
		}
	}
}

// No secret reaches the database in any form, whatever it came through, and a run sees the same placeholder live as in a
// replay (law 10).
func TestSecretsAreNeverRecorded(t *testing.T) {
	const secret = "sk-\"canary\"<&>+/é\n0123456789"
	b, ctx := open(t, Options{Secrets: map[string]string{"API_KEY": secret, "SHORT": "the"}}), context.Background()
	nested, err := json.Marshal(map[string]string{"k": secret})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{secret, string(nested), url.QueryEscape(secret), url.PathEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret)), "the end"}
	r := b.start(t, Spec{Question: "what is " + secret, Config: nested})
	live := map[Key]string{}
	program := func(r *Run, do func(string) (string, Amount, error)) {
		for i, text := range texts {
			key := Key(fmt.Sprintf("lead/%d/model", i))
			d, err := Do(ctx, r, Effect{Key: key, Kind: "model", Hold: free(t)}, map[string]string{"in": text},
				func(context.Context) (string, Amount, error) { return do("you sent " + text) })
			var f *Failure
			if err != nil && !errors.As(err, &f) {
				t.Fatal(err)
			}
			got := d.Value + fmt.Sprint(err)
			if strings.Contains(got, "canary") {
				t.Errorf("%q came back as %q", text, got)
			}
			if was, ok := live[key]; ok && was != got {
				t.Errorf("live %q, replayed %q", was, got)
			}
			live[key] = got
			if err := r.Note(key, "tool", text); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := 0
	program(r, func(s string) (string, Amount, error) {
		if n++; n%2 == 0 {
			return "", Amount{}, errors.New("refused " + s)
		}
		return s, Amount{}, nil
	})
	if !strings.Contains(live["lead/0/model"], "{{secret:API_KEY}}") {
		t.Errorf("no placeholder in %q", live["lead/0/model"])
	}
	if live["lead/5/model"] == "" || strings.Contains(live["lead/5/model"], "SHORT") {
		t.Error("a value too short to be a secret was replaced")
	}
	for _, text := range texts {
		if _, err := r.PutBlob(ctx, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	askWithSecret(t, b, r, nested, secret)
	if err := r.Finish(ctx, StateDone, "stopped by "+secret); err != nil {
		t.Fatal(err)
	}
	again, err := b.OpenReplay(ctx, r.ID())
	if err != nil {
		t.Fatal(err)
	}
	program(again, nil)
	if err := again.Finish(ctx, "", ""); err != nil {
		t.Error(err)
	}
	for name, body := range everything(t, b, r.ID()) {
		for _, canary := range append(forms(secret), "canary") {
			if bytes.Contains(body, []byte(canary)) {
				t.Errorf("%s holds %q", name, canary)
			}
		}
	}
}

// askWithSecret puts a secret into a question and its answer; the decision stays bound to the exact arguments.
func askWithSecret(t *testing.T, b *bench, r *Run, args []byte, secret string) {
	t.Helper()
	ctx := context.Background()
	g := Gates{Journal: b.Journal}
	request := gate.Request{Run: r.ID(), Key: "lead/1/gate", Tool: "read", Args: args}
	if _, err := g.Decide(ctx, request); !errors.Is(err, gate.ErrPending) {
		t.Fatal(err)
	}
	waiting, err := g.List(ctx, r.ID(), false)
	if err != nil || len(waiting) != 1 {
		t.Fatal(waiting, err)
	}
	if _, err := g.Answer(ctx, waiting[0].ID, gate.Answer{Allow: true, By: "reader", Reason: "because " + secret}); err != nil {
		t.Fatal(err)
	}
	if d, err := g.Decide(ctx, request); err != nil || d.Hash != request.Hash() {
		t.Errorf("the decision is not bound to the exact arguments any more: %+v, %v", d, err)
	}
}

// everything is all that is kept of a run: its export, the database's files, and, since bodies are compressed in them, each
// body.
func everything(t *testing.T, b *bench, id string) map[string][]byte {
	t.Helper()
	ctx := context.Background()
	all := map[string][]byte{"export": []byte(exported(t, b.Journal, id))}
	files, err := filepath.Glob(b.path + "*")
	if err != nil || len(files) == 0 && !store.IsPostgres(b.path) {
		t.Fatal("no database files")
	}
	for _, table := range []string{"run", "event", "gate"} { // what is not compressed
		if !store.IsPostgres(b.path) {
			break
		}
		var rows []byte
		if err := b.db.QueryRow(`SELECT string_agg(row::TEXT, '|') FROM ` + table + ` AS row`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		all[table] = rows
	}
	for _, f := range files {
		if all[f], err = os.ReadFile(f); err != nil {
			t.Fatal(err)
		}
	}
	events, err := b.Events(ctx, id, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if all[fmt.Sprint(e.Seq, " request")], err = b.Request(ctx, id, e.Seq); err != nil {
			t.Fatal(err)
		}
		if all[fmt.Sprint(e.Seq, " outcome")], err = b.Outcome(ctx, id, e.Seq); err != nil {
			t.Fatal(err)
		}
	}
	shas, err := b.blobs(ctx, b.db, id)
	if err != nil || len(shas) == 0 {
		t.Fatal(shas, err)
	}
	for _, sha := range shas {
		if all["blob "+sha], err = b.Blob(ctx, sha); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
