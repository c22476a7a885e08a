package fetch

import (
	"fmt"
	"strings"
)

// An exchangeFault says why an exchange gave no answer. Its code is finer than the outcome, and stable: tests and tables
// name it.
type exchangeFault struct {
	code     string
	outcome  Outcome
	reason   string // what happened, as the rest of a sentence about the page
	hint     string // what to do instead
	location string // of a page that Moved
}

// Codes of faults.
const (
	faultSyntax      = "syntax"            // no URL, or one that programs read differently
	faultScheme      = "scheme"            // neither http nor https
	faultUserinfo    = "userinfo"          // a user name or password in the URL
	faultPort        = "port"              // a port on which no pages are
	faultIDN         = "idn"               // an international name that is not valid, or made to deceive
	faultNumericHost = "host_numeric"      // an address in a spelling that programs read differently
	faultSpecialHost = "host_special"      // a name that is not of the public DNS
	faultSingleLabel = "host_single_label" // a name without a dot
	faultSpecialIP   = "ip_special"        // an address that is not of the public net
	faultExtraIP     = "ip_extra"          // an address that no registry lists, and that is still none of the public net
	faultDNS         = "dns"               // no address for the name
	faultConnect     = "connect"           // no connection
	faultTLS         = "tls"               // no connection that is sure to be with the host
	faultTimeout     = "timeout"
	faultHTTP        = "http"           // an answer against the protocol, or none
	faultHeader      = "header_too_big" // too much before the body
	faultTooLarge    = "too_large"
	faultRatio       = "ratio"      // a compression bomb
	faultEncoding    = "encoding"   // a content encoding that was not asked for, nested or broken
	faultShortBody   = "short_body" // it ended before its end
	faultRedirects   = "redirect_limit"
	faultDowngrade   = "downgrade" // a redirect from https to http
	faultMoved       = "host_gate" // a redirect to another site
)

// HintOther is the hint where nothing better is known.
const HintOther = "Take another source."

const (
	hintGone  = "Search for where it went, or take another source."
	hintCopy  = "Take another source, or a copy of it elsewhere."
	hintYours = "Use a URL that was given to you."
	hintAgain = "Try again later, or take another source."
	hintGiven = "Use a public http or https URL that a search found, in its ordinary spelling."
)

func refusedFault(code, format string, args ...any) *exchangeFault {
	return &exchangeFault{code: code, outcome: Refused, reason: fmt.Sprintf(format, args...), hint: hintGiven}
}

func failedFault(code, format string, args ...any) *exchangeFault {
	return &exchangeFault{code: code, outcome: Failed, reason: fmt.Sprintf(format, args...), hint: hintAgain}
}

func largeFault(code, format string, args ...any) *exchangeFault {
	return &exchangeFault{code: code, outcome: TooLarge, reason: fmt.Sprintf(format, args...), hint: HintOther}
}

func (f *exchangeFault) Error() string { return f.reason + ". " + f.hint }

func (f *exchangeFault) unavailable(url string) *Unavailable {
	return &Unavailable{URL: url, Outcome: f.outcome, Reason: f.reason, Hint: f.hint, Location: f.location}
}

// Excerpt is a text of a stranger for a message: at most n bytes of it, on one line.
func Excerpt(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > n {
		s = shorten(s, n) + "…"
	}
	return s
}
