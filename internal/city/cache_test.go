package city

import (
	"fmt"
	"strings"
	"testing"

	"ibid/llm"
)

// blocks makes units of n tokens each, told apart by their letter; a capital letter is a breakpoint.
func blocks(letters string, n int) []unit {
	var list []unit
	for _, r := range letters {
		list = append(list, unit{bytes: []byte(strings.Repeat(strings.ToLower(string(r)), 4*n)), mark: r >= 'A' && r <= 'Z'})
	}
	return list
}

func TestBlockCache(t *testing.T) {
	const n = 500
	for _, run := range []struct {
		name    string
		prompts []string
		want    []cacheUse
	}{
		{"append only", []string{"aB", "abcD", "abcdeF"}, []cacheUse{{0, 0, 1000, 0}, {0, 1000, 1000, 0}, {0, 2000, 1000, 0}}},
		{"what follows the last breakpoint is paid in full", []string{"aBcd", "aBcd"}, []cacheUse{{1000, 0, 1000, 0}, {1000, 1000, 0, 0}}},
		{"too short to keep", []string{"A", "A"}, []cacheUse{{500, 0, 0, 0}, {500, 0, 0, 0}}},
		{"a change early breaks all behind it", []string{"abC", "xbC", "abC"}, []cacheUse{{0, 0, 1500, 0}, {0, 0, 1500, 0}, {0, 1500, 0, 0}}},
		{"an earlier breakpoint survives a change behind it", []string{"aBcD", "aBxD"}, []cacheUse{{0, 0, 2000, 0}, {0, 1000, 1000, 0}}},
		{"without its breakpoint a changed tail finds nothing", []string{"abcD", "abxD"}, []cacheUse{{0, 0, 2000, 0}, {0, 0, 2000, 0}}},
		{"twenty blocks back are found", []string{"aB", "ab" + strings.Repeat("c", 18) + "D"}, []cacheUse{{0, 0, 1000, 0}, {0, 1000, 9500, 0}}},
		{"twenty-one are not", []string{"aB", "ab" + strings.Repeat("c", 19) + "D"}, []cacheUse{{0, 0, 1000, 0}, {0, 0, 11000, 0}}},
		{"unless a breakpoint stands nearer", []string{"aB", "aB" + strings.Repeat("c", 19) + "D"}, []cacheUse{{0, 0, 1000, 0}, {0, 1000, 10000, 0}}},
		{"no breakpoint, no cache", []string{"abc", "abc"}, []cacheUse{{1500, 0, 0, 0}, {1500, 0, 0, 0}}},
	} {
		var p blockCache
		for i, prompt := range run.prompts {
			if got := p.account(blocks(prompt, n), 1000); got != run.want[i] {
				t.Errorf("%s: prompt %d (%s): %+v, want %+v", run.name, i+1, prompt, got, run.want[i])
			}
		}
	}
}

func TestPrefixCache(t *testing.T) {
	var p prefixCache
	long := []byte(strings.Repeat("abcd", 2000))
	for i, c := range []struct {
		prompt []byte
		want   cacheUse
	}{
		{long, cacheUse{in: 2000}},
		{append(append([]byte{}, long...), "more"...), cacheUse{in: 2001 - 1920, read: 1920}},
		{append([]byte("x"), long...), cacheUse{in: 2001}},
		{append(append([]byte{}, long[:4000]...), strings.Repeat("y", 4000)...), cacheUse{in: 2000}}, // 1,000 tokens in common
		{append(append([]byte{}, long[:4800]...), "end"...), cacheUse{in: 1201 - 1152, read: 1152}},
	} {
		if got := p.account(c.prompt, 1024); got != c.want {
			t.Errorf("prompt %d: %+v, want %+v", i+1, got, c.want)
		}
	}
}

