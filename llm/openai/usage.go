package openai

import (
	"encoding/json"
	"errors"

	"ibid/llm"
)

// usage counts tokens as Chat Completions does: prompt_tokens with what a cache read or wrote.
type usage struct {
	Prompt     llm.Count `json:"prompt_tokens"`
	Completion llm.Count `json:"completion_tokens"`
	Input      llm.Count `json:"input_tokens"` // instead of the two, from gateways to other protocols
	Output     llm.Count `json:"output_tokens"`
	Total      llm.Count `json:"total_tokens"`
	Details    struct {
		Read  llm.Count `json:"cached_tokens"`
		Write llm.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning llm.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Hit    llm.Count `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached llm.Count `json:"cached_tokens"`           // Moonshot
}

// add takes the last count that says anything: streams repeat it, and begin with null or zeros.
func (u *usage) add(raw json.RawMessage) {
	var more usage
	var field *json.UnmarshalTypeError // of a part that is none of ours; the others count
	if err := json.Unmarshal(raw, &more); len(raw) == 0 || err != nil && !errors.As(err, &field) {
		return
	}
	if more.Prompt == 0 && more.Completion == 0 {
		more.Prompt, more.Completion = more.Input, more.Output
	}
	if more.Prompt != 0 || more.Completion != 0 {
		*u = more
	}
}

// tokens is not Known where the counts cannot be true: no request is free, and no words are. Tokens of the total that
// are neither prompt nor completion are reasoning, which Gemini and xAI leave out of the completion.
func (u *usage) tokens(said bool) llm.Usage {
	read, write := max(u.Details.Read, u.Hit, u.Cached), u.Details.Write
	out, reasoning := u.Completion, u.Out.Reasoning
	if hidden := u.Total - u.Prompt - u.Completion; hidden > 0 {
		out, reasoning = out+hidden, max(reasoning, hidden)
	}
	for _, n := range []llm.Count{u.Prompt, out, read, write, reasoning} {
		if n < 0 || n > 1e12 {
			return llm.Usage{}
		}
	}
	if u.Prompt == 0 || said && out == 0 {
		return llm.Usage{}
	}
	read = min(read, u.Prompt)
	write = min(write, u.Prompt-read)
	return llm.Usage{In: int64(u.Prompt - read - write), CacheRead: int64(read), CacheWrite: int64(write), Out: int64(out),
		Reasoning: int64(min(reasoning, out)), Known: true}
}
