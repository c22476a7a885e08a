package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ibid/llm"
)

// A promptCache accounts for requests as the Messages API documents its cache: an entry is written at each breakpoint, and
// found where a later request has the very same blocks up to there and a breakpoint at most twenty blocks behind; tools
// and system come first, and messages depend on the tool choice. Nothing expires, as within one run nothing does.
type promptCache struct {
	entries map[[32]byte]bool
	last    [][32]byte // the blocks of the request before, each with all before it
}

const (
	cacheLookback = 20
	leastCached   = 1024 // tokens of the shortest entry
)

// account says how a request is paid for, whether it does not begin with all blocks of the request before, and what its
// last block says.
func (p *promptCache) account(body []byte) (use llm.Usage, broke bool, last string, err error) {
	blocks, err := promptBlocks(body)
	if err != nil {
		return use, false, "", err
	}
	chain := make([][32]byte, len(blocks))
	sums := make([]int64, len(blocks))
	var before [32]byte
	total := int64(0)
	for i, b := range blocks {
		before = sha256.Sum256(append(before[:], b.text...))
		total += int64(len(b.text)+3) / 4
		chain[i], sums[i] = before, total
	}
	last = string(blocks[len(blocks)-1].text)
	if !strings.Contains(last, "established_facts") { // a request for a summary adds what no later one has
		for i, sum := range p.last {
			broke = broke || i >= len(chain) || chain[i] != sum
		}
		p.last = chain
	}
	hit := -1
	for m := range blocks {
		for i := m; blocks[m].mark && i > hit && i > m-cacheLookback; i-- {
			if p.entries[chain[i]] {
				hit = i
			}
		}
	}
	if hit >= 0 {
		use.CacheRead = sums[hit]
	}
	cached := use.CacheRead
	for m, b := range blocks {
		if !b.mark || m <= hit || sums[m] < leastCached {
			continue
		}
		if p.entries == nil {
			p.entries = map[[32]byte]bool{}
		}
		p.entries[chain[m]] = true
		use.CacheWrite += sums[m] - cached
		cached = sums[m]
	}
	use.In, use.Known = total-cached, true
	return use, broke, last, nil
}

// promptBlock is one block of a prompt, without its cache_control.
type promptBlock struct {
	text []byte
	mark bool
}

var mark = []byte(`,"cache_control":{"type":"ephemeral"}`)

// promptRequest is what is read of a request of the Messages API.
type promptRequest struct {
	Tools    []json.RawMessage `json:"tools"`
	System   []json.RawMessage `json:"system"`
	Messages []struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	} `json:"messages"`
	Choice json.RawMessage `json:"tool_choice"`
}

func promptBlocks(body []byte) ([]promptBlock, error) {
	var r promptRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("a scripted request: %w", err)
	}
	var blocks []promptBlock
	add := func(raw []byte, salt string) {
		text := bytes.Replace(raw, mark, nil, 1)
		blocks = append(blocks, promptBlock{append(append([]byte(nil), text...), salt...), len(text) < len(raw)})
	}
	for _, t := range r.Tools {
		add(t, "")
	}
	for _, s := range r.System {
		add(s, "")
	}
	for _, m := range r.Messages {
		for _, c := range m.Content {
			add(c, string(r.Choice))
		}
	}
	if len(blocks) == 0 {
		return nil, errors.New("a scripted request is empty")
	}
	return blocks, nil
}
