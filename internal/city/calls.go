package city

import "ibid/llm"

// A ModelCall is one request to a model endpoint, as it was understood and answered.
type ModelCall struct {
	Protocol string // messages, chat, responses
	Stream   bool
	Request  llm.Request // zero where the request was refused
	Usage    llm.Usage   // as told; not Known where none was told
	Status   int
	Fault    Fault
}

// ModelCalls returns the calls of the model endpoints in the order of arrival.
func (c *City) ModelCalls() []ModelCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]ModelCall(nil), c.calls...)
}

// Usage is the sum over all model calls.
func (c *City) Usage() llm.Usage {
	sum := llm.Usage{Known: true}
	for _, call := range c.ModelCalls() {
		sum.In += call.Usage.In
		sum.CacheRead += call.Usage.CacheRead
		sum.CacheWrite += call.Usage.CacheWrite
		sum.Out += call.Usage.Out
	}
	return sum
}

// HitRate is the share of all prompt tokens that came from a prompt cache, 0…1.
func (c *City) HitRate() float64 {
	u := c.Usage()
	prompt := u.In + u.CacheRead + u.CacheWrite
	if prompt == 0 {
		return 0
	}
	return float64(u.CacheRead) / float64(prompt)
}

// begin counts a model call and says what is to go wrong with it.
func (c *City) begin(protocol string) (n int, fault Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = len(c.calls) + 1
	fault = c.options.Faults[n]
	c.calls = append(c.calls, ModelCall{Protocol: protocol, Fault: fault})
	return n, fault
}

// note fills in what is known of a call.
func (c *City) note(n int, fill func(*ModelCall)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fill(&c.calls[n-1])
}

// told is the usage that reached the client: an answer that broke off does not get as far.
func told(fault Fault, u llm.Usage) llm.Usage {
	if fault == Cut || fault == StreamError {
		return llm.Usage{}
	}
	return u
}
