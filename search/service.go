package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/time/rate"
)

const (
	maxAnswer    = 4 << 20 // bytes of one answer, decompressed
	maxWords     = 50      // of a query; Brave's limit, and more than a search engine uses
	exchangeTime = 20 * time.Second
	modelTime    = 2 * time.Minute // a model searches, reads and writes
)

// A service is a provider that is asked over HTTP.
type service struct {
	wire
	Config
	base   *url.URL
	client *http.Client
	limit  *rate.Limiter // nil: the service asks for no pace, or it is not the public one
}

func (s *service) Name() string { return s.wire.Name }

// Search asks the service. A query without a letter or digit asks for nothing, and nothing is asked.
func (s *service) Search(ctx context.Context, query string, n int) (Answer, error) {
	if n < 1 || n > MaxResults {
		n = MaxResults
	}
	query = shorten(query, s.query)
	if err := ctx.Err(); err != nil {
		return Answer{}, fmt.Errorf("search %s: %w", s.Name(), err)
	}
	if query == "" {
		return Answer{Results: []Result{}}, nil
	}
	answer, err := s.find(ctx, s, query, n)
	if err != nil && ctx.Err() != nil {
		return Answer{}, fmt.Errorf("search %s: %w", s.Name(), ctx.Err())
	}
	found := len(answer.Results)
	answer.Results = Clean(slices.DeleteFunc(answer.Results, onDisk), n)
	if err == nil && found > 0 && len(answer.Results) == 0 {
		err = &Error{Outcome: Failed, Reason: "none of its results has an address that can be read", Hint: hintLater}
	}
	if err == nil {
		return answer, nil
	}
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Outcome: Failed, Reason: err.Error(), Hint: hintLater}
	}
	if e.Outcome != Degraded {
		answer.Results = nil
	}
	return answer, s.signed(e)
}

// signed completes an error: whose it is, what to set, and no secret in any of it.
func (s *service) signed(e *Error) *Error {
	e.Provider = s.Name()
	if e.Hint == "" {
		e.Hint = s.hint(e)
	}
	e.Reason, e.Hint = s.redact(e.Reason), s.redact(e.Hint)
	if e.Err != nil && s.redact(e.Err.Error()) != e.Err.Error() {
		e.Err = errors.New(s.redact(e.Err.Error()))
	}
	return e
}

// onDisk says whether a result lies on this machine's disk, which no service out there can know of.
func onDisk(r Result) bool {
	address := strings.TrimSpace(r.URL)
	return len(address) >= 5 && strings.EqualFold(address[:5], "file:")
}

// A call is one exchange with a service.
type call struct {
	path    string
	params  url.Values
	header  map[string]string
	body    any                     // posted as JSON; nil: a GET
	xml     bool                    // the answer is; otherwise it is JSON
	refused func(status int) *Error // what a status means at this service, where it is special; may be nil
}

// do performs a call and returns the body of the answer, which begins like what was agreed on. Everything else is an
// *Error, or the error of the context.
func (s *service) do(ctx context.Context, c call) ([]byte, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	within := s.within
	if within == 0 {
		within = exchangeTime
	}
	inTime, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	req, err := s.request(inTime, c)
	if err != nil {
		return nil, &Error{Outcome: Failed, Reason: "the request cannot be made", Err: bare(err)}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, s.broken(inTime, within, "it cannot be reached", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, s.broken(inTime, within, "its answer broke off", err)
	case len(body) > maxAnswer:
		return nil, &Error{Outcome: Failed, Reason: fmt.Sprintf("its answer is longer than %d MiB", maxAnswer>>20), Hint: hintLater}
	}
	if e := refusal(resp, body, s.KeyEnv != "" && s.Key != "", s.Now()); e != nil {
		if c.refused != nil && e.Outcome != RateLimited {
			e = cmp.Or(c.refused(resp.StatusCode), e)
		}
		return nil, e
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	if looksRight := len(start) > 0 && (c.xml && start[0] == '<' && !isHTML(start) || !c.xml && start[0] == '{'); !looksRight {
		return nil, misread(body)
	}
	return start, nil
}

// wait keeps the service's pace.
func (s *service) wait(ctx context.Context) error {
	if s.limit == nil {
		return nil
	}
	err := s.limit.Wait(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &Error{Outcome: RateLimited, Reason: "other searches wait for its pace, and the time left does not reach", RetryAfter: s.pace}
}

func (s *service) request(ctx context.Context, c call) (*http.Request, error) {
	u := s.base.JoinPath(c.path)
	u.RawQuery = c.params.Encode()
	method, body := http.MethodGet, io.Reader(nil)
	if c.body != nil {
		data, err := json.Marshal(c.body)
		if err != nil {
			return nil, err
		}
		method, body = http.MethodPost, bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	agent := s.UserAgent
	if s.Contact != "" && !strings.Contains(agent, s.Contact) {
		agent += " (" + s.Contact + ")"
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "application/json")
	if c.xml {
		req.Header.Set("Accept", "application/atom+xml")
	}
	if c.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// broken is the error of an exchange that did not come to its end. The caller returns the context's own error if that
// ended it.
func (s *service) broken(inTime context.Context, within time.Duration, what string, err error) *Error {
	if errors.Is(inTime.Err(), context.DeadlineExceeded) {
		return &Error{Outcome: Failed, Reason: fmt.Sprintf("it did not answer within %v", within), Hint: hintLater}
	}
	err = bare(err)
	return &Error{Outcome: Failed, Reason: what + ": " + cut(plain(err.Error()), maxReason), Hint: hintLater, Err: err}
}

// bare takes the address off a network error: it may hold a key.
func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

var errRedirect = errors.New("it redirects to another place")

// client copies c with a rule for redirects: they stay on the host, since the key travels along in a header of its own.
func client(c *http.Client) *http.Client {
	own := http.Client{}
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		first := via[0]
		if len(via) > 3 || req.URL.Hostname() != first.URL.Hostname() || req.Method != first.Method || first.URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errRedirect
		}
		return nil
	}
	return &own
}

// shorten makes a query one line of at most n characters and maxWords words. A text without a letter or digit is none.
func shorten(query string, n int) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(query, ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	query = strings.Join(words[:min(len(words), maxWords)], " ")
	if utf8.RuneCountInString(query) > n {
		query = string([]rune(query)[:n])
		if i := strings.LastIndexByte(query, ' '); i > len(query)/2 {
			query = query[:i]
		}
	}
	if !strings.ContainsFunc(query, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return ""
	}
	return query
}

// terms are the words of a query without any sign that a query language could read.
func terms(query string) []string {
	return strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}
