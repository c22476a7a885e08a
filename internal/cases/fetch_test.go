package cases

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/fetch/sites"
)

// fetchOps are the operations of the bank that fetch code answers.
var fetchOps = map[string]func(*testing.T, failureCase){
	"fetch":           fetchPage,
	"http_classify":   httpClassify,
	"source_identity": sourceIdentity,
	"url_key":         urlKey,
}

// recordedExchange is a recorded answer, as the bank writes it.
type recordedExchange struct {
	Status     int               `json:"status"`
	Headers    map[string]string `json:"headers"`
	BodyFile   string            `json:"body_file"`
	Body       json.RawMessage   `json:"body"`
	RequestURL string            `json:"request_url"`
	FinalURL   string            `json:"final_url"`
}

func (c failureCase) recordedExchange(t *testing.T, name string) recordedExchange {
	t.Helper()
	var e recordedExchange
	if err := json.Unmarshal(c.file(t, name), &e); err != nil {
		t.Fatal(err)
	}
	if e.BodyFile != "" {
		e.Body = c.file(t, e.BodyFile)
	}
	return e
}

func (e recordedExchange) response(url string) *fetch.Response {
	r := &fetch.Response{URL: url, Status: e.Status, Header: http.Header{}, Body: e.Body}
	for name, value := range e.Headers {
		r.Header.Set(name, value)
	}
	return r
}

// recorded is a web of recorded answers. What it has no answer for is answered by any, if that is set, but for robots.txt.
type recorded struct {
	answers map[string]*fetch.Response
	any     *recordedExchange
	mu      sync.Mutex
	asked   []string
}

func (w *recorded) answer(url string) *fetch.Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, url)
	switch a := w.answers[url]; {
	case a != nil:
		return a
	case w.any != nil && !strings.HasSuffix(url, "/robots.txt"):
		return w.any.response(url)
	}
	return &fetch.Response{URL: url, Status: 404, Header: http.Header{}}
}

// Do answers without a net.
func (w *recorded) Do(_ context.Context, r fetch.Request) (*fetch.Response, error) {
	return w.answer(r.URL), nil
}

// ServeHTTP answers with the very bytes that were recorded, whatever they declare.
func (w *recorded) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	a := w.answer("https://" + r.Host + r.URL.RequestURI())
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nConnection: close\r\n", a.Status, http.StatusText(a.Status))
	a.Header.Write(&b)
	fmt.Fprintf(&b, "\r\n%s", a.Body)
	conn.Write(b.Bytes())
}

// client is the product's guarded client, to which some hosts stand on a local server.
func (w *recorded) client(t *testing.T, hosts ...string) *fetch.Client {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(w)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	c := fetch.ClientConfig{UserAgent: "ibid-test", Resolve: map[string]string{}, RootCAs: x509.NewCertPool(), Timeout: 5 * time.Second,
		AllowAddresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	c.RootCAs.AddCert(cert)
	for _, host := range hosts {
		c.Resolve[host] = server.Listener.Addr().String()
	}
	return fetch.NewClient(c)
}

// readerOver is the product's way from a URL to a reading, over a client.
func readerOver(client fetch.Doer, now time.Time) *corpus.Reader {
	clock := func() time.Time { return now }
	live := fetch.NewLive(fetch.LiveConfig{Client: client, Agent: "ibid", Interval: time.Nanosecond, Now: clock})
	return &corpus.Reader{Fetcher: sites.New(sites.Config{Client: client, Web: live, Now: clock}), Extract: extract.Extract}
}

// outcomeWords are the bank's words for outcomes.
var outcomeWords = map[fetch.Outcome]string{fetch.Moved: "redirect", fetch.Refused: "denied", fetch.Failed: "unavailable"}

func fetchOutcome(t *testing.T, err error) (string, *fetch.Unavailable) {
	t.Helper()
	if err == nil {
		return "ok", nil
	}
	var e *fetch.Unavailable
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if word := outcomeWords[e.Outcome]; word != "" {
		return word, e
	}
	return string(e.Outcome), e
}

// fetchPage reads a page whose exchange was recorded, through the whole path from the wire to the corpus.
func fetchPage(t *testing.T, c failureCase) {
	first := c.recordedExchange(t, c.str("exchange"))
	web := &recorded{answers: map[string]*fetch.Response{}, any: &first}
	urls := []string{c.str("url")}
	if first.FinalURL != "" { // it redirected there
		web.answers[urls[0]] = &fetch.Response{URL: urls[0], Status: 302, Header: http.Header{"Location": {first.FinalURL}}}
		urls = append(urls, first.FinalURL)
	}
	var hosts []string
	for _, raw := range urls {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, u.Hostname())
	}
	read := readerOver(web.client(t, hosts...), time.Unix(1_760_000_000, 0))
	if c.str("second") != "" {
		followed(t, c, web, read)
		return
	}
	for _, u := range urls {
		readPage(t, c, read, u)
	}
}

