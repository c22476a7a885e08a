package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ibid/search"
	"ibid/search/searchtest"
)

// reply is one answer of a server.
type reply struct {
	status int
	header map[string]string
	body   string
}

// An actor is a server that gives the answer which it is told to give.
type actor struct {
	address string
	reply   atomic.Pointer[reply]
}

func act(t *testing.T) *actor {
	a := &actor{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r := a.reply.Load()
		for name, value := range r.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(r.status)
		io.WriteString(w, r.body)
	}))
	t.Cleanup(server.Close)
	a.address = server.URL
	return a
}

// ask searches with a provider whose server always gives this answer.
func (a *actor) ask(t *testing.T, name string, r reply) (search.Answer, *search.Error) {
	t.Helper()
	a.reply.Store(&r)
	answer, err := open(t, name, a.address).Search(t.Context(), searchtest.Known, 8)
	var e *search.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%s: %v is no *Error", name, err)
	}
	if e != nil && e.Outcome != search.Degraded && (len(answer.Results) > 0 || name != "openai" && name != "anthropic" && (answer.Tokens != 0 || answer.MicroUSD != 0)) {
		t.Errorf("%s: a failure with an answer: %+v", name, answer)
	}
	return answer, e
}

// outcome spells what came of a search.
func outcome(answer search.Answer, e *search.Error) search.Outcome {
	switch {
	case e != nil:
		return e.Outcome
	case len(answer.Results) == 0:
		return "empty"
	}
	return "ok"
}

const page = "<!DOCTYPE html><html><head><title>%s</title></head><body>%[1]s</body></html>"

