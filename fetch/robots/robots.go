// Package robots reads robots.txt (RFC 9309): which paths a crawler may read, how slowly, and what the site allows to be
// done with them. It is pure: it fetches nothing.
package robots

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// MaxFile is how much of a robots.txt is read, in bytes; what follows is ignored (RFC 9309 §2.5 asks for at least that).
const MaxFile = 500 << 10

// A File is a parsed robots.txt. The zero File allows everything.
type File struct {
	groups []*group
}

// group is what is said to some agents: the product tokens in lower case, "*" for everybody.
type group struct {
	agents []string
	rules  []rule
	usages []usage
	delay  time.Duration
}

// Parse reads a robots.txt. There is no wrong one: lines that mean nothing are skipped, as are rules before the first
// group. Byte order marks, any line end, odd spacing, a missing colon and common misspellings are understood.
func Parse(body []byte) *File {
	if len(body) > MaxFile {
		body = body[:MaxFile]
		if end := bytes.LastIndexAny(body, "\r\n"); end >= 0 { // half a rule could mean another one
			body = body[:end]
		}
	}
	for _, mark := range []string{"\xef\xbb\xbf", "\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} { // in UTF-16 the zero bytes go later
		body = bytes.TrimPrefix(body, []byte(mark))
	}
	f := &File{}
	var open *group
	naming := false // the last line that counts was a User-agent: another one adds to the same group
	for line := range strings.FieldsFuncSeq(string(body), func(r rune) bool { return r == '\n' || r == '\r' }) {
		key, value := keyValue(line)
		if key == "user-agent" {
			if !naming {
				open = &group{}
				f.groups = append(f.groups, open)
			}
			naming = true
			open.agents = append(open.agents, agentName(value))
			continue
		}
		if open == nil {
			continue
		}
		switch key {
		case "allow", "disallow":
			naming = false
			open.add(key == "allow", value)
		case "crawl-delay":
			open.delay = max(open.delay, crawlDelay(value))
		case "content-signal", "content-usage":
			open.usages = append(open.usages, newUsage(value))
		}
	}
	return f
}

// keyValue splits a line and names its key as it is meant; an unknown key is "".
func keyValue(line string) (key, value string) {
	line, _, _ = strings.Cut(strings.ReplaceAll(line, "\x00", ""), "#")
	key, value, ok := strings.Cut(line, ":")
	if !ok { // a forgotten colon is seen where there are two words only
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return "", ""
		}
		key, value = fields[0], fields[1]
	}
	return spelling[strings.ToLower(strings.TrimSpace(key))], strings.TrimSpace(value)
}

// spelling maps the keys, and misspellings that large crawlers accept, to what they mean.
var spelling = map[string]string{
	"user-agent": "user-agent", "useragent": "user-agent", "user agent": "user-agent",
	"allow":    "allow",
	"disallow": "disallow", "dissallow": "disallow", "dissalow": "disallow", "disalow": "disallow", "diasllow": "disallow", "disallaw": "disallow",
	"crawl-delay": "crawl-delay", "crawldelay": "crawl-delay", "crawl delay": "crawl-delay",
	"content-signal": "content-signal", "content-signals": "content-signal",
	"content-usage": "content-usage",
}

// agentName is the product token that a User-agent line begins with, in lower case: letters, "_" and "-" (RFC 9309 §2.2.1).
func agentName(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-' || r == '_')
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.ToLower(value)
}

// of returns the groups that speak to an agent: those that name it, else those for everybody (RFC 9309 §2.2.1). Several
// count as one.
func (f *File) of(agent string) []*group {
	var own, all []*group
	agent = strings.ToLower(agent)
	for _, g := range f.groups {
		for _, name := range g.agents {
			if name == agent && agent != "" {
				own = append(own, g)
				break
			}
			if name == "*" {
				all = append(all, g)
				break
			}
		}
	}
	if own != nil {
		return own
	}
	return all
}

// Bounds of a crawl delay that is honoured.
const (
	minDelay = time.Second
	maxDelay = 30 * time.Second
)

// crawlDelay reads a number of seconds; 0 means that none is said.
func crawlDelay(value string) time.Duration {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(max(seconds, minDelay.Seconds()), maxDelay.Seconds()) * float64(time.Second))
}

// Delay is the time that the site wants between the starts of two requests of an agent: 0 if it says nothing, else 1 to
// 30 s. RFC 9309 has no such rule; many sites do.
func (f *File) Delay(agent string) time.Duration {
	var longest time.Duration
	for _, g := range f.of(agent) {
		longest = max(longest, g.delay)
	}
	return longest
}
