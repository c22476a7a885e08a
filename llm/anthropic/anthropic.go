// Package anthropic is a codec for the Messages API (platform.claude.com/docs/en/api/messages). Its bytes are a pure
// function of the request, with cache breakpoints where the agent's history stays the same.
package anthropic

import (
	"context"
	"net/http"

	"ibid/llm"
)

// Version is the API version that the codec speaks.
const Version = "2023-06-01"

// A Config is one model behind the Messages API.
type Config struct {
	Name    string // in the journal and the price table: "anthropic/claude-sonnet-4-5"
	Model   string // on the wire: "claude-sonnet-4-5"
	URL     string // base, "https://api.anthropic.com"
	Key     string // sent as x-api-key; empty: Headers carry what authorises, or nothing is needed
	Stream  bool
	Client  *http.Client      // nil: http.DefaultClient
	Headers map[string]string // further headers; their values are kept as secret as the key

	NoTemperature bool // the model refuses a temperature: Opus from 4.7 on
	NoForcedTools bool // the model refuses forced tool use (it always thinks: Opus 5.5): required is then sent as auto
}

// A Model is an llm.Model. It is safe for concurrent use.
type Model struct {
	c  Config
	at *llm.Endpoint
}

// New makes a model. It does not reach for the network.
func New(c Config) *Model {
	return &Model{c: c, at: llm.NewEndpoint(llm.Target{URL: c.URL, Path: "/v1/messages", KeyHeader: "X-Api-Key", Key: c.Key,
		Header: map[string]string{"Anthropic-Version": Version}, Client: c.Client, Headers: c.Headers})}
}

// Name is Config.Name.
func (m *Model) Name() string { return m.c.Name }

// Send makes one exchange. An error object in an answer of status 200 is the error that it says.
func (m *Model) Send(ctx context.Context, body []byte, key string) ([]byte, error) {
	return m.at.Exchange(ctx, body, key, m.Decode)
}
