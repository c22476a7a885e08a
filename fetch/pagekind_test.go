package fetch

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func judgeBody(asked, body string) verdict {
	return judge(asked, &Response{URL: asked, Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body)}, time.Unix(1_760_000_000, 0))
}

// prose is n sentences of an ordinary text.
func prose(n int) string {
	return strings.Repeat("<p>The harbour office measured the depth of the fairway on four mornings and entered the figures in its book.</p>\n", n)
}

func TestWhatStandsInAPagesPlace(t *testing.T) {
	nav := "<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/about>About us</a></nav>"
	for _, c := range []struct {
		name string
		want Outcome
		body string
	}{
		{"cloudflare", Blocked, `<!DOCTYPE html><html><head><title>Just a moment...</title></head><body><noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cvId:'3'};})();</script></body></html>`},
		{"aws", Blocked, `<html><head><title></title><script>window.gokuProps = {"key":"x"};</script></head><body><div id="challenge-container"></div><noscript><h1>JavaScript is disabled</h1></noscript></body></html>`},
		{"datadome", Blocked, `<html><head><title>shop.example</title></head><body><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script></body></html>`},
		{"perimeterx", Blocked, `<html><head><title>Access to this page has been denied</title></head><body><div id="px-captcha"></div><p>Please verify you are a human</p></body></html>`},
		{"akamai", Blocked, `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'"></head><body><div id="sec-if-cpt-container"></div><script src="/x"></script></body></html>`},
		{"akamai denied", Blocked, `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "http://shop.example/x" on this server.<P>Reference #18.2d351ab8</BODY></HTML>`},
		{"imperva", Blocked, `<html><head></head><body>Request unsuccessful. Incapsula incident ID: 123-456</body></html>`},
		{"unusual traffic", Blocked, `<html><body><p>Our systems have detected unusual traffic from your computer network. This page checks to see if it's really you sending the requests, and not a robot.</p></body></html>`},
		{"a pause", Blocked, `<title>One moment please</title><h1>One moment please</h1><p>You have been reading faster than most people do, and automated programs sometimes do that. Please make sure that your browser has JavaScript and cookies switched on, and then reload the page to continue.</p>`},
		{"support id", Blocked, `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567</body></html>`},
		{"too many", Blocked, `<html><head><title>Sorry</title></head><body><p>Too many requests were received from this address. Please try again in an hour.</p></body></html>`},
		{"german", Blocked, `<title>Kurze Prüfung</title><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p>`},
		{"consent", ConsentWall, `<title>Before you continue to the site</title><h1>Before you continue</h1><p>We use cookies and data to deliver and maintain our services and show personalised ads.</p><form><button>Reject all</button><button>Accept all</button></form>`},
		{"consent, partners", ConsentWall, `<title>The Courier</title><div><h2>We value your privacy</h2><p>We and our 1347 partners store and access information on a device and process personal data for personalised advertising, on the ground of your consent or of legitimate interest.</p><button> Agree and close </button><button>Settings</button></div>`},
		{"consent, german", ConsentWall, `<title>Datenschutz</title><p>Wir und unsere 214 Partner speichern Informationen auf einem Gerät.</p><button>Alle akzeptieren</button>`},
		{"shell", JSRequired, `<!doctype html><html><head><title>Board</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/js/main.js"></script></body></html>`},
		{"shell with furniture", JSRequired, `<title>Record 7</title>` + nav + `<div id="__next"><div class="spinner">Loading…</div></div><footer>Imprint, terms and privacy</footer><script src=a.js></script>`},
		{"angular", JSRequired, `<title>Registry</title><header>Registry of wells</header><app-root></app-root><script src=m.js type=module></script>`},
		{"nothing but a script", JSRequired, `<html><body><script src="/boot.js"></script></body></html>`},
		{"asks for scripts", JSRequired, `<title>Report</title><div class=msg>Please enable JavaScript to view this report.</div><script src=a.js></script>`},
		{"soft 404", NotFound, `<title>Page not found | Courier</title>` + nav + `<h1>Page not found</h1><p>The page you are looking for was moved or deleted.</p>`},
		{"soft 404, heading", NotFound, `<title>The Courier</title>` + nav + `<h1>Sorry, this page doesn't exist</h1><p>Try the search.</p>`},
		{"soft 404, number", NotFound, `<title>404 - Courier</title><p>We could not find what you were looking for. It may have been removed.</p>`},
		{"soft 404, french", NotFound, `<title>Page introuvable – Le Courrier</title><h1>Page introuvable</h1><p>La page n’existe plus.</p>`},
		{"soft 404, german", NotFound, `<title>Seite nicht gefunden</title><p>Diese Seite existiert nicht.</p>`},
		{"parked", NotFound, `<title>halden-mill.example</title><h1>halden-mill.example</h1><p>This domain is for sale. Make an offer.</p><a href=x>Buy</a>`},
		{"maintenance", Failed, `<title>Courier</title><h1>We’ll be back soon</h1><p>The site is being worked on.</p>`},
		{"error page", Failed, `<title>500 Internal Server Error</title><p>Please contact the administrator.</p>`},
		{"gateway", Failed, `<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>`},
		{"region", Blocked, `<title>Courier</title><h1>Sorry</h1><p>This content is not available in your region.</p>`},
		{"members", Blocked, `<title>Sign in | Forum</title><h1>Sign in</h1><p>You must be logged in to view this thread.</p>`},
		{"login", Blocked, `<title>Log in · Ledger</title><h1>Sign in</h1><form>Name <input name=u> Password <input type=password name=p><input type=submit value="Sign in"></form>`},
		{"paywall only", Blocked, `<title>Tide power</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script><div class=paywall><p>Subscribe to continue reading.</p></div>`},
	} {
		v := judgeBody("https://a.example/x/7", c.body)
		if v.unavailable == nil || v.unavailable.Outcome != c.want || v.unavailable.Reason == "" || v.unavailable.Hint == "" {
			t.Errorf("%s: %+v %v, want %s", c.name, v.unavailable, v, c.want)
		}
	}
}

