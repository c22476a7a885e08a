package city

import (
	"bytes"
	"crypto/sha256"
	"sync"
)

// tokens counts four bytes to a token, rounded up.
func tokens(n int) int64 { return int64(n+3) / 4 }

// A unit is one block of a prompt, in the order tools, system, messages. Its bytes are without cache_control.
type unit struct {
	bytes []byte
	salt  string // what else the block depends on, without being tokens
	mark  bool   // a cache breakpoint stands at its end
	long  bool   // one that is kept for an hour
}

// cacheUse is how a prompt was paid for, in tokens.
type cacheUse struct {
	in, read, write, writeLong int64
}

// lookback is how many blocks a breakpoint looks for an earlier entry, itself counted.
const lookback = 20

// A blockCache is a prompt cache with breakpoints, as Anthropic documents it: an entry is written at each breakpoint,
// and found when a later prompt has the very same blocks up to there and a breakpoint at most 20 blocks behind. Nothing
// expires, as within one run nothing does.
type blockCache struct {
	mu      sync.Mutex
	entries map[[32]byte]bool
}

func (p *blockCache) account(units []unit, least int) cacheUse {
	p.mu.Lock()
	defer p.mu.Unlock()
	chain := make([][32]byte, len(units))
	sums := make([]int64, len(units)) // tokens up to and with each unit
	var before [32]byte
	total := int64(0)
	for i, u := range units {
		own := sha256.Sum256(u.bytes)
		before = sha256.Sum256(bytes.Join([][]byte{before[:], own[:], []byte(u.salt)}, nil))
		total += tokens(len(u.bytes))
		chain[i], sums[i] = before, total
	}
	hit := -1
	for m := range units {
		for i := m; units[m].mark && i > hit && i > m-lookback; i-- {
			if p.entries[chain[i]] {
				hit = i
			}
		}
	}
	var use cacheUse
	if hit >= 0 {
		use.read = sums[hit]
	}
	cached := use.read
	for m, u := range units {
		if !u.mark || m <= hit || sums[m] < int64(least) {
			continue
		}
		if p.entries == nil {
			p.entries = map[[32]byte]bool{}
		}
		p.entries[chain[m]] = true
		if u.long {
			use.writeLong += sums[m] - cached
		}
		use.write += sums[m] - cached
		cached = sums[m]
	}
	use.in = total - cached
	return use
}

// A prefixCache is a prompt cache without breakpoints, as OpenAI documents it: the longest beginning that an earlier
// prompt had too, from 1,024 tokens on, in steps of 128.
type prefixCache struct {
	mu      sync.Mutex
	prompts [][]byte // the latest
}

const (
	keptPrompts = 64
	cacheStep   = 128
)

func (p *prefixCache) account(prompt []byte, least int) cacheUse {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := 0
	for _, old := range p.prompts {
		n := 0
		for n < len(old) && n < len(prompt) && old[n] == prompt[n] {
			n++
		}
		best = max(best, n)
	}
	p.prompts = append(p.prompts, prompt)
	if len(p.prompts) > keptPrompts {
		p.prompts = p.prompts[1:]
	}
	use := cacheUse{in: tokens(len(prompt))}
	if read := int64(best) / 4 / cacheStep * cacheStep; read >= int64(least) {
		use.read, use.in = read, use.in-read
	}
	return use
}