func readPage(t *testing.T, c failureCase, read *corpus.Reader, url string) {
	reading, err := read.Read(t.Context(), url)
	outcome, _ := fetchOutcome(t, err)
	var texts []string
	if err == nil {
		for _, b := range reading.Blocks {
			if b.Quotable {
				texts = append(texts, b.Text)
			}
		}
		if slices.Contains(reading.Source.Flags, fetch.FlagPaywall) {
			outcome = "partial"
			if reason, ok := c.Expect["reason"].(string); ok && reason != "paywall" {
				t.Errorf("the reason is paywall, want %s", reason)
			}
		}
	}
	if outcome != c.Expect["outcome"] {
		t.Errorf("%s (%v), want %v", outcome, err, c.Expect["outcome"])
	}
	if want, ok := c.Expect["citable"].(bool); ok && (len(texts) > 0) != want {
		t.Errorf("%d spans; citable: want %v", len(texts), want)
	}
	if n, ok := c.Expect["chunks"].(float64); ok && len(texts) != int(n) {
		t.Errorf("%d spans, want %v: %q", len(texts), n, texts)
	}
	if want, ok := c.Expect["retry_same_url"].(bool); ok && want != (outcome == "rate_limited" || outcome == "unavailable" || outcome == "incomplete") {
		t.Errorf("%s; to be tried again: want %v", outcome, want)
	}
	text := strings.Join(strings.Fields(strings.Join(texts, "\n")), " ")
	for _, want := range strs(c.Expect["text_contains"]) {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	for _, no := range strs(c.Expect["text_not_contains"]) {
		if strings.Contains(text, no) {
			t.Errorf("%q is in %q", no, text)
		}
	}
}

// followed reads a page that leads on to a second one, and goes where that one leads, as far as it is let.
func followed(t *testing.T, c failureCase, web *recorded, read *corpus.Reader) {
	next, _ := c.Expect["follow_url"].(string)
	second := c.recordedExchange(t, c.str("second"))
	web.answers[next] = second.response(next)
	_, err := read.Read(t.Context(), c.str("url"))
	if c.Expect["outcome"] != "redirect" || !slices.Contains(web.asked, next) {
		t.Errorf("asked for %q, want %s among them", web.asked, next)
	}
	outcome, e := fetchOutcome(t, err)
	if e != nil && e.Location != "" {
		_, err = read.Read(t.Context(), e.Location)
		outcome, _ = fetchOutcome(t, err)
	}
	if outcome != c.Expect["second_outcome"] {
		t.Errorf("the second page: %s (%v), want %v", outcome, err, c.Expect["second_outcome"])
	}
}

// httpClassify names the outcomes of recorded answers of an API.
func httpClassify(t *testing.T, c failureCase) {
	now := time.Now()
	if n, ok := c.Input["now"].(float64); ok {
		now = time.Unix(int64(n), 0)
	}
	outcomes, waits := strs(c.Expect["outcomes"]), c.Expect["retry_after_s"].([]any)
	for i, name := range strs(c.Input["exchanges"]) {
		e := c.recordedExchange(t, name)
		live := fetch.NewLive(fetch.LiveConfig{Client: &recorded{any: &e}, Agent: "ibid", Interval: time.Nanosecond, Now: func() time.Time { return now }})
		_, err := live.Fetch(t.Context(), "https://api.github.com/repos/halden/locks")
		got, u := fetchOutcome(t, err)
		if got == "blocked" {
			got = "forbidden"
		}
		if got != outcomes[i] {
			t.Errorf("%s: %s (%v), want %s", name, got, err, outcomes[i])
		}
		want, _ := waits[i].(float64)
		if u != nil && u.RetryAfter.Seconds() != want {
			t.Errorf("%s: retry after %v, want %v s", name, u.RetryAfter, want)
		}
	}
}

// sourceIdentity reads pages and asks which of them the corpus takes for one source, in both orders.
func sourceIdentity(t *testing.T, c failureCase) {
	pages := map[string]string{}
	web := &recorded{answers: map[string]*fetch.Response{}}
	for name, url := range c.Input["pages"].(map[string]any) {
		pages[name] = url.(string)
		canonical, err := fetch.CanonicalURL(pages[name])
		if err != nil {
			t.Fatal(err)
		}
		web.answers[canonical] = &fetch.Response{URL: canonical, Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: c.file(t, name)}
	}
	read := readerOver(web, time.Unix(1_760_000_000, 0))
	ingest := func(into *corpus.Corpus, name string) string {
		r, err := read.Read(t.Context(), pages[name])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id, _ := into.Ingest(*r)
		return id
	}
	shown, _ := c.Expect["display_url"].(map[string]any)
	check := func(pair []string, same bool) {
		for _, order := range [][]string{pair, {pair[1], pair[0]}} {
			into := corpus.New()
			a, b := ingest(into, order[0]), ingest(into, order[1])
			if (a == b) != same {
				t.Errorf("%v: one source: %v, want %v", order, a == b, same)
			}
			for _, name := range order {
				if want, ok := shown[name].(string); ok && same {
					if s, _ := into.Source(a); s.URL != want {
						t.Errorf("%v: shown as %s, want %s", order, s.URL, want)
					}
				}
			}
		}
	}
	for _, pair := range c.Expect["same"].([]any) {
		check(strs(pair), true)
	}
	for _, pair := range c.Expect["different"].([]any) {
		check(strs(pair), false)
	}
}

// urlKey checks groups of spellings of one URL, and of URLs that differ.
func urlKey(t *testing.T, c failureCase) {
	groups := urlGroups(t, c)
	if len(groups.Equal)+len(groups.Different) == 0 {
		t.Skip("not run: its groups are written in another form")
	}
	key := func(url string) string {
		k, err := fetch.CanonicalURL(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		}
		return k
	}
	for _, group := range groups.Equal {
		for _, url := range group {
			if key(url) != key(group[0]) {
				t.Errorf("%s and %s are told apart", url, group[0])
			}
		}
	}
	for _, group := range groups.Different {
		seen := map[string]string{}
		for _, url := range group {
			if other, twice := seen[key(url)]; twice {
				t.Errorf("%s and %s are taken for one", url, other)
			}
			seen[key(url)] = url
		}
	}
}

// urlSets are groups of URLs that are one, and of such that are not.
type urlSets struct{ Equal, Different [][]string }

// urlGroups reads the groups of a case: lists under "equal" and "different", or pairs whose last element says which they
// are.
func urlGroups(t *testing.T, c failureCase) (groups urlSets) {
	t.Helper()
	for _, name := range strs(c.Input["files"]) {
		body := bytes.TrimSpace(c.file(t, name))
		var pairs [][]any
		if json.Unmarshal(body, &groups) == nil || json.Unmarshal(body, &pairs) != nil {
			continue
		}
		for _, pair := range pairs {
			if len(pair) < 3 {
				continue
			}
			urls := strs(pair[:len(pair)-1])
			switch pair[len(pair)-1] {
			case true, "equal", "same":
				groups.Equal = append(groups.Equal, urls)
			case false, "different":
				groups.Different = append(groups.Different, urls)
			}
		}
	}
	return groups
}