// TestPagesThatLookLikeIt are ordinary pages about the very things, and short ones.
func TestPagesThatLookLikeIt(t *testing.T) {
	for name, body := range map[string]string{
		"a short page":     `<title>Lock</title><p>The lock is open on Tuesdays.</p><script src="/count.js"></script>`,
		"a page of links":  `<title>Index</title><ul>` + strings.Repeat(`<li><a href="/x">Depth of the fairway, by month</a>`, 30) + `</ul><script src=a.js></script>`,
		"about captchas":   `<title>Are you a robot? A short history of the captcha</title><article><h1>Are you a robot? A short history of the captcha</h1><p>Everybody has been asked to verify that they are human. The first such tests were made in 1997, when a search engine wanted to stop automated requests.</p>` + prose(12) + `</article>`,
		"captcha, entry":   `<title>Captcha - Glossary</title><h1>Captcha</h1><p>A captcha is a test that tells people and bots apart, such as reading distorted letters. It was named in 2003. Sites use it against automatic sign-ups.</p>`,
		"about cookies":    `<title>How cookies work</title><h1>How cookies work</h1><p>Sites use cookies to recognise a browser. A banner with the words “Accept all” and “We value your privacy” is shown in Europe.</p>` + prose(30) + `<button>Accept all</button>`,
		"cookie banner":    `<title>Fairway depths</title><div id=banner><p>We use cookies for personalised ads. We and our 12 partners store and access information on your device.</p><button>Accept all</button></div><main>` + prose(30) + `</main>`,
		"banner, short":    `<title>Fairway depths in May</title><article>` + prose(2) + `</article><div id=banner><p>We value your privacy. We and our 12 partners store and access information on your device for personalised ads.</p><button>Accept all</button></div>`,
		"about 404s":       `<title>404 page not found: how to write a good error page</title><h1>Page not found</h1>` + prose(10),
		"a 404 entry":      `<title>HTTP 404</title><h1>HTTP 404</h1><p>In the Hypertext Transfer Protocol, 404 is the status for a resource that the server did not find.</p>`,
		"not found, law":   `<title>No survivors found | Courier</title><h1>No survivors found</h1><p>The search for the cutter ended on Monday. It was not found.</p>`,
		"about paywalls":   `<title>Why papers build paywalls</title><h1>Why papers build paywalls</h1><p>“Subscribe to continue reading” is what most readers see.</p>` + prose(4),
		"about javascript": `<title>Enable JavaScript in your browser</title><h1>How to enable JavaScript in your browser</h1><p>Many pages need JavaScript. To turn on JavaScript, open the settings and choose the site permissions.</p>` + prose(4) + `<script src=a.js></script>`,
		"noscript note":    `<title>Depths</title><noscript>Please enable JavaScript for the map.</noscript>` + prose(5) + `<div id=app></div><script src=a.js></script>`,
		"text in noscript": `<title>Forum</title><div id=app></div><script src=a.js></script><noscript>` + prose(20) + `</noscript>`,
		"login in a menu":  `<title>Log in to the archive: opening hours</title><form><input type=password></form>` + prose(10),
		"about logging in": `<title>How to sign in</title><h1>How to sign in</h1><p>Take your card to the desk.</p>`,
		"sale":             `<title>Domains</title><h1>Selling a domain</h1><p>Pages that say “this domain is for sale” are made by the seller.</p>` + prose(10),
		"maintenance":      `<title>Under maintenance: the lock gates of 1911</title><h1>Under maintenance</h1>` + prose(6),
		"regions":          `<title>Where the atlas is sold</title><p>The atlas is not available in your region if you live outside of Europe.</p>` + prose(15),
		"museum":           `<title>Tide museum</title><script type="application/ld+json">{"@type":"Museum","isAccessibleForFree":false}</script>` + prose(4),
		"links to paid":    `<title>News</title><script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"NewsArticle","isAccessibleForFree":false}]}</script>` + prose(4),
		"free":             `<title>News</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":true}</script>` + prose(4),
		"guarded page":     `<title>News</title><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script><script src="https://x.token.awswaf.com/y/challenge.js"></script>` + prose(3),
		"unclosed nav":     `<title>Depths</title><nav><a href=/>Home</a>` + prose(20) + `<script src=a.js></script>`,
		"rate limits":      `<title>Rate limits | API reference</title><h1>Rate limits</h1><p>If you send too many requests, the API answers 429. Wait and try again. Automated clients should read Retry-After; your requests are blocked until then.</p>` + prose(8),
		"frames":           `<title>Old</title><frameset><frame src=a.html></frameset><script src=a.js></script>`,
		"a picture":        `<title>Map</title><img src=map.png><script src=a.js></script>`,
		"refresh to self":  `<meta http-equiv=refresh content="0; url=https://a.example/x/7#new"><title>Depths</title>` + prose(2),
		"refresh later":    `<meta http-equiv=refresh content="30; url=https://a.example/other"><title>Depths</title>` + prose(2),
		"refresh, odd":     `<meta http-equiv=refresh content="0; url=javascript:alert(1)"><title>Depths</title>` + prose(2),
		"big state":        `<title>Depths</title><style>` + strings.Repeat("a{color:red} ", 60_000) + `</style><div id=app>` + prose(9) + `</div><script src=a.js></script>`,
	} {
		if v := judgeBody("https://a.example/x/7", body); v.unavailable != nil || v.refresh != "" || v.flags != nil {
			t.Errorf("%s: %v %v %q", name, v.unavailable, v.flags, v.refresh)
		}
	}
}

