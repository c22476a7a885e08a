package city

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"ibid/llm"
	"ibid/research/extractive"
)

// A brain answers decoded requests, whichever protocol they came in.
type brain struct {
	answer func(context.Context, llm.Request) (llm.Response, error)
	draft  bool

	mu   *sync.Mutex
	args map[string]string // what was asked of each tool call, by the id that it got
}

func newBrain(o Options) brain {
	answer := o.Answer
	if answer == nil {
		answer = extractive.New(extractive.ID).Answer
	}
	judge := o.Judge
	if judge == nil {
		judge = overlap
	}
	mind := answer
	answer = func(ctx context.Context, r llm.Request) (llm.Response, error) {
		if p, asks := judged(r); asks {
			return judge(ctx, p)
		}
		return mind(ctx, r)
	}
	return brain{answer: answer, draft: o.Draft, mu: &sync.Mutex{}, args: map[string]string{}}
}

// think answers a request. The ids of its tool calls are of the shape that prefix begins.
func (b *brain) think(ctx context.Context, r llm.Request, prefix string) (llm.Response, error) {
	b.recall(r)
	resp, err := b.answer(ctx, r)
	if err != nil {
		return resp, err
	}
	if b.draft && len(resp.Calls()) == 0 && resp.Text() == "" {
		resp.Blocks = []llm.Block{{Text: draft(r)}}
	}
	if len(r.Tools) == 0 && len(resp.Calls()) == 0 && resp.Text() == "" { // a call that only tries whether anybody is there
		resp.Blocks = []llm.Block{{Text: "OK."}}
	}
	blocks := make([]llm.Block, 0, len(resp.Blocks))
	for i, block := range resp.Blocks {
		if block.Call != nil {
			call := *block.Call
			call.ID = prefix + callID(len(r.Messages), i, call)
			block.Call = &call
			b.mu.Lock()
			b.args[call.ID] = call.Args
			b.mu.Unlock()
		}
		if block.Call != nil || block.Text != "" {
			blocks = append(blocks, block)
		}
	}
	resp.Blocks = blocks
	return resp, nil
}

// callID tells calls apart, and is the same for the same call in the same place.
func callID(turn, i int, c llm.ToolCall) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(rune(turn)), string(rune(i)), c.ID, c.Name, c.Args}, "\x00")))
	return hex.EncodeToString(sum[:11])
}

// recall gives calls back the exact arguments that they were made with: on the wire they are JSON, and a client may send
// the same value in other bytes.
func (b *brain) recall(r llm.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			if block.Call == nil {
				continue
			}
			if made, known := b.args[block.Call.ID]; known && sameJSON(made, block.Call.Args) {
				block.Call.Args = made
			}
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
