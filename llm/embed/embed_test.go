package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ibid/llm"
)

// server speaks the wire format: the vector of a text is its length and the number of its bytes "e", and it answers in
// the wrong order, as it may.
func server(t *testing.T, seen func(r *http.Request, texts []string) (status int, body string)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(&in); err != nil || in.Model != "halden-embed" || r.Method != http.MethodPost || r.URL.Path != "/v1/embeddings" ||
			r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, `{"error":{"message":"bad request","type":"invalid_request_error"}}`, http.StatusBadRequest)
			return
		}
		if status, body := seen(r, in.Input); body != "" {
			w.WriteHeader(status)
			io.WriteString(w, body)
			return
		}
		io.WriteString(w, answerTo(in.Input))
	}))
	t.Cleanup(s.Close)
	return s
}

func answerTo(texts []string) string {
	var data []string
	for i := len(texts) - 1; i >= 0; i-- {
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,%d]}`, i, len(texts[i]), strings.Count(texts[i], "e")))
	}
	return fmt.Sprintf(`{"object":"list","data":[%s],"model":"halden-embed","usage":{"prompt_tokens":%d,"total_tokens":%d}}`, strings.Join(data, ","), 7*len(texts), 7*len(texts))
}

func model(s *httptest.Server, waited *[]time.Duration) *Model {
	return New(Config{Model: "halden-embed", URL: s.URL + "/v1", Key: "sk-halden-1234567890", Timeout: time.Minute,
		Wait: func(ctx context.Context, d time.Duration) error {
			*waited = append(*waited, d)
			return ctx.Err()
		}})
}

func TestEmbed(t *testing.T) {
	var waited []time.Duration
	s := server(t, func(r *http.Request, texts []string) (int, string) {
		if r.Header.Get("Authorization") != "Bearer sk-halden-1234567890" {
			return http.StatusUnauthorized, `{"error":{"message":"no key"}}`
		}
		return 0, ""
	})
	vectors, tokens, err := model(s, &waited).Embed(t.Context(), []string{"tree", "sky", "eels"})
	if err != nil || tokens != 21 || len(vectors) != 3 || vectors[0][1] != 2 || vectors[1][0] != 3 || vectors[2][1] != 2 {
		t.Errorf("Embed = %v, %d, %v", vectors, tokens, err)
	}
	if vectors, tokens, err := model(s, &waited).Embed(t.Context(), nil); err != nil || len(vectors) != 0 || tokens != 0 {
		t.Errorf("nothing to embed: %v, %d, %v", vectors, tokens, err)
	}
}

// TestOutages: what may pass is tried again, what stays wrong is not, and a long wait is left to the caller.
func TestOutages(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		header     string
		asked      int // times
		kind       llm.ErrorKind
	}{
		{"overloaded for a moment", `{"error":{"message":"loading model"}}`, 503, "", 2, ""},
		{"overloaded for good", `{"error":{"message":"loading model"}}`, 503, "", 3, llm.Overloaded},
		{"a long wait", `{"error":{"message":"slow down"}}`, 429, "300", 1, llm.RateLimited},
		{"refused key", `{"error":{"message":"Incorrect API key provided: sk-halden-1234567890"}}`, 401, "", 1, llm.Auth},
		{"no such model", `{"error":{"message":"model \"halden-embed\" not found, try pulling it first"}}`, 404, "", 1, llm.BadRequest},
		{"error with status 200", `{"error":{"message":"The model does not exist","code":"invalid_request_error"}}`, 200, "", 1, llm.BadRequest},
		{"a web page", `<html>welcome</html>`, 200, "", 3, llm.Malformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			var waited []time.Duration
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked++; tt.kind == "" && asked > 1 {
					io.WriteString(w, answerTo([]string{"a"}))
					return
				}
				if tt.header != "" {
					w.Header().Set("Retry-After", tt.header)
				}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			_, _, err := model(s, &waited).Embed(t.Context(), []string{"a"})
			var failed *llm.Error
			if tt.kind == "" {
				if err != nil || asked != 2 {
					t.Errorf("%v after %d requests", err, asked)
				}
				return
			}
			if !errors.As(err, &failed) || failed.Kind != tt.kind || asked != tt.asked || len(waited) != asked-1 {
				t.Errorf("%v after %d requests and waits of %v", err, asked, waited)
			}
			if strings.Contains(fmt.Sprint(err), "1234567890") {
				t.Errorf("the error tells the key: %v", err)
			}
		})
	}
}

// TestTooLong: a text beyond the model's window is asked for by its beginning.
func TestTooLong(t *testing.T) {
	var waited []time.Duration
	var sizes []int
	s := server(t, func(_ *http.Request, texts []string) (int, string) {
		n := longest(texts)
		if sizes = append(sizes, n); n > 500 {
			return 400, `{"error":{"message":"This model's maximum context length is 512 tokens, however you requested more","type":"invalid_request_error"}}`
		}
		return 0, ""
	})
	vectors, _, err := model(s, &waited).Embed(t.Context(), []string{strings.Repeat("é", 1000), "short"})
	if err != nil || len(vectors) != 2 || vectors[0][0] < 400 || vectors[1][0] != 5 {
		t.Errorf("%v, %v, asked with %v", vectors, err, sizes)
	}
	never := server(t, func(*http.Request, []string) (int, string) {
		return 400, `{"error":{"message":"maximum context length is 0 tokens"}}`
	})
	if _, _, err := model(never, &waited).Embed(t.Context(), []string{strings.Repeat("x", 5000)}); err == nil {
		t.Error("no error from a model that takes nothing")
	}
}

// TestWrongAnswers: a vector that may be another text's is none.
func TestWrongAnswers(t *testing.T) {
	for _, body := range []string{
		`{}`, `{"data":[]}`, `[]`, `null`, `{"data":[{"index":0,"embedding":[1]}]}`,
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[2]}]}`,
		`{"data":[{"index":1,"embedding":[1]},{"index":2,"embedding":[2]}]}`,
		`{"data":[{"index":-1,"embedding":[1]},{"index":0,"embedding":[2]}]}`,
		`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[2]}]}`,
		`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`,
		`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}`,
		`{"data":[{"index":0,"embedding":[1e39,0]},{"index":1,"embedding":[1,2]}]}`,
		`{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1,2]}]}`,
		`{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`,
	} {
		m := New(Config{Model: "halden-embed", URL: "http://localhost/v1"})
		_, _, err := m.decode([]byte(body), 2)
		var failed *llm.Error
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v", body, err)
		}
	}
	m := New(Config{Model: "halden-embed", URL: "http://localhost/v1"})
	if v, tokens, err := m.decode([]byte(`{"data":[{"embedding":[1,2]},{"embedding":[3,4]}],"usage":{"total_tokens":9}}`), 2); err != nil || v[1][0] != 3 || tokens != 9 {
		t.Errorf("without indexes: %v, %d, %v", v, tokens, err)
	}
}

// TestCancelled: a context that ends is said as such, and a server that hangs ends by the time of one request.
func TestCancelled(t *testing.T) {
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(hang)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var waited []time.Duration
	if _, _, err := model(s, &waited).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed = %v", err)
	}
	m := New(Config{Model: "halden-embed", URL: s.URL, Timeout: time.Millisecond, Wait: func(context.Context, time.Duration) error { return nil }})
	_, _, err := m.Embed(t.Context(), []string{"a"})
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Kind != llm.Network {
		t.Errorf("a server that hangs: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(answerTo([]string{"a", "b"})))
	f.Add([]byte(`{"data":[{"index":1,"embedding":[1,2]},{"embedding":[3]}],"error":{"message":"x"}}`))
	m := New(Config{Model: "halden-embed", URL: "http://localhost/v1"})
	f.Fuzz(func(t *testing.T, body []byte) {
		v, tokens, err := m.decode(body, 2)
		if err == nil && (len(v) != 2 || len(v[0]) != len(v[1]) || len(v[0]) == 0 || tokens < 0) {
			t.Errorf("decode(%q) = %v, %d", body, v, tokens)
		}
	})
}