func TestPaywallFlag(t *testing.T) {
	for name, body := range map[string]string{
		"part":       `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle","hasPart":{"@type":"WebPageElement","isAccessibleForFree":false,"cssSelector":".locked"}}</script>` + prose(3),
		"graph":      `<script type="application/ld+json">{"@graph":[{"@type":"Organization"},{"@type":["Article","NewsArticle"],"isAccessibleForFree":"False"}]}</script>` + prose(3),
		"link":       `<script type="application/ld+json">[{"@type":"BlogPosting","isAccessibleForFree":"http://schema.org/False"}]</script>` + prose(3),
		"meta":       `<meta property="article:content_tier" content="locked">` + prose(3),
		"microdata":  `<div itemscope itemtype="https://schema.org/NewsArticle"><meta itemprop="isAccessibleForFree" content="false"></div>` + prose(3),
		"the prompt": prose(3) + `<section class="article-paywall"><h2>Already a subscriber? Sign in.</h2></section>`,
	} {
		if v := judgeBody("https://a.example/x", body); v.unavailable != nil || !slices.Equal(v.flags, []string{FlagPaywall}) {
			t.Errorf("%s: %v %v", name, v.unavailable, v.flags)
		}
	}
}

func TestRefresh(t *testing.T) {
	for content, want := range map[string]string{
		"0; url='next.html'": "https://a.example/v5/next.html", "0;URL=/x": "https://a.example/x", "0,url=//b.example/": "https://b.example/", "1; https://a.example/y": "https://a.example/y",
		`0; Url = "a.html" `: "https://a.example/v5/a.html", "0": "", "": "", "5; url=/x": "", "0; url=": "", "-1; url=/x": "", "x; url=/x": "", "0; url=/x?a=1,2;3": "https://a.example/x?a=1,2;3",
		"0 url=a": "https://a.example/v5/a", " 0.5 ; url = a": "https://a.example/v5/a", ".9;a": "https://a.example/v5/a", `0;url="a" b`: "https://a.example/v5/a", "0;url=a\nb": "https://a.example/v5/ab", "+0;url=a": "", ";url=a": "", "0x;url=a": "",
		"0;url=file:///etc/passwd": "", "0;url=data:text/html,x": "", "0;url=#x": "https://a.example/v5/#x",
	} {
		v := judgeBody("https://a.example/docs/", `<base href="/v5/"><meta http-equiv="Refresh" content="`+strings.ReplaceAll(content, `"`, "&quot;")+`">`)
		if v.refresh != want {
			t.Errorf("%q: %q, want %q", content, v.refresh, want)
		}
	}
}

