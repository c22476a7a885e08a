package city

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Every fault at its place in the schedule, in both protocols, streamed and not; the call after it is well again.
func TestFaults(t *testing.T) {
	type check func(t *testing.T, r reply, stream bool)
	status := func(want int, says ...string) check {
		return func(t *testing.T, r reply, _ bool) {
			if r.status != want {
				t.Errorf("status %d, want %d", r.status, want)
			}
			for _, s := range says {
				if !strings.Contains(string(r.body), s) {
					t.Errorf("%s does not say %q", r.body, s)
				}
			}
		}
	}
	limited := func(t *testing.T, r reply, _ bool) {
		if r.status != 429 || r.header.Get("Retry-After") != "1" {
			t.Errorf("%d, Retry-After %q", r.status, r.header.Get("Retry-After"))
		}
	}
	broken := func(t *testing.T, r reply, _ bool) {
		if r.status != 200 || !errors.Is(r.err, io.ErrUnexpectedEOF) || len(r.body) < 50 {
			t.Errorf("%d %v after %d bytes", r.status, r.err, len(r.body))
		}
	}
	holds := func(whole, streamed string) check {
		return func(t *testing.T, r reply, stream bool) {
			want := whole
			if stream {
				want = streamed
			}
			if r.status != 200 || r.err != nil || !strings.Contains(string(r.body), want) {
				t.Errorf("%d %v: %s\ndoes not hold %s", r.status, r.err, r.body, want)
			}
		}
	}
	lacks := func(word string) check {
		return func(t *testing.T, r reply, _ bool) {
			if r.status != 200 || r.err != nil || strings.Contains(string(r.body), word) {
				t.Errorf("%d %v: %s\nholds %s", r.status, r.err, r.body, word)
			}
		}
	}
	streamError := func(said string) check {
		return func(t *testing.T, r reply, stream bool) {
			if want := map[bool]int{true: 200, false: 500}[stream]; r.status != want || r.err != nil || !strings.Contains(string(r.body), said) {
				t.Errorf("%d %v: %s", r.status, r.err, r.body)
			}
		}
	}
	slow := func(*testing.T, reply, bool) {}
	hasReset := func(t *testing.T, r reply, _ bool) {
		if !errors.Is(r.err, syscall.ECONNRESET) && !errors.Is(r.err, io.EOF) {
			t.Errorf("%d %v, want a reset", r.status, r.err)
		}
	}
	for _, f := range []struct {
		fault         Fault
		messages, gpt check
	}{
		{RateLimited, limited, limited},
		{Overloaded, status(529, "overloaded_error"), status(503, "server_error")},
		{ServerError, status(500, "api_error"), status(500, "server_error")},
		{BadGateway, status(502, "<html>"), status(502, "<html>")},
		{Quota, status(400, "credit balance is too low"), status(429, "insufficient_quota")},
		{Reset, hasReset, hasReset},
		{Slow, slow, slow},
		{TooLong, status(400, "prompt is too long:", "> 200000 maximum"), status(400, "context_length_exceeded")},
		{Cut, broken, broken},
		{StreamError, streamError("error"), streamError(`"error"`)},
		{MalformedArgs, holds(`"input":{}`, `"partial_json":"`), holds(`"arguments":"{\"quer"`, `"arguments":"{\"quer"`)},
		{LengthStop, holds(`"stop_reason":"max_tokens"`, `"stop_reason":"max_tokens"`), holds(`"finish_reason":"length"`, `"finish_reason":"length"`)},
		{NoContent, holds(`"content":[]`, `"content":[]`), holds(`"content":null`, `"content":null`)},
		{NoUsage, lacks("usage"), lacks(`"usage"`)},
		{Refusal, holds(`"stop_reason":"refusal"`, `"stop_reason":"refusal"`), holds(`"refusal":"I'm sorry`, `"refusal":"I'm sorry`)},
		{NoIDs, holds(`"id":"toolu_`, `"id":"toolu_`), lacks("call_city")},
		{OddFraming, holds(`"type":"message"`, ": keep-alive\r\n\r\nevent: "), holds(`"object":"chat.completion"`, ": keep-alive\r\n\r\ndata:{")},
	} {
		t.Run(strings.ReplaceAll(string(f.fault), " ", "-"), func(t *testing.T) {
			c := Start(t, Options{Answer: scripted, Faults: map[int]Fault{1: f.fault, 3: f.fault, 5: f.fault, 7: f.fault}})
			client := c.client(t)
			for _, stream := range []bool{false, true} {
				flag := map[bool]string{false: "false", true: "true"}[stream]
				for _, p := range []struct {
					url, body string
					headers   []string
					check     check
				}{
					{c.Anthropic + "/v1/messages", firstTurn(flag), claudeHeaders, f.messages},
					{c.OpenAI + "/chat/completions", chatTurn(flag), gptHeaders, f.gpt},
				} {
					start := time.Now()
					p.check(t, c.askWith(t, client, "POST", p.url, p.body, p.headers...), stream)
					if f.fault == Slow && time.Since(start) < Pause {
						t.Error("the slow answer came at once")
					}
					if r := c.askWith(t, client, "POST", p.url, p.body, p.headers...); r.status != 200 || r.err != nil {
						t.Errorf("the call after it: %d %v", r.status, r.err)
					}
				}
			}
			calls := c.ModelCalls()
			if len(calls) != 8 || calls[0].Fault != f.fault || calls[1].Fault != "" || calls[6].Fault != f.fault {
				t.Errorf("%d calls: %+v", len(calls), calls)
			}
		})
	}
}

// A stream arrives in portions that cut lines and characters: the chunks on the wire are of the odd sizes.
func TestStreamsArriveInOddPortions(t *testing.T) {
	c := Start(t, Options{Answer: scripted, Thinking: true})
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.api, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := firstTurn("true")
	fmt.Fprintf(conn, "POST /anthropic/v1/messages HTTP/1.1\r\nHost: city\r\n%s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", strings.Join(claudeHeaders, "\r\n"), len(body), body)
	raw, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(raw, []byte("\r\n\r\n"))
	var stream []byte
	for i := 0; ; i++ {
		line, after, _ := bytes.Cut(rest, []byte("\r\n"))
		n, err := strconv.ParseInt(string(line), 16, 32)
		if err != nil || len(after) < int(n)+2 {
			t.Fatalf("chunk %d: %q %v", i, line, err)
		}
		if n == 0 {
			break
		}
		if want := portions[i%len(portions)]; int(n) > want {
			t.Errorf("chunk %d has %d bytes, want %d", i, n, want)
		}
		stream = append(stream, after[:n]...)
		rest = after[n+2:]
	}
	assemble(t, stream)
}
