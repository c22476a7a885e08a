package openai

import (
	"encoding/json"

	"ibid/llm"
)

// usage counts tokens as Chat Completions does: prompt_tokens with what a cache read or wrote.
type usage struct {
	Prompt     float64 `json:"prompt_tokens"`
	Completion float64 `json:"completion_tokens"`
	Total      float64 `json:"total_tokens"`
	Details    struct {
		Read  float64 `json:"cached_tokens"`
		Write float64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Hit    float64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached float64 `json:"cached_tokens"`           // Moonshot
}

// add takes the last count that says anything: streams repeat it, and begin with null or zeros.
func (u *usage) add(raw json.RawMessage) {
	var more usage
	if len(raw) == 0 || json.Unmarshal(raw, &more) != nil || more.Prompt == 0 && more.Completion == 0 {
		return
	}
	*u = more
}

// tokens is not Known where the counts cannot be true: no request is free, and no words are. Tokens of the total that
// are neither prompt nor completion are reasoning, which Gemini and xAI leave out of the completion.
func (u *usage) tokens(said bool) llm.Usage {
	read, write := max(u.Details.Read, u.Hit, u.Cached), u.Details.Write
	out, reasoning := u.Completion, u.Out.Reasoning
	if hidden := u.Total - u.Prompt - u.Completion; hidden > 0 {
		out, reasoning = out+hidden, max(reasoning, hidden)
	}
	for _, n := range []float64{u.Prompt, out, read, write, reasoning} {
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
