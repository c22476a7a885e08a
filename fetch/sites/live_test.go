package sites_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"ibid/fetch"
	"ibid/fetch/sites"
)

// The same with the live client and the live web, on mirrors of the services.
func TestLive(t *testing.T) {
	archive := tarball(t, repository...)
	c := newCity(t, map[string]http.HandlerFunc{
		"GET tube.mirror.org/watch": says("text/html", watchPage), "POST tube.mirror.org/youtubei/v1/player": says("application/json", playable("en")),
		"GET tube.mirror.org/api/timedtext":              says("application/json", captions),
		"api.mirror.org/repos/acme/meter/commits/HEAD":   says("text/plain", sha),
		"api.mirror.org/repos/acme/meter/tarball/" + sha: redirect("http://load.elsewhere.org/acme/meter?token=TEMPORARY"),
		"load.elsewhere.org/acme/meter": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "" {
				t.Error("the token was sent along")
			}
			says("application/x-gzip", archive)(w, r)
		},
		"arxiv.mirror.org/pdf/1105.0001v2":                              says("application/pdf", pdf),
		"en.wiki.mirror.org/w/api.php":                                  says("application/json", `{"query":{"pages":[{"pageid":1,"ns":0,"title":"Heat pump","lastrevid":7}]}}`),
		"en.wiki.mirror.org/wiki/Heat_pump":                             says("text/html", "<html><title>Heat pump</title><p>A heat pump moves heat from one place to another, and uses electricity for it."),
		"www.lost.org/robots.txt":                                       says("text/plain", ""),
		"www.lost.org/old":                                              status(410, "text/html", "<p>gone"),
		"closed.lost.org/robots.txt":                                    says("text/plain", "User-agent: *\nDisallow: /\n"),
		"way.mirror.org/wayback/available":                              says("application/json", `{"archived_snapshots":{"closest":{"status":"200","available":true,"url":"http://web.archive.org/web/20200119032503/https://www.lost.org/old"}}}`),
		"way.mirror.org/web/20200119032503id_/https://www.lost.org/old": says("text/html", "<p>as it was"),
	})
	to := c.server.Listener.Addr().String()
	resolve := map[string]string{}
	for _, host := range []string{"tube.mirror.org", "api.mirror.org", "load.elsewhere.org", "arxiv.mirror.org", "en.wiki.mirror.org", "way.mirror.org", "www.lost.org", "closed.lost.org"} {
		resolve[host] = to
	}
	client := fetch.NewClient(fetch.ClientConfig{UserAgent: "ibid-test/1", Resolve: resolve, AllowAddresses: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: 10 * time.Second})
	s := sites.New(sites.Config{Client: client, Web: fetch.NewLive(fetch.LiveConfig{Client: client, Agent: "ibid", Interval: time.Nanosecond}), GitHubToken: "ghp_secret", URLs: map[string]string{
		"youtube": "http://tube.mirror.org", "github": "http://api.mirror.org", "codeload": "http://load.elsewhere.org", "arxiv": "http://arxiv.mirror.org",
		"wikipedia": "http://{lang}.wiki.mirror.org", "wayback": "http://way.mirror.org"}})
	reads(t, s, watchURL, watchURL)
	doc := reads(t, s, "https://github.com/acme/meter", "https://github.com/acme/meter/tree/"+sha)
	if got := names(t, doc.Body); len(got) != len(repository) {
		t.Errorf("files %q", got)
	}
	reads(t, s, "https://arxiv.org/abs/1105.0001v2", "https://arxiv.org/pdf/1105.0001v2")
	reads(t, s, "https://en.wikipedia.org/wiki/Heat_pump", "https://en.wikipedia.org/wiki/Heat_pump?oldid=7")
	reads(t, s, "http://www.lost.org/old", "https://web.archive.org/web/20200119032503/https://www.lost.org/old", fetch.FlagArchived)
	before := len(c.requests("way.mirror.org"))
	wants(t, s, "http://closed.lost.org/old", fetch.Blocked, "robots.txt")
	if len(c.requests("way.mirror.org")) != before {
		t.Error("the archive was asked for a page that robots.txt closes")
	}
}
