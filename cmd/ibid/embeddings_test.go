package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// embeddingServer speaks /v1/embeddings. A good model knows that cars are automobiles, and joins the questions and answers
// of a trial, which come as two lists in one order.
func embeddingServer(t *testing.T, good bool) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "small" || r.Header.Get("Authorization") != "Bearer halden-key-123456" {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		var data []string
		for i, text := range in.Input {
			v := make([]int, 25)
			if v[24] = 1; good && len(in.Input) == 24 {
				v[i] = 100
			}
			if lower := strings.ToLower(text); strings.Contains(lower, "car ") || strings.Contains(lower, "automobile") {
				v[0] = 100
			}
			list, _ := json.Marshal(v) // of whole numbers: cannot fail
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, list))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s],"usage":{"prompt_tokens":1000,"total_tokens":1000}}`, strings.Join(data, ","))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestEmbeddings: with a model of embeddings a run finds what shares no word with the question, says and pays what it
// used, and replays with the server gone; the key is nowhere.
func TestEmbeddings(t *testing.T) {
	dir := moveIn(t)
	docs := filepath.Join(dir, "docs")
	for name, text := range map[string]string{"autos.md": "# Automobiles\n\nAn automobile with a small engine burns the least petrol, the club found in May.",
		"tides.md": "# Tides\n\nTide tables for the northern quay are printed each November.", "quay.md": "# The quay\n\nThe northern quay was rebuilt after the storm of 1902."} {
		if err := os.MkdirAll(docs, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := embeddingServer(t, true)
	t.Setenv("HALDEN_WORD", "halden-key-123456")
	t.Setenv("IBID_CONFIG", filepath.Join(dir, "own.toml"))
	configure := func(url string) {
		text := fmt.Sprintf("[embeddings]\nmodel = \"small\"\nurl = %q\nkey_env = \"HALDEN_WORD\"\n\n[price]\n\"embeddings/small\" = { input = 2, output = 0, source = \"ours\", date = \"2026-11-30\" }\n", url+"/v1")
		if err := os.WriteFile(filepath.Join(dir, "own.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ibid := func(args ...string) (stdout, stderr string, code int) {
		var out, err bytes.Buffer
		code = run(t.Context(), args, strings.NewReader(""), &out, &err)
		return out.String(), err.String(), code
	}
	configure(server.URL)
	if out, _, _ := ibid("doctor"); !strings.Contains(out, "ok    embeddings") || !strings.Contains(out, "joins 100 %") {
		t.Errorf("doctor:\n%s", out)
	}
	report, told, code := ibid("research", "--files", docs, "--model", "extractive", "Which car burns the least petrol?")
	if code != 0 || !strings.Contains(report, "autos.md") || !strings.Contains(told, "small is used beside words") {
		t.Errorf("exit %d\n%s\n%s", code, report, told)
	}
	if !strings.Contains(told, ", $0.0") {
		t.Errorf("the embeddings cost nothing:\n%s", told)
	}
	server.Close()
	again, told, code := ibid("replay", "last")
	if code != 0 || again != report {
		t.Errorf("replay: exit %d, %s\n%s", code, told, again)
	}
	weak := embeddingServer(t, false)
	configure(weak.URL)
	if _, told, code := ibid("research", "--files", docs, "--model", "extractive", "When are tide tables for the northern quay printed?"); code > 3 || !strings.Contains(told, "too weak") {
		t.Errorf("a weak model: exit %d, %s", code, told)
	}
	if out, _, code := ibid("doctor"); code == 0 || !strings.Contains(out, "FAIL  embeddings") {
		t.Errorf("doctor of a weak model: exit %d\n%s", code, out)
	}
	home, err := os.ReadFile(filepath.Join(dir, "home", "ibid.db"))
	if err != nil || bytes.Contains(home, []byte("halden-key-123456")) {
		t.Errorf("the key is in the store: %v", err)
	}
}

// TestEmbeddingsTable: what cannot be used is said with what to set.
func TestEmbeddingsTable(t *testing.T) {
	for _, tt := range []struct {
		table embeddingsTable
		says  string // "": it can be used, or is off
	}{
		{embeddingsTable{}, ""},
		{embeddingsTable{URL: "http://localhost:1/v1"}, "no model is named"},
		{embeddingsTable{Model: "small", URL: "localhost:1"}, "url is no http address"},
		{embeddingsTable{Model: "small"}, "write provider/model"},
		{embeddingsTable{Model: "small", URL: "http://localhost:1/v1", KeyEnv: "IBID_TEST_NO_SUCH"}, "Set IBID_TEST_NO_SUCH."},
		{embeddingsTable{Model: "anthropic/small"}, "has no embeddings"},
		{embeddingsTable{Model: "ollama/small"}, ""},
		{embeddingsTable{Model: "small", URL: "http://localhost:1/v1"}, ""},
	} {
		o := &origins{}
		if err := o.load(nil, func(string) string { return os.DevNull }); err != nil {
			t.Fatal(err)
		}
		o.tables.Embeddings = tt.table
		m, err := (&env{origin: o}).embeddings()
		if tt.says == "" && (err != nil || (m == nil) != (tt.table == embeddingsTable{})) || tt.says != "" && !strings.Contains(fmt.Sprint(err), tt.says) {
			t.Errorf("%+v: %+v, %v", tt.table, m, err)
		}
	}
	for url, unpriced := range map[string]bool{"http://localhost:11434/v1": false, "http://127.0.0.1/v1": false, "http://[::1]:8080/v1": false, "https://models.halden.example/v1": true} {
		o := &origins{}
		if err := o.load(nil, func(string) string { return os.DevNull }); err != nil {
			t.Fatal(err)
		}
		o.tables.Embeddings = embeddingsTable{Model: "small", URL: url}
		e := &env{origin: o}
		m, err := e.embeddings()
		if err != nil || e.unpricedEmbeddings(m) != unpriced {
			t.Errorf("%s: unpriced %v, %v", url, e.unpricedEmbeddings(m), err)
		}
	}
}
