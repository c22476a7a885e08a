package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

const secret = "sk-canary-4f9a1c77e2b05d38"

func TestAnswersAreCapped(t *testing.T) {
	for size, want := range map[int]error{9: nil, 10: nil, 11: errTooLarge, 5000: errTooLarge} {
		body, err := readAtMost(strings.NewReader(strings.Repeat("x", size)), 10)
		if !errors.Is(err, want) || err == nil && len(body) != size {
			t.Errorf("%d bytes: %d, %v", size, len(body), err)
		}
	}
}

// endless is a body that never ends, and is counted.
type endless struct{ read *int64 }

func (e endless) Read(p []byte) (int, error) {
	*e.read += int64(len(p))
	return len(p), nil
}

func (endless) Close() error { return nil }

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAnEndlessAnswerIsLeft(t *testing.T) {
	var read int64
	e := NewEndpoint(Target{URL: "http://provider.example", Client: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: endless{&read}}, nil
	})}})
	var typed *Error
	if _, err := e.Post(context.Background(), nil, ""); !errors.As(err, &typed) || typed.Kind != Malformed || read > 2*maxAnswer {
		t.Errorf("%d bytes read, %v", read, err)
	}
}

// Whatever a server or the network says, the key and the user's headers are not in the error, nor is a part of them.
func TestErrorsHoldNoSecret(t *testing.T) {
	for _, said := range []string{secret, "you sent " + secret[:14] + " and " + secret[9:], url.QueryEscape(secret), strings.ToUpper("no ") + secret + secret} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			if _, err := io.WriteString(w, `{"error":{"message":"wrong key `+said+`"}}`); err != nil {
				t.Error(err)
			}
		}))
		for _, target := range []Target{
			{KeyHeader: "X-Api-Key", Key: secret + "\n"},
			{KeyHeader: "Authorization", KeyScheme: "Bearer ", Headers: map[string]string{"Authorization": "Bearer " + secret}},
			{Headers: map[string]string{"Api-Key": secret}},
		} {
			target.URL = server.URL
			_, err := NewEndpoint(target).Post(context.Background(), nil, "")
			var typed *Error
			if !errors.As(err, &typed) || typed.Kind != Auth || !strings.Contains(err.Error(), "[key]") {
				t.Errorf("%v", err)
			}
			for i := 0; i+8 <= len(secret); i++ {
				if strings.Contains(err.Error(), secret[i:i+8]) {
					t.Errorf("the error holds %q: %v", secret[i:i+8], err)
				}
			}
		}
		server.Close()
	}
	e := NewEndpoint(Target{URL: "http://user:" + secret + "@127.0.0.1:1/v1?key=" + secret, Path: "/x", Key: secret, KeyHeader: "X-Api-Key"})
	if _, err := e.Post(context.Background(), nil, ""); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
	e = NewEndpoint(Target{URL: "http://127.0.0.1:1", Key: secret + "\nx", KeyHeader: "X-Api-Key"})
	if _, err := e.Post(context.Background(), nil, ""); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
}

func TestAMissingKeyIsSaid(t *testing.T) {
	refusal := []byte(`{"error":{"message":"x-api-key header is required","type":"authentication_error"}}`)
	for key, want := range map[string]string{"": "no API key for provider.example is set", secret: "provider.example refused the API key"} {
		got := NewEndpoint(Target{URL: "https://provider.example/v1", KeyHeader: "X-Api-Key", Key: key}).Failure(401, nil, refusal)
		if got.Kind != Auth || !strings.Contains(got.Message, want) {
			t.Errorf("%v, want %q", got, want)
		}
	}
}

func TestEndpointAddress(t *testing.T) {
	for base, want := range map[string]string{
		"https://a.example/v1":                    "https://a.example/v1/x",
		"https://a.example/v1/":                   "https://a.example/v1/x",
		"http://127.0.0.1:11434/v1":               "http://127.0.0.1:11434/v1/x",
		"https://a.example/v1?api-version=2026-1": "https://a.example/v1/x?api-version=2026-1",
	} {
		if e := NewEndpoint(Target{URL: base, Path: "/x"}); e.url != want {
			t.Errorf("%s: %s, want %s", base, e.url, want)
		}
	}
}
