package sites_test

import (
	"net/http"
	"strings"
	"testing"

	"ibid/fetch"
	"ibid/fetch/fetchtest"
	"ibid/fetch/sites"
)

// Specialists and the web behind them are one fetcher like any other.
func TestConformance(t *testing.T) {
	pages := map[string]http.HandlerFunc{
		"GET www.youtube.com/watch": says("text/html", watchPage), "POST www.youtube.com/youtubei/v1/player": says("application/json", playable("en")),
		"GET www.youtube.com/api/timedtext": says("application/json", captions),
		"a.example/page":                    says("text/html", "<p>A page"), "a.example/shut": status(403, "text/html", "x"), "a.example/busy": status(429, "text/html", "x"),
		"a.example/gone": status(410, "text/html", "x"), "archive.org/wayback/available": says("application/json", nothing), "web.archive.org/cdx/search/cdx": says("application/json", "[]"),
		"arxiv.org/html/2402.08954v1": says("text/html", "<article>Attention</article>"),
		"en.wikipedia.org/w/api.php":  says("application/json", `{"query":{"pages":[{"pageid":1,"ns":0,"title":"Heat pump","lastrevid":7}]}}`),
		"en.wikipedia.org":            says("text/html", "<p>Heat"),
	}
	c := hub(t, "", repository...)
	for at, h := range pages {
		c.pages[at] = h
	}
	fetchtest.Run(t, fetchtest.Subject{
		Fetcher: over(c, sites.Config{}),
		Known:   []string{watchURL, "https://a.example/page", "https://github.com/acme/meter", "https://arxiv.org/abs/2402.08954v1", "https://en.wikipedia.org/wiki/Heat_pump"},
		Same: [][2]string{{watchURL, "https://youtu.be/AbCdEfGhI_1"}, {"https://github.com/acme/meter", "https://github.com/acme/meter/tree/" + sha},
			{"https://en.wikipedia.org/wiki/Heat_pump", "https://en.wikipedia.org/wiki/Heat_pump?oldid=7"}},
		Fails: map[string]fetch.Outcome{"https://a.example/shut": fetch.Blocked, "https://a.example/busy": fetch.RateLimited, "https://a.example/gone": fetch.NotFound, "file:///etc/passwd": fetch.Refused},
	})
}

// With every base overridden nothing else is asked.
func TestOverrides(t *testing.T) {
	const home = "mirror.example"
	c := newCity(t, map[string]http.HandlerFunc{
		"GET " + home + "/watch": says("text/html", watchPage), "POST " + home + "/youtubei/v1/player": says("application/json", playable("en")), "GET " + home + "/api/timedtext": says("application/json", captions),
		home + "/gh/repos/acme/meter/commits/HEAD": says("text/plain", sha), home + "/gh/repos/acme/meter/tarball/" + sha: redirect("https://" + home + "/load/x.tar.gz"),
		home + "/load/x.tar.gz": says("application/x-gzip", tarball(t, repository...)), home + "/raw/acme/meter/" + sha + "/README.md": says("text/plain", "# Meter"),
		home + "/wayback/available": says("application/json", closest), home + "/web/20200119032503id_/https://a.example/old": says("text/html", "<p>as it was"),
		home + "/works/doi:10.1234/x": says("application/json", "{}"), home + "/v2/10.1234/x": says("application/json", "{}"), home + "/10.1234/x": says("text/html", "<p>landing"),
	})
	base := "https://" + home
	s := over(c, sites.Config{Contact: "me@a.example", URLs: map[string]string{"youtube": base, "github": base + "/gh", "githubraw": base + "/raw", "codeload": base + "/load",
		"wayback": base, "openalex": base, "unpaywall": base, "doi": base}})
	reads(t, s, watchURL, watchURL)
	reads(t, s, "https://github.com/acme/meter", "https://github.com/acme/meter/tree/"+sha)
	reads(t, s, "https://github.com/acme/meter/blob/"+sha+"/README.md", "https://github.com/acme/meter/blob/"+sha+"/README.md")
	reads(t, s, lost, copied, fetch.FlagArchived)
	reads(t, s, "https://doi.org/10.1234/x", "https://doi.org/10.1234/x")
	for _, at := range c.requests("") {
		if !strings.HasPrefix(at, home+"/") && !strings.HasPrefix(at, "a.example/") {
			t.Errorf("asked %s", at)
		}
	}
}