// What any server may answer, whoever it plays.
func TestFailuresOfEveryProvider(t *testing.T) {
	tests := []struct {
		name string
		reply
		want search.Outcome
	}{
		{"too many requests", reply{429, nil, `{"message":"Too Many Requests"}`}, search.RateLimited},
		{"too many requests, no words", reply{429, nil, ""}, search.RateLimited},
		{"accepted, with a page for people", reply{202, nil, fmt.Sprintf(page, "Please confirm that a person is searching.")}, search.RateLimited},
		{"a challenge with a good status", reply{200, nil, fmt.Sprintf(page, "Just a moment...")}, search.RateLimited},
		{"a challenge by its header", reply{503, map[string]string{"Cf-Mitigated": "challenge"}, ""}, search.RateLimited},
		{"unavailable until later", reply{503, map[string]string{"Retry-After": "30"}, "Service Unavailable"}, search.RateLimited},
		{"a sentence instead of an answer", reply{200, nil, "Rate exceeded."}, search.RateLimited},
		{"payment required", reply{402, nil, `{"error":"Payment Required"}`}, search.Quota},
		{"the quota in a 429", reply{429, nil, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}`}, search.Quota},
		{"a bad request for want of credits", reply{400, nil, `{"message":"Not enough credits","statusCode":400}`}, search.Quota},
		{"unauthorised", reply{401, nil, `{"error":"Invalid API key"}`}, search.Unauthorised},
		{"server fault", reply{500, nil, `{"error":"internal"}`}, search.Failed},
		{"bad gateway with a page", reply{502, nil, fmt.Sprintf(page, "502 Bad Gateway")}, search.Failed},
		{"unavailable", reply{503, nil, ""}, search.Failed},
		{"bad request", reply{400, nil, `{"error":"Bad Request"}`}, search.Failed},
		{"not found", reply{404, nil, "404 page not found"}, search.Failed},
		{"not found, with a page of credits", reply{404, nil, fmt.Sprintf(page, "Not found") + "<p>Photo credits: the harbour. Forgot your access token?"}, search.Failed},
		{"a page that wants a proof", reply{403, nil, fmt.Sprintf(page, "Access denied") + "<p>Please verify that you are human."}, search.RateLimited},
		{"a page where an answer is due", reply{200, nil, fmt.Sprintf(page, "Welcome")}, search.Failed},
		{"nothing at all", reply{200, nil, ""}, search.Failed},
		{"null", reply{200, nil, "null"}, search.Failed},
		{"an object without the list", reply{200, nil, "{}"}, search.Failed},
		{"lists that are null", reply{200, nil, `{"results":null,"organic":null,"pages":null,"data":null,"message":{"items":null},"web":{"results":null},"esearchresult":{"idlist":null},"content":null,"output":null}`}, search.Failed},
		{"lists that are none", reply{200, nil, `{"results":{},"organic":7,"pages":"","data":{},"message":{"items":{}},"web":{"results":1},"esearchresult":{"idlist":"1"},"content":{},"output":"x"}`}, search.Failed},
		{"broken JSON", reply{200, nil, `{"results":[{"title":"a`}, search.Failed},
		{"an error with a good status", reply{200, nil, `{"error":"something went wrong"}`}, search.Failed},
		{"a rate limit with a good status", reply{200, nil, `{"error":"API rate limit exceeded"}`}, search.RateLimited},
		{"a redirect elsewhere", reply{302, map[string]string{"Location": "https://elsewhere.example/"}, ""}, search.Failed},
	}
	server := act(t)
	for _, k := range search.Kinds() {
		for _, tt := range tests {
			answer, e := server.ask(t, k.Name, tt.reply)
			if got := outcome(answer, e); got != tt.want {
				t.Errorf("%s, %s: %s, want %s (%v)", k.Name, tt.name, got, tt.want, e)
				continue
			}
			if e.Provider != k.Name || e.Reason == "" || e.Hint == "" || strings.ContainsAny(e.Reason, "\n<") || len(e.Reason) > 600 {
				t.Errorf("%s, %s: %+v", k.Name, tt.name, e)
			}
		}
	}
}

// What one provider says in its own way.
func TestFailuresInTheirOwnWords(t *testing.T) {
	feed := func(inside string) string {
		return `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">` + inside + `</feed>`
	}
	tests := []struct {
		provider string
		reply
		want search.Outcome
		says string // part of the error
	}{
		{"tavily", reply{432, nil, `{"detail":{"error":"This request exceeds your plan's set usage limit. Please upgrade your plan or contact support"}}`}, search.Quota, "usage limit"},
		{"tavily", reply{433, nil, `{"detail":{"error":"This request exceeds the pay-as-you-go limit."}}`}, search.Quota, "433"},
		{"tavily", reply{429, map[string]string{"Retry-After": "7"}, `{"detail":{"error":"Your request has been blocked due to excessive requests."}}`}, search.RateLimited, "Wait 7 s"},
		{"brave", reply{422, nil, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid.","status":422,"meta":{"component":"authentication"}}}`}, search.Unauthorised, "BRAVE_API_KEY"},
		{"brave", reply{422, nil, `{"type":"ErrorResponse","error":{"code":"VALIDATION","detail":"Unable to validate request parameter(s)","status":422}}`}, search.Failed, "validate"},
		{"brave", reply{429, map[string]string{"X-RateLimit-Reset": "1, 1419704"}, `{"error":{"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan.","meta":{"plan":"Free","quota_limit":2000}}}`}, search.RateLimited, "Wait 1 s"},
		{"brave", reply{429, nil, `{"error":{"code":"QUOTA_LIMITED","detail":"Request quota limit exceeded for plan.","meta":{"component":"rate_limiter"}}}`}, search.Quota, "api-dashboard"},
		{"brave", reply{200, nil, `{"type":"search","query":{"original":"x"}}`}, "empty", ""},
		{"brave", reply{200, nil, `{"type":"search","query":{"original":"x"},"web":{"type":"search","results":[]}}`}, "empty", ""},
		{"exa", reply{402, nil, `{"requestId":"r","error":"You have exceeded your credits limit.","tag":"NO_MORE_CREDITS"}`}, search.Quota, "402"},
		{"serper", reply{403, nil, `{"message":"Unauthorized.","statusCode":403}`}, search.Unauthorised, "SERPER_API_KEY"},
		{"serper", reply{200, nil, `{"searchParameters":{"q":"x"},"credits":1}`}, "empty", ""},
		{"searxng", reply{403, nil, fmt.Sprintf(page, "403 Forbidden")}, search.Failed, "settings.yml"},
		{"searxng", reply{401, nil, ""}, search.Unauthorised, "user:password@host"},
		{"searxng", reply{200, nil, `{"results":[],"unresponsive_engines":[["brave","too many requests"],["google"],[]]}`}, search.Failed, "brave (too many requests), google, an engine"},
		{"searxng", reply{200, nil, `{"results":[{"url":"https://a.example/","title":"A","content":null}],"unresponsive_engines":[["google","CAPTCHA"]]}`}, search.Degraded, "google (CAPTCHA)"},
		{"searxng", reply{200, nil, `{"results":[]}`}, "empty", ""},
		{"searxng", reply{200, nil, `{"results":[],"unresponsive_engines":["google"]}`}, search.Failed, "google"},
		{"searxng", reply{200, nil, `{"results":[{"url":"https://a.example/"}],"unresponsive_engines":{"google":"CAPTCHA"}}`}, search.Degraded, "google"},
		{"serper", reply{200, nil, `{"searchParameters":{"q":"x"},"organic":{}}`}, search.Failed, "no list"},
		{"serper", reply{200, nil, `{"searchParameters":{"q":"x"},"message":"Try again later"}`}, search.Failed, "Try again later"},
		{"semanticscholar", reply{200, nil, `{"total":0,"error":"index is being built"}`}, search.Failed, "being built"},
		{"wikipedia", reply{200, nil, `{"error":{"code":"cirrussearch-too-busy-error","info":"Search is currently too busy. Please try again later."}}`}, search.RateLimited, "too busy"},
		{"wikipedia", reply{200, nil, `{"httpCode":400,"httpReason":"Bad Request"}`}, search.Failed, "Bad Request"},
		{"wikipedia", reply{403, nil, "Please set a user-agent and respect our robot policy"}, search.Failed, "contact"},
		{"arxiv", reply{200, nil, feed(`<opensearch:totalResults>0</opensearch:totalResults>`)}, "empty", ""},
		{"arxiv", reply{200, nil, feed(`<opensearch:totalResults>812</opensearch:totalResults>`)}, search.Failed, "no entry"},
		{"arxiv", reply{200, nil, feed(``)}, search.Failed, "no entry"},
		{"arxiv", reply{200, nil, feed(`<entry><id>http://arxiv.org/api/errors#bad_start</id><title>Error</title><summary>start must be an integer</summary></entry>`)}, search.Failed, "start must be an integer"},
		{"arxiv", reply{200, nil, `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]><feed xmlns="http://www.w3.org/2005/Atom"><entry><title>&b;</title></entry></feed>`}, search.Failed, "no complete feed"},
		{"arxiv", reply{200, nil, strings.TrimSuffix(feed(`<entry><title>half`), "</feed>")}, search.Failed, "no complete feed"},
		{"arxiv", reply{200, nil, `<?xml version="1.0"?><rss version="2.0"></rss>`}, search.Failed, "agreed format"},
		{"openalex", reply{403, nil, `{"error":"Forbidden","message":"Rate limit exceeded; slow down"}`}, search.RateLimited, ""},
		{"openalex", reply{429, nil, `{"error":"Too many","message":"Daily limit exceeded"}`}, search.Quota, "Daily"},
		{"semanticscholar", reply{403, nil, `{"message":"Forbidden"}`}, search.Unauthorised, "SEMANTIC_SCHOLAR_API_KEY"},
		{"semanticscholar", reply{200, nil, `{"total":0,"offset":0}`}, "empty", ""},
		{"semanticscholar", reply{200, nil, `{"total":9,"offset":0}`}, search.Failed, "no list"},
		{"crossref", reply{400, nil, `{"status":"failed","message-type":"validation-failure","message":[{"type":"x","value":"y","message":"Unsupported parameter"}]}`}, search.Failed, "Unsupported parameter"},
		{"pubmed", reply{400, nil, `{"error":"API key invalid","api-key":"test-key-4711","type":"eutils"}`}, search.Unauthorised, "NCBI_API_KEY"},
		{"pubmed", reply{200, nil, `{"header":{},"esearchresult":{"ERROR":"Search Backend failed: read timeout"}}`}, search.Failed, "Backend failed"},
		{"pubmed", reply{200, nil, `{"esearchresult":{"count":"12","idlist":[]}}`}, search.Failed, "names none"},
		{"pubmed", reply{200, nil, `{"esearchresult":{"count":"1","idlist":["7"]},"result":{"uids":["7"],"7":{"uid":"7","error":"cannot get document summary"}}}`}, search.Failed, "tells nothing"},
		{"anthropic", reply{529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, search.RateLimited, "Overloaded"},
		{"anthropic", reply{400, nil, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`}, search.Quota, "credit balance"},
		{"anthropic", reply{200, nil, message(`{"type":"web_search_tool_result","tool_use_id":"t","content":[]}`)}, "empty", ""},
		{"anthropic", reply{200, nil, message(`{"type":"web_search_tool_result","tool_use_id":"t","content":{"type":"web_search_tool_result_error","error_code":"too_many_requests"}}`)}, search.RateLimited, "rate limited"},
		{"anthropic", reply{200, nil, message(`{"type":"web_search_tool_result","tool_use_id":"t","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}`)}, search.Failed, "unavailable"},
		{"anthropic", reply{200, nil, message(`{"type":"web_search_tool_result","content":[{"type":"web_search_result","url":"https://a.example/","title":"A"}]},{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}}`)}, "ok", ""},
		{"anthropic", reply{200, nil, message(`{"type":"web_search_tool_result","content":[{"type":"web_search_result","url":"https://a.example/","title":"A"}]},{"type":"web_search_tool_result","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}`)}, search.Degraded, "unavailable"},
		{"anthropic", reply{200, nil, message(`{"type":"text","text":"Tides are caused by the moon."}`)}, search.Failed, "without a search"},
		{"openai", reply{200, nil, `{"status":"completed","output":[{"type":"web_search_call","status":"completed","action":{"type":"search","query":"x","sources":[]}},{"type":"message","content":[]}]}`}, "empty", ""},
		{"openai", reply{200, nil, `{"status":"completed","output":[{"type":"web_search_call","status":"failed","action":{"type":"search","query":"x"}}]}`}, search.Failed, "search tool failed"},
		{"openai", reply{200, nil, `{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}`}, search.Failed, "refused"},
		{"openai", reply{200, nil, `{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"},"output":[]}`}, search.RateLimited, "Rate limit reached"},
		{"exa", reply{200, nil, `{"results":[],"x":"` + strings.Repeat("x", 4<<20) + `"}`}, search.Failed, "longer than 4 MiB"},
		{"serply", reply{200, nil, `{"results":[{"title":"A","link":"javascript:alert(1)"},{"title":"B"}]}`}, search.Failed, "address"},
		{"serply", reply{200, nil, `{"results":[{"title":"A","link":"file:///etc/passwd"},{"title":"B","link":" FILE:/home"}]}`}, search.Failed, "address"},
	}
	server := act(t)
	for _, tt := range tests {
		answer, e := server.ask(t, tt.provider, tt.reply)
		if got := outcome(answer, e); got != tt.want {
			t.Errorf("%s, %d %.80s: %s, want %s (%v)", tt.provider, tt.status, tt.body, got, tt.want, e)
		} else if e != nil && !strings.Contains(e.Error(), tt.says) {
			t.Errorf("%s, %d %.80s: %v does not say %q", tt.provider, tt.status, tt.body, e, tt.says)
		}
	}
}

func message(content string) string {
	return `{"type":"message","role":"assistant","content":[` + content + `],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":5}}`
}

// A value of another type costs its field, not the answer.
func TestOddFieldsAreTolerated(t *testing.T) {
	server := act(t)
	for name, body := range map[string]string{
		"serply":   `{"results":[{"title":null,"link":"https://a.example/","description":7},{"title":"B","link":{}}]}`,
		"tavily":   "\ufeff \n" + `{"results":[{"title":["x"],"url":"https://a.example/"}]}`,
		"searxng":  `{"results":[7,null,{"url":"https://a.example/","title":"A"}],"unresponsive_engines":null}`,
		"crossref": `{"message":{"items":[{"DOI":"10.1/x","title":"not a list","issued":{"date-parts":[[null]]}}]}}`,
		"openalex": `{"results":[{"id":"https://openalex.org/W1","doi":null,"title":null,"abstract_inverted_index":null,"best_oa_location":null,"open_access":null}]}`,
		"exa":      `{"results":[{"url":"https://a.example/","highlights":null,"title":null}],"costDollars":{"total":"free"}}`,
	} {
		if answer, e := server.ask(t, name, reply{200, nil, body}); e != nil || len(answer.Results) != 1 || answer.Results[0].Title == "" {
			t.Errorf("%s: %+v, %v", name, answer.Results, e)
		}
	}
}

// What a model spent on a search that failed is told: it is paid.
func TestTokensOfAFailedModelSearch(t *testing.T) {
	answer, e := act(t).ask(t, "anthropic", reply{200, nil, message(`{"type":"text","text":"No."}`)})
	if e == nil || answer.Tokens != 15 || answer.MicroUSD != 35 || len(answer.Results) != 0 {
		t.Errorf("%+v, %v", answer, e)
	}
	if cause := errors.Unwrap(e); cause == nil || !strings.Contains(cause.Error(), "No.") || strings.Contains(e.Error(), "No.") {
		t.Errorf("cause %v: what the model wrote is for a person, not for the message", cause)
	}
}

// No key is in any error or in what is recorded of one, whatever the server says and however the exchange ends.
func TestKeysStayOutOfErrors(t *testing.T) {
	const key = "sk-canary+0815/x=y"
	secrets := []string{key, key[:9], key[9:], url.QueryEscape(key), url.PathEscape(key), "pass-canary"}
	check := func(t *testing.T, err error) {
		t.Helper()
		recorded, _ := json.Marshal(err)
		for e := err; e != nil; e = errors.Unwrap(e) {
			for _, s := range secrets {
				if strings.Contains(fmt.Sprintf("%v %+v %s", e, e, recorded), s) {
					t.Errorf("%T holds %q: %v", e, s, e)
				}
			}
		}
	}
	for _, k := range search.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			var status atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				code := int(status.Load())
				if code == 0 { // the connection breaks
					panic(http.ErrAbortHandler)
				}
				echo := r.URL.String() + " " + fmt.Sprint(r.Header) + " " + key
				if code%2 == 1 { // so that the text is cut in the middle of the key
					echo = strings.Repeat("x", 148) + key
				}
				if code/100 == 3 {
					w.Header().Set("Location", "http://127.0.0.2:9/?api_key="+url.QueryEscape(key))
				}
				w.WriteHeader(code)
				json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": echo, "code": key}, "api-key": key})
			}))
			defer server.Close()
			u, _ := url.Parse(server.URL)
			u.User = url.UserPassword("user", "pass-canary")
			p, err := search.Open(k.Name, search.Config{URL: u.String(), Key: key, Model: "m"})
			if err != nil {
				t.Fatal(err)
			}
			for _, code := range []int{0, 200, 202, 302, 307, 400, 401, 402, 403, 404, 409, 418, 422, 429, 432, 433, 500, 502, 503, 504, 529} {
				status.Store(int32(code))
				_, err := p.Search(t.Context(), "a query", 8)
				if err == nil {
					t.Errorf("%d: no error", code)
				}
				check(t, err)
			}
			server.Close()
			_, err = p.Search(t.Context(), "a query", 8)
			check(t, err)
			_, err = search.Open(k.Name, search.Config{URL: "http://user:pass-canary@[::", Key: key, Model: "m"})
			check(t, err)
		})
	}
}

// A redirect stays on its host: the key travels along.
func TestRedirects(t *testing.T) {
	var leaked atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) { leaked.Add(1) }))
	defer thief.Close()
	other := strings.Replace(thief.URL, "127.0.0.1", "localhost", 1)
	handler := searchtest.Handler("brave", searchtest.Pages())
	for _, tt := range []struct {
		to   string
		want search.Outcome
	}{{"/res/v1/web/search", "ok"}, {other, search.Failed}} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/old/res/v1/web/search" {
				http.Redirect(w, r, tt.to+"?"+r.URL.RawQuery, http.StatusMovedPermanently)
				return
			}
			handler.ServeHTTP(w, r)
		}))
		answer, err := open(t, "brave", server.URL+"/old").Search(t.Context(), searchtest.Known, 8)
		var e *search.Error
		errors.As(err, &e)
		if got := outcome(answer, e); got != tt.want {
			t.Errorf("redirect to %s: %s, want %s: %v", tt.to, got, tt.want, err)
		}
		server.Close()
	}
	if leaked.Load() > 0 {
		t.Error("a key went to another host")
	}
}

func TestCancelledContext(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-release:
		}
	}))
	defer server.Close()
	defer close(release)
	p := open(t, "serper", server.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var e *search.Error
	if _, err := p.Search(ctx, "slow", 8); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) {
		t.Errorf("%v: the context's error is expected", err)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := p.Search(gone, "late", 8); !errors.Is(err, context.Canceled) {
		t.Errorf("%v: the context's error is expected", err)
	}
}
