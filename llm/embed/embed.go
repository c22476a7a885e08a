// Package embed asks a server for embeddings: POST /v1/embeddings (platform.openai.com/docs/api-reference/embeddings), as
// OpenAI and the servers speak it that follow it: Ollama, llama.cpp, LM Studio, vLLM, Text Embeddings Inference.
package embed

import (
	"context"
	"errors"
	"net/http"
	"time"
	"unicode/utf8"

	"ibid/llm"
)

// Bounds of an exchange.
const (
	DefaultTimeout = 2 * time.Minute // for one request: a server that has just started loads its model first
	tries          = 3               // of one request
	longestWait    = 20 * time.Second
	shortestText   = 200 // bytes; a text that is too long even so is given up
)

// A Config is one model behind one server.
type Config struct {
	Model   string        // as the server calls it
	URL     string        // base, "http://localhost:11434/v1"
	Key     string        // sent as a bearer token; empty: none is needed
	Timeout time.Duration // for one request; 0 means DefaultTimeout
	Client  *http.Client  // nil: http.DefaultClient

	// Wait waits before another try; nil: in real time. An error ends the trying.
	Wait func(ctx context.Context, d time.Duration) error
}

// A Model turns texts into vectors. It is safe for concurrent use.
type Model struct {
	c  Config
	at *llm.Endpoint
}

// New makes a model. It does not reach for the network.
func New(c Config) *Model {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return &Model{c: c, at: llm.NewEndpoint(llm.Target{URL: c.URL, Path: "/embeddings", KeyHeader: "Authorization", KeyScheme: "Bearer ",
		Key: c.Key, Client: c.Client})}
}

// Embed returns a vector for each text, all of one length, and the tokens that the server counted; 0: it does not say. An
// outage is waited for a little. Where a text is longer than the model's window, the request is made again with texts of
// half the length: the beginning of a text says what it is about. Errors are *llm.Error, or the context's.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, int64, error) {
	if len(texts) == 0 {
		return nil, 0, nil
	}
	for {
		vectors, tokens, err := m.try(ctx, texts)
		var failed *llm.Error
		if !errors.As(err, &failed) || failed.Kind != llm.TooLong || longest(texts) <= shortestText {
			return vectors, tokens, err
		}
		texts = halved(texts)
	}
}

// try makes a request, and makes it again after an outage.
func (m *Model) try(ctx context.Context, texts []string) ([][]float32, int64, error) {
	body, err := encode(m.c.Model, texts)
	if err != nil {
		return nil, 0, err
	}
	for n := 1; ; n++ {
		vectors, tokens, err := m.once(ctx, body, len(texts))
		var failed *llm.Error
		if err == nil || n == tries || !errors.As(err, &failed) || !failed.Retryable() || failed.Kind == llm.Unreachable || ctx.Err() != nil {
			return vectors, tokens, err
		}
		pause := failed.RetryAfter
		if pause == 0 {
			pause = time.Second << n
		}
		if pause > longestWait {
			return nil, 0, err
		}
		if err := m.c.Wait(ctx, pause); err != nil {
			return nil, 0, err
		}
	}
}

func (m *Model) once(ctx context.Context, body []byte, n int) ([][]float32, int64, error) {
	timed, cancel := context.WithTimeout(ctx, m.c.Timeout)
	defer cancel()
	answer, err := m.at.Post(timed, body, "")
	if err != nil {
		if timed.Err() != nil && ctx.Err() == nil {
			return nil, 0, &llm.Error{Kind: llm.Network, Message: "the server of embeddings did not answer within " + m.c.Timeout.String()}
		}
		return nil, 0, err
	}
	return m.decode(answer, n)
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func longest(texts []string) (n int) {
	for _, t := range texts {
		n = max(n, len(t))
	}
	return n
}

// halved cuts all texts to half of the longest.
func halved(texts []string) []string {
	limit := longest(texts) / 2
	short := make([]string, len(texts))
	for i, t := range texts {
		if n := limit; len(t) > n {
			for n > 0 && !utf8.RuneStart(t[n]) {
				n--
			}
			t = t[:n]
		}
		short[i] = t
	}
	return short
}
