package gate

import (
	"fmt"
	"net/url"
	"strings"
)

// The rules that can ask, as they are named in requests, in the journal and in the configuration (GATE-1).
const (
	PolicyPath     = "path"     // the URL's path is on the blocked list
	PolicyScope    = "scope"    // the URL's host is not on the allowed list
	PolicyReads    = "reads"    // this many documents were read already
	PolicyMutation = "mutation" // the action changes something outside the run
	PolicyPlan     = "plan"     // a plan, or a new plan, is to be followed
	PolicySpend    = "spend"    // the run has cost this much already
	PolicySite     = "site"     // only a page named this site, neither the user nor a search
	PolicyTopic    = "topic"    // a sub-question that came up after reading has little to do with the question
	PolicyRender   = "render"   // a page's scripts would be run in a browser
)

// A Policy decides whether a person is needed. The zero value asks for nothing but mutations.
type Policy struct {
	BlockedPaths []string `json:"blocked_paths,omitempty"` // path elements, e.g. /login
	AllowedHosts []string `json:"allowed_hosts,omitempty"` // empty: any host; a host allows its subdomains
	AskAfter     int64    `json:"ask_after,omitempty"`     // reads; 0: never
	AskPlan      bool     `json:"ask_plan,omitempty"`      // every plan and revision
	AskAbove     int64    `json:"ask_above,omitempty"`     // millionths of a dollar spent; 0: never
	AllowChanges bool     `json:"allow_changes,omitempty"` // of the user's own files (kind change); other mutations are asked for
}

// Default is the policy of a run that was given none: paths that log in, administer or buy, and every read after the
// sixth.
func Default() Policy {
	return Policy{BlockedPaths: []string{"/login", "/admin", "/cart"}, AskAfter: 6}
}

// An Action is what a policy looks at, with what the run has done so far.
type Action struct {
	Kind     string // fetch, render, mcp (another program's tool), search, plan, write, change
	URL      string
	Mutates  bool
	Reads    int64 // documents read or reserved before this one
	MicroUSD int64 // spent before this one
}

// Check returns the first rule that wants a person, with the reason to show, or "" when none does. Borders come before
// extents, so that the reason shown is the gravest.
func (p Policy) Check(a Action) (policy, reason string) {
	if a.Mutates && !(a.Kind == "change" && p.AllowChanges) {
		return PolicyMutation, "this changes something outside the run"
	}
	if a.URL != "" {
		u, err := url.Parse(a.URL)
		if err != nil {
			return PolicyPath, "the URL cannot be read"
		}
		if blocked := p.blocked(u); blocked != "" {
			return PolicyPath, fmt.Sprintf("paths with %s are not read without asking", blocked)
		}
		if len(p.AllowedHosts) > 0 && u.Scheme != "file" && !p.allowed(u.Hostname()) {
			return PolicyScope, fmt.Sprintf("host %s is not among the allowed hosts", u.Hostname())
		}
	}
	if a.Kind == "plan" && p.AskPlan {
		return PolicyPlan, "the plan wants approval before it is followed"
	}
	if (a.Kind == "fetch" || a.Kind == "render" || a.Kind == "mcp") && p.AskAfter > 0 && a.Reads >= p.AskAfter {
		return PolicyReads, fmt.Sprintf("%d documents were read already", a.Reads)
	}
	if p.AskAbove > 0 && a.MicroUSD > p.AskAbove {
		return PolicySpend, fmt.Sprintf("the run has cost $%.4f already", float64(a.MicroUSD)/1e6)
	}
	return "", ""
}

// blocked returns the blocked path that u falls under: as whole path elements, anywhere in the decoded path, without
// regard to case, so that /en/Login and /%6Cogin count and /login-history does not.
func (p Policy) blocked(u *url.URL) string {
	path := "/" + strings.Trim(strings.ToLower(u.Path), "/") + "/"
	for _, b := range p.BlockedPaths {
		if want := strings.Trim(strings.ToLower(b), "/"); want != "" && strings.Contains(path, "/"+want+"/") {
			return b
		}
	}
	return ""
}

func (p Policy) allowed(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for _, h := range p.AllowedHosts {
		h = strings.TrimSuffix(strings.ToLower(h), ".")
		if host == h || strings.HasSuffix(host, "."+h) {
			return true
		}
	}
	return false
}