// Over the wire: a growing conversation with breakpoints after the tools and at its end is read from the cache but for
// what is new, and every token is counted once.
func TestCacheOverTheWire(t *testing.T) {
	c := Start(t, Options{Answer: scripted, MinCache: 100})
	mark := `,"cache_control":{"type":"ephemeral"}`
	text := func(s string, marked bool) string {
		m := ""
		if marked {
			m = mark
		}
		return `[{"type":"text","text":"` + strings.Repeat(s, 400) + `"` + m + `}]`
	}
	request := func(choice string, turns ...string) string {
		var messages []string
		for i, s := range turns {
			messages = append(messages, fmt.Sprintf(`{"role":"%s","content":%s}`, [2]string{"user", "assistant"}[i%2], text(s, i == len(turns)-1)))
		}
		return `{"model":"claude-city-1","max_tokens":10,"tool_choice":{"type":"` + choice + `"},"tools":[` + searchTool + `],"system":` + text("s", true) + `,"messages":[` + strings.Join(messages, ",") + `]}`
	}
	var use []llm.Usage
	for _, body := range []string{request("auto", "a"), request("auto", "a", "b", "c"), request("auto", "a", "b", "c"), request("none", "a", "b", "c")} {
		if got := c.ask(t, "POST", c.Anthropic+"/v1/messages", body, claudeHeaders...); got.status != 200 {
			t.Fatalf("%s", got.body)
		}
		calls := c.ModelCalls()
		use = append(use, calls[len(calls)-1].Usage)
	}
	block := tokens(len(`{"text":"","type":"text"}`) + 400)
	head := tokens(len(compact([]byte(sorted(searchTool))))) + block // tools and system
	for i, want := range []llm.Usage{
		{CacheWrite: head + block},
		{CacheRead: head + block, CacheWrite: 2 * block},
		{CacheRead: head + 3*block},
		{CacheRead: head, CacheWrite: 3 * block}, // another tool choice keeps tools and system only
	} {
		want.Out, want.Known = use[i].Out, true
		if use[i] != want {
			t.Errorf("call %d: %+v, want %+v", i+1, use[i], want)
		}
	}
	sum := c.Usage()
	if rate := float64(sum.CacheRead) / float64(sum.CacheRead+sum.CacheWrite); c.HitRate() != rate || rate < 0.5 {
		t.Errorf("hit rate %v, want %v", c.HitRate(), rate)
	}
}

// sorted is a JSON object with its members in order of name.
func sorted(s string) string {
	f, _ := object([]byte(s))
	return string(f.without())
}

func TestAutomaticBreakpoint(t *testing.T) {
	c := Start(t, Options{Answer: scripted, MinCache: 1})
	body := strings.Replace(conversation(userAsks), `"max_tokens"`, `"cache_control":{"type":"ephemeral"},"max_tokens"`, 1)
	for range 2 {
		c.ask(t, "POST", c.Anthropic+"/v1/messages", body, claudeHeaders...)
	}
	calls := c.ModelCalls()
	if calls[0].Usage.CacheWrite == 0 || calls[1].Usage.CacheRead != calls[0].Usage.CacheWrite || calls[1].Usage.In != 0 {
		t.Errorf("%+v then %+v", calls[0].Usage, calls[1].Usage)
	}
}

func TestChatTellsWhatWasCached(t *testing.T) {
	c := Start(t, Options{Answer: scripted, MinCache: 128})
	body := chatWith(`{"role":"user","content":"` + strings.Repeat("word ", 1000) + `"}`)
	var cached, prompt float64
	for range 2 {
		v := c.ask(t, "POST", c.OpenAI+"/chat/completions", body, gptHeaders...).value(t)
		cached, prompt = at(v, "usage", "prompt_tokens_details", "cached_tokens").(float64), at(v, "usage", "prompt_tokens").(float64)
	}
	if cached == 0 || int(cached)%cacheStep != 0 || prompt < cached {
		t.Errorf("%v of %v cached", cached, prompt)
	}
	u := c.ModelCalls()[1].Usage
	if float64(u.In+u.CacheRead) != prompt || float64(u.CacheRead) != cached {
		t.Errorf("the log says %+v, the answer %v of %v", u, cached, prompt)
	}
}
