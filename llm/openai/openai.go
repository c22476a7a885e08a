// Package openai is a codec for Chat Completions (platform.openai.com/docs/api-reference/chat), as OpenAI and the servers
// speak it that follow it: vLLM, llama.cpp, Ollama, LM Studio, OpenRouter, DeepSeek, Mistral, Gemini's compatible endpoint.
// How they differ in what they accept is data in Config; what they send is read as any of them sends it.
package openai

import (
	"context"
	"net/http"

	"ibid/llm"
)

// A Config is one model behind Chat Completions. Its zero quirks are what a local server wants.
type Config struct {
	Name    string // in the journal and the price table: "openai/gpt-5.1"
	Model   string // on the wire: "gpt-5.1"
	URL     string // base, "https://api.openai.com/v1"
	Key     string // sent as a bearer token; empty: Headers carry what authorises, or nothing is needed
	Stream  bool
	Client  *http.Client      // nil: http.DefaultClient
	Headers map[string]string // further headers; their values are kept as secret as the key

	MaxTokensField   string // what bounds the answer; empty: max_tokens. OpenAI's reasoning models want max_completion_tokens
	NoTemperature    bool   // the model refuses a temperature: reasoning models of OpenAI
	NoForcedTools    bool   // the model refuses forced tool use: required is then sent as auto
	NoStreamUsage    bool   // the server refuses stream_options, and reports usage unasked or never
	CacheKey         bool   // the server takes prompt_cache_key: OpenAI
	NoReasoning      bool   // reasoning is not sent back: servers that refuse the fields in a request
	RequireReasoning bool   // every assistant message must have reasoning_content, if empty: DeepSeek's thinking mode
	ShortIDs         bool   // call ids must be nine letters and digits: Mistral
}

// A Model is an llm.Model. It is safe for concurrent use.
type Model struct {
	c  Config
	at *llm.Endpoint
}

// New makes a model. It does not reach for the network.
func New(c Config) *Model {
	if c.MaxTokensField == "" {
		c.MaxTokensField = "max_tokens"
	}
	return &Model{c: c, at: llm.NewEndpoint(llm.Target{URL: c.URL, Path: "/chat/completions", KeyHeader: "Authorization",
		KeyScheme: "Bearer ", Key: c.Key, Client: c.Client, Headers: c.Headers})}
}

// Name is Config.Name.
func (m *Model) Name() string { return m.c.Name }

// Send makes one exchange. An error object in an answer of status 200 is the error that it says.
func (m *Model) Send(ctx context.Context, body []byte, key string) ([]byte, error) {
	return m.at.Exchange(ctx, body, key, m.Decode)
}
