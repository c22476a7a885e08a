package openai

import (
	"testing"

	"ibid/llm"
	"ibid/llm/llmtest"
)

func TestConforms(t *testing.T) {
	llmtest.Conform(t, func(url string, stream bool) llm.Model {
		return New(Config{Name: "openai/test", Model: "test", URL: url, Key: llmtest.Key, Stream: stream})
	}, llmtest.OpenAI())
}