func TestStatus(t *testing.T) {
	now := time.Unix(1_760_000_000, 0)
	page := http.Header{"Content-Type": {"text/html"}}
	with := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		want   Outcome
		after  time.Duration
	}{
		{404, nil, "", NotFound, 0}, {410, nil, "", NotFound, 0}, {401, nil, "", Blocked, 0}, {402, nil, "", Blocked, 0}, {403, nil, "", Blocked, 0}, {451, nil, "", Blocked, 0},
		{402, with("Crawler-Price", "USD 0.01"), "", Blocked, 0},
		{429, nil, "", RateLimited, 0}, {429, with("Retry-After", "90"), "", RateLimited, 90 * time.Second},
		{503, with("Retry-After", "Thu, 09 Oct 2025 08:55:00 GMT"), "", RateLimited, 100 * time.Second},
		{403, with("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1760000600"), `{"message":"API rate limit exceeded for 192.0.2.7."}`, RateLimited, 10 * time.Minute},
		{403, with("Retry-After", "60", "X-RateLimit-Remaining", "58"), `{"message":"You have exceeded a secondary rate limit."}`, RateLimited, time.Minute},
		{403, with("X-RateLimit-Remaining", "40"), `{"message":"You have exceeded a secondary rate limit."}`, RateLimited, 0},
		{403, with("X-RateLimit-Remaining", "41"), `{"message":"Repository access blocked"}`, Blocked, 0},
		{403, page, "<!doctype html><title>Forbidden</title><p>See our page on rate limits.", Blocked, 0},
		{503, page, "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>", Blocked, 0},
		{503, with("Cf-Mitigated", "challenge"), "", Blocked, 0},
		{202, with("X-Amzn-Waf-Action", "challenge"), "", Blocked, 0},
		{202, page, "<!doctype html><title></title><script>window.gokuProps={}</script>", Blocked, 0},
		{202, page, "", RateLimited, 0},
		{200, with("X-Amzn-Waf-Action", "captcha"), "<p>x", Blocked, 0},
		{200, with("Content-Type", "text/plain; charset=utf-8"), "404 page not found\n", NotFound, 0}, {200, page, "error code: 1020", Blocked, 0},
		{200, with("Content-Type", "application/json"), "<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>", Blocked, 0}, {420, nil, "", RateLimited, 0},
		{403, page, "<!doctype html><title>Rate limit exceeded</title><h1>Too many requests</h1>", RateLimited, 0},
		{407, nil, "", Blocked, 0}, {503, nil, "", RateLimited, 0}, {201, nil, "x", Failed, 0}, {500, with("Retry-After", "9"), "", Failed, 9 * time.Second},
		{204, nil, "", Empty, 0}, {205, nil, "", Empty, 0}, {200, nil, " ", Empty, 0}, {206, nil, "x", Incomplete, 0},
		{500, nil, "", Failed, 0}, {502, nil, "", Failed, 0}, {400, nil, "", Failed, 0}, {418, nil, "", Failed, 0}, {304, nil, "", Failed, 0}, {999, nil, "", Failed, 0},
	} {
		if c.header == nil {
			c.header = http.Header{}
		}
		v := judge("https://a.example/x", &Response{URL: "https://a.example/x", Status: c.status, Header: c.header, Body: []byte(c.body)}, now)
		if e := v.unavailable; e == nil || e.Outcome != c.want || e.RetryAfter != c.after || e.Reason == "" || e.Hint == "" {
			t.Errorf("%d %v %.60q: %+v, want %s after %v", c.status, c.header, c.body, v.unavailable, c.want, c.after)
		}
	}
	for name, r := range map[string]*Response{
		"pdf":   {Status: 200, Header: with("Content-Type", "text/html"), Body: []byte("%PDF-1.7 access denied")},
		"text":  {Status: 200, Header: with("Content-Type", "text/plain"), Body: []byte("The lock is open on Tuesdays, and not found on the map.")},
		"json":  {Status: 200, Header: with("Content-Type", "application/json"), Body: []byte(`{"title":"Page not found"}`)},
		"utf16": {Status: 200, Header: with("Content-Type", "text/html"), Body: []byte("\xff\xfe<\x00p\x00")},
	} {
		if v := judge("https://a.example/x", r, now); v.unavailable != nil {
			t.Errorf("%s: %v", name, v.unavailable)
		}
	}
}

func TestDetour(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     Outcome
	}{
		{"https://daily.example/s/9", "https://privacygate.example/consent?siteKey=k&callbackUrl=https%3A%2F%2Fdaily.example%2Fs%2F9", ConsentWall},
		{"https://www.video.example/w?v=1", "https://consent.video.example/m?continue=https://www.video.example/w", ConsentWall},
		{"https://a.example/x", "https://guce.b.example/consent?x=1", ConsentWall},
		{"https://a.example/x/1", "https://a.example/cookie-consent?return=/x/1", ConsentWall},
		{"https://a.example/x/1", "https://accounts.b.example/ServiceLogin?continue=https://a.example/x/1", Blocked},
		{"https://a.example/x/1", "https://a.example/user/login?destination=/x/1", Blocked},
		{"https://a.example/x/1", "https://a.example/x/2", ""},
		{"https://a.example/law", "https://gdpr.example/article-17", ""},
		{"https://a.example/privacy", "https://a.example/legal/privacy", ""},
		{"https://a.example/x", "https://a.example/login", ""}, // the page itself will tell
		{"https://a.example/blog", "https://a.example/blog/authorship", ""},
		{"https://consent.a.example/x", "https://consent.a.example/y", ""},
	} {
		if got := detour(c.from, c.to); got != c.want {
			t.Errorf("%s → %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func TestToFront(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"https://a.example/news/2019/the-lock-opens", "https://a.example/", true},
		{"https://a.example/news/7", "https://a.example", true},
		{"https://a.example/docs/old.html", "https://www.a.example/", true},
		{"https://a.example/news/2019/the-lock-opens", "https://a.example/?p=7", false},
		{"https://a.example/news/2019/the-lock-opens", "https://a.example/news/", false},
		{"https://a.example/site/index.html", "https://a.example/", false},
		{"https://a.example/en/home", "https://a.example/", false},
		{"https://a.example/the-lock-opens", "https://a.example/", false}, // it may be a name of the front page
		{"https://a.example/", "https://a.example/", false},
	} {
		if got := toFront(c.from, c.to); got != c.want {
			t.Errorf("%s → %s: %v", c.from, c.to, got)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, s := range []string{`<title>x</title><nav><a>y<noscript><p>z`, `<meta http-equiv=refresh content="0;url=//[::1">`, `<script type="application/ld+json">[[[{"@graph":[`, `<svg><title>a</svg><h1>Page not found<app-root><app-root>`, "<!doctype html>\x00\xff<button>Accept all"} {
		f.Add(s, 200)
	}
	f.Fuzz(func(t *testing.T, body string, status int) {
		r := &Response{URL: "https://a.example/x", Status: status, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}
		v := judge("https://a.example/x", r, time.Unix(1_760_000_000, 0))
		if e := v.unavailable; e != nil && (e.Reason == "" || e.Hint == "" || e.Outcome == OK || v.refresh != "" || v.flags != nil) {
			t.Errorf("%+v", v)
		}
		if v.refresh != "" && !strings.HasPrefix(v.refresh, "http") {
			t.Errorf("refresh to %q", v.refresh)
		}
		p := scanPage([]byte(body))
		if len(p.text) > maxScanText || p.prose < 0 || p.visible() > len(body) {
			t.Errorf("%d bytes of text, %d characters of %d", len(p.text), p.visible(), len(body))
		}
	})
}

// TestScanIsLinear scans the largest pages there are, made to be slow.
func TestScanIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, one thing after the other")
	}
	for name, unit := range map[string]string{
		"noscript": "<noscript>x</noscript>", "headings": "<h1>Page not found</h1>", "titles": "<title>404</title>", "attributes": "<a " + strings.Repeat("b=c ", 40) + ">",
		"scripts": `<script type="application/ld+json">[{"@graph":[]}]</script>`, "roots": "<div id=app>", "quotes": `<a href="`,
	} {
		begin := time.Now()
		judgeBody("https://a.example/x", strings.Repeat(unit, maxScan/len(unit)))
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		} else {
			t.Logf("%s: %v", name, took)
		}
	}
}
