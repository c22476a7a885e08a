package sites_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/fetch/sites"
	"ibid/internal/testset"
)

const (
	watchURL  = "https://www.youtube.com/watch?v=AbCdEfGhI_1"
	watchPage = `<!DOCTYPE html><html><head><script>window.ytcfg.set({"EVENT_ID":"x","INNERTUBE_API_KEY":"AIzaSyTestKey_0123456789-abc","INNERTUBE_API_VERSION":"v1"});</script></head><body><script>var ytInitialPlayerResponse = {};</script></body></html>`
	captions  = `{"wireMagic":"pb3","pens":[{}],"wsWinStyles":[{}],"wpWinPositions":[{}],"events":[{"tStartMs":0,"dDurationMs":9000,"id":1,"wpWinPosId":1,"wsWinStyleId":1},
{"tStartMs":80,"dDurationMs":4000,"wWinId":1,"segs":[{"utf8":"keeping","acAsrConf":0},{"utf8":" agents","tOffsetMs":400},{"utf8":" cheap"}]},
{"tStartMs":4090,"dDurationMs":10,"wWinId":1,"aAppend":1,"segs":[{"utf8":"\n"}]},
{"tStartMs":31000,"dDurationMs":3000,"wWinId":1,"segs":[{"utf8":"costs a third"}]}]}`
)

// playable is a player's answer with tracks, each "language" or "language/asr".
func playable(tracks ...string) string {
	var list []map[string]any
	for _, t := range tracks {
		lang, kind, _ := strings.Cut(t, "/")
		m := map[string]any{"baseUrl": "https://www.youtube.com/api/timedtext?v=AbCdEfGhI_1&ei=x&caps=asr&sparams=ip,ipbits,expire&lang=" + lang + "&kind=" + kind + "&fmt=srv3",
			"name": map[string]any{"runs": []any{map[string]any{"text": lang}}}, "languageCode": lang, "isTranslatable": true}
		if kind != "" {
			m["kind"] = kind
		}
		list = append(list, m)
	}
	body, _ := json.Marshal(map[string]any{"playabilityStatus": map[string]any{"status": "OK", "playableInEmbed": true},
		"captions":     map[string]any{"playerCaptionsTracklistRenderer": map[string]any{"captionTracks": list, "defaultAudioTrackIndex": 0}},
		"videoDetails": map[string]any{"videoId": "AbCdEfGhI_1", "title": "Keeping agents cheap", "author": "Talks"}})
	return string(body)
}

func refusal(status, reason, more string) string {
	return fmt.Sprintf(`{"responseContext":{},"playabilityStatus":{"status":%q,"reason":%q%s},"trackingParams":"x"}`, status, reason, more)
}

// tube is YouTube with one answer to each question.
func tube(t *testing.T, watch, player, timed http.HandlerFunc) *city {
	return newCity(t, map[string]http.HandlerFunc{
		"GET www.youtube.com/watch": watch, "POST www.youtube.com/youtubei/v1/player": player, "GET www.youtube.com/api/timedtext": timed,
	})
}

func TestYouTube(t *testing.T) {
	var clients []string
	c := tube(t, says("text/html; charset=utf-8", watchPage), func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			VideoID string `json:"videoId"`
			Context struct {
				Client map[string]any `json:"client"`
			} `json:"context"`
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &ask); err != nil || ask.VideoID != "AbCdEfGhI_1" || r.URL.Query().Get("key") != "AIzaSyTestKey_0123456789-abc" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the player was asked %s %s %v", r.URL, body, err)
		}
		clients = append(clients, fmt.Sprint(ask.Context.Client["clientName"]))
		says("application/json; charset=UTF-8", playable("de", "en/asr", "en"))(w, r)
	}, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if q.Get("fmt") != "json3" || q.Get("lang") != "en" || q.Get("kind") != "" || q.Get("sparams") != "ip,ipbits,expire" || len(q["fmt"]) != 1 {
			t.Errorf("captions were asked with %v", q)
		}
		says("application/json; charset=UTF-8", captions)(w, r)
	})
	s := over(c, sites.Config{Languages: []string{"en"}})
	for _, form := range []string{watchURL, "https://youtu.be/AbCdEfGhI_1?t=9", "http://m.youtube.com/shorts/AbCdEfGhI_1/"} {
		doc := reads(t, s, form, watchURL)
		if doc.Title != "Keeping agents cheap" || doc.Author != "Talks" {
			t.Errorf("%s: the video is %q by %q", form, doc.Title, doc.Author)
		}
		if string(doc.Body) != captions {
			t.Errorf("%s: the body is not what YouTube sent: %s", form, doc.Body)
		}
		page, err := extract.Extract(t.Context(), extract.Input{URL: doc.URL, ContentType: doc.ContentType, Body: doc.Body})
		if err != nil || page.Kind != evidence.Transcript || len(page.Blocks) != 2 || page.Blocks[0].Text != "keeping agents cheap" || page.Blocks[1].Locator.A != 31 {
			t.Fatalf("%s: it reads as %+v, %v", form, page, err)
		}
	}
	if strings.Join(clients, " ") != "ANDROID ANDROID ANDROID" {
		t.Errorf("clients: %v", clients)
	}
}

func TestYouTubeTracks(t *testing.T) {
	for name, c := range map[string]struct {
		tracks, languages []string
		want              string
		flags             []string
	}{
		"manual first":              {[]string{"en/asr", "en"}, []string{"en"}, "en", nil},
		"wanted before manual":      {[]string{"de", "en/asr"}, []string{"en"}, "en/asr", []string{sites.FlagAutomatic}},
		"second wanted":             {[]string{"fr", "de"}, []string{"en", "de"}, "de", nil},
		"regional kind":             {[]string{"de", "en-GB"}, []string{"en"}, "en-GB", nil},
		"exact before regional":     {[]string{"pt-BR", "pt"}, []string{"pt"}, "pt", nil},
		"none in a wanted language": {[]string{"ja/asr", "fr", "ja"}, []string{"en"}, "ja", []string{sites.FlagOtherLanguage}},
		"only automatic, another":   {[]string{"ja/asr"}, []string{"en"}, "ja/asr", []string{sites.FlagOtherLanguage, sites.FlagAutomatic}},
		"no wish: what is spoken":   {[]string{"fr", "ja", "ja/asr"}, nil, "ja", nil},
		"no wish: manual":           {[]string{"ja/asr", "fr"}, nil, "fr", nil},
		"no wish: automatic":        {[]string{"ja/asr"}, nil, "ja/asr", []string{sites.FlagAutomatic}},
		"not a prefix of a word":    {[]string{"enm", "en"}, []string{"en"}, "en", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			city := tube(t, says("text/html", watchPage), says("application/json", playable(c.tracks...)), func(w http.ResponseWriter, r *http.Request) {
				got = strings.TrimSuffix(r.URL.Query().Get("lang")+"/"+r.URL.Query().Get("kind"), "/")
				says("application/json", captions)(w, r)
			})
			reads(t, over(city, sites.Config{Languages: c.languages}), watchURL, watchURL, c.flags...)
			if got != c.want {
				t.Errorf("took %s, want %s", got, c.want)
			}
		})
	}
}

func TestYouTubeConsent(t *testing.T) {
	const page = `<html><body><form action="https://consent.youtube.com/s" method="POST"><input type="hidden" name="v" value="cb.20210328-17-p0.de+FX+119"></form></body></html>`
	stubborn := false
	c := tube(t, func(w http.ResponseWriter, r *http.Request) {
		if cookie := r.Header.Get("Cookie"); cookie == "SOCS=CAI; CONSENT=YES+cb.20210328-17-p0.de+FX+119" && !stubborn {
			says("text/html", watchPage)(w, r)
			return
		}
		says("text/html", page)(w, r)
	}, says("application/json", playable("en")), says("application/json", captions))
	s := over(c, sites.Config{})
	reads(t, s, watchURL, watchURL)
	stubborn = true
	wants(t, s, watchURL, fetch.ConsentWall, "consent")
	if n := len(c.requests("www.youtube.com")); n != 4+2 {
		t.Errorf("%d requests; want no circle", n)
	}
}

func TestYouTubeFails(t *testing.T) {
	ok, html := says("text/html", watchPage), "text/html; charset=utf-8"
	sorry := `<!DOCTYPE html><html><body><form id="captcha-form"><div class="g-recaptcha"></div></form></body></html>`
	good, timed := says("application/json", playable("en")), says("application/json", captions)
	for name, c := range map[string]struct {
		watch, player, timed http.HandlerFunc
		outcome              fetch.Outcome
		say                  string
	}{
		"limited":             {status(429, html, sorry, "Retry-After", "120"), good, timed, fetch.RateLimited, "429"},
		"recaptcha":           {says(html, sorry), good, timed, fetch.Blocked, "person"},
		"sent to a captcha":   {redirect("https://www.google.com/sorry/index?continue=x"), good, timed, fetch.Blocked, "person"},
		"sent elsewhere":      {redirect("https://elsewhere.example/"), good, timed, fetch.Failed, "redirect"},
		"changed page":        {says(html, `<html><script>ytcfg.set({})</script></html>`), good, timed, fetch.Failed, "changed"},
		"another page":        {says(html, `<html><title>Sorry</title></html>`), good, timed, fetch.Blocked, "another page"},
		"no such page":        {status(404, html, "x"), good, timed, fetch.NotFound, "404"},
		"server error":        {status(500, html, "x"), good, timed, fetch.Failed, "500"},
		"bot":                 {ok, says("application/json", refusal("LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "")), timed, fetch.Blocked, "bot"},
		"age":                 {ok, says("application/json", refusal("LOGIN_REQUIRED", "This video may be inappropriate for some users.", `,"desktopLegacyAgeGateReason":1`)), timed, fetch.Blocked, "age-restricted"},
		"age, another way":    {ok, says("application/json", refusal("AGE_VERIFICATION_REQUIRED", "", "")), timed, fetch.Blocked, "age-restricted"},
		"private":             {ok, says("application/json", refusal("LOGIN_REQUIRED", "This is a private video. Please sign in to verify that you may see it.", "")), timed, fetch.Blocked, "private"},
		"unavailable":         {ok, says("application/json", refusal("ERROR", "This video is unavailable", "")), timed, fetch.NotFound, "unavailable"},
		"removed":             {ok, says("application/json", refusal("ERROR", "This video has been removed by the uploader", "")), timed, fetch.NotFound, "removed"},
		"login":               {ok, says("application/json", refusal("LOGIN_REQUIRED", "Please sign in", "")), timed, fetch.Blocked, "signed in"},
		"country":             {ok, says("application/json", refusal("UNPLAYABLE", "Video unavailable", `,"errorScreen":{"playerErrorMessageRenderer":{"subreason":{"runs":[{"text":"The uploader has not made this video available in your country"}]}}}`)), timed, fetch.Blocked, "country"},
		"not begun":           {ok, says("application/json", refusal("LIVE_STREAM_OFFLINE", "This live event will begin in 2 hours.", "")), timed, fetch.NotFound, "begin"},
		"no captions":         {ok, says("application/json", `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"AbCdEfGhI_1"}}`), timed, fetch.Unsupported, "no captions"},
		"no tracks":           {ok, says("application/json", playable()), timed, fetch.Unsupported, "no captions"},
		"another video":       {ok, says("application/json", strings.Replace(playable("en"), `"videoId":"AbCdEfGhI_1"`, `"videoId":"aQvGIIdgFDM"`, 1)), timed, fetch.Blocked, "another video"},
		"player's page":       {ok, says(html, sorry), timed, fetch.Blocked, "person"},
		"player's web page":   {ok, says(html, "<!DOCTYPE html><p>Hello"), timed, fetch.Blocked, "web page"},
		"player refuses":      {ok, status(400, "application/json", `{"error":{"code":400,"status":"FAILED_PRECONDITION"}}`), timed, fetch.Failed, "changed"},
		"player limited":      {ok, status(429, "application/json", `{}`), timed, fetch.RateLimited, "429"},
		"player is no JSON":   {ok, says("application/json", `{"playabilityStatus":`), timed, fetch.Failed, "changed"},
		"player is empty":     {ok, says("application/json", `{}`), timed, fetch.Failed, "changed"},
		"player too long":     {ok, says("application/json", strings.Repeat(" ", 5<<20)), timed, fetch.TooLarge, ""},
		"empty captions":      {ok, good, says(html, ""), fetch.Blocked, "proof of origin"},
		"captions limited":    {ok, good, status(429, html, "x"), fetch.RateLimited, "429"},
		"captions not found":  {ok, good, status(404, html, "x"), fetch.Failed, "changed"},
		"player not found":    {ok, status(404, html, "x"), timed, fetch.Failed, "changed"},
		"captions as HTML":    {ok, good, says(html, "<!DOCTYPE html><title>Sorry...</title>"), fetch.Blocked, "web page"},
		"HTML, said as JSON":  {ok, good, says("application/json", "\n<!DOCTYPE html><title>Sorry...</title>"), fetch.Blocked, "web page"},
		"captions as XML":     {ok, good, says("text/xml", `<?xml version="1.0"?><transcript><text start="0">x</text></transcript>`), fetch.Failed, "changed"},
		"captions of nothing": {ok, good, says("application/json", `{"wireMagic":"pb3","events":[{"tStartMs":0,"segs":[{"utf8":"\n"}]}]}`), fetch.Empty, "no words"},
		"captions elsewhere":  {ok, says("application/json", strings.ReplaceAll(playable("en"), "www.youtube.com/api", "evil.example/api")), timed, fetch.Failed, "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			city := tube(t, c.watch, c.player, c.timed)
			e := wants(t, over(city, sites.Config{}), watchURL, c.outcome, c.say)
			if name == "limited" && e.RetryAfter.Seconds() != 120 {
				t.Errorf("retry after %v", e.RetryAfter)
			}
			if strings.Contains(e.Error(), "AIzaSy") {
				t.Errorf("the API key is in the error: %v", e)
			}
			if n := len(city.requests("")); n > 5 || len(city.requests("evil.example")) > 0 {
				t.Errorf("asked %v", city.requests(""))
			}
		})
	}
}

// The second client is asked where the first gives no captions.
func TestYouTubeSecondClient(t *testing.T) {
	c := tube(t, says("text/html", watchPage), func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"IOS"`) {
			says("application/json", playable("en"))(w, r)
			return
		}
		status(400, "application/json", `{"error":{"code":400,"message":"Precondition check failed.","status":"FAILED_PRECONDITION"}}`)(w, r)
	}, says("application/json", captions))
	reads(t, over(c, sites.Config{}), watchURL, watchURL)
}

// Long tables of styles before the events do not hide what the document is.
func TestYouTubeStyles(t *testing.T) {
	long := `{"wireMagic":"pb3","pens":[` + strings.Repeat(`{"bBold":1},`, 500) + `{}],"events":[{"tStartMs":80,"dDurationMs":4000,"segs":[{"utf8":"in bold words"}]}]}`
	c := tube(t, says("text/html", watchPage), says("application/json", playable("en")), says("application/json", long))
	doc := reads(t, over(c, sites.Config{}), watchURL, watchURL)
	page, err := extract.Extract(t.Context(), extract.Input{URL: doc.URL, ContentType: doc.ContentType, Body: doc.Body})
	if err != nil || page.Kind != evidence.Transcript || page.Blocks[0].Text != "in bold words" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestYouTubeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := tube(t, says("text/html", watchPage), func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the server does not see that the client left
		cancel()
		<-r.Context().Done()
	}, says("application/json", captions))
	if _, err := over(c, sites.Config{}).Fetch(ctx, watchURL); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// The bank's answer in place of captions, at each of the three questions.
func TestYouTubeCase086(t *testing.T) {
	read := func(name string) []byte {
		body, err := os.ReadFile(testset.Path(t, "cases", "086-html-instead-of-captions", name))
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	var exchange struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body_file"`
	}
	if err := json.Unmarshal(read("exchange.json"), &exchange); err != nil {
		t.Fatal(err)
	}
	answer := status(exchange.Status, exchange.Headers["Content-Type"], string(read(exchange.Body)))
	raw := "https://www.youtube.com/watch?v=demo0000001"
	ok := says("text/html", watchPage)
	good := says("application/json", strings.ReplaceAll(playable("en"), "AbCdEfGhI_1", "demo0000001"))
	for _, c := range []*city{tube(t, ok, good, answer), tube(t, ok, answer, answer), tube(t, answer, answer, answer)} {
		wants(t, over(c, sites.Config{}), raw, fetch.Blocked)
	}
}

func TestVideoID(t *testing.T) {
	const id = "AbCdEfGhI_1"
	for raw, want := range map[string]string{
		"https://www.youtube.com/watch?v=" + id + "#t=5": id, "youtube.com/watch?v=" + id: "", "HTTPS://WWW.YOUTUBE.COM/watch?v=" + id: id,
		"https://youtube.com/watch/" + id: id, "https://music.youtube.com/watch?v=" + id + "&list=RDAMVM": id, "https://youtu.be/" + id + "/": id,
		"https://www.youtube-nocookie.com/embed/" + id: id, "https://www.youtube.com/v/" + id + "?version=3": id, "https://www.youtube.com/e/" + id: id,
		"https://www.youtube.com/attribution_link?a=x&u=%2Fwatch%3Fv%3D" + id + "%26feature%3Dshare": id,
		"https://www.youtube.com/attribution_link?u=https%3A%2F%2Fevil.example%2Fwatch%3Fv%3D" + id:  "",
		"https://www.youtube.com/watch?v=" + id + "?t=30":                                            id, "https://www.youtube.com/watch?v=" + id + "x": "", "https://www.youtube.com/watch?v=short": "",
		"https://www.youtube.com/embed/videoseries?list=PL1": "", "https://www.youtube.com/embed/live_stream?channel=UC1": "",
		"https://www.youtube.com/playlist?list=PL" + id: "", "https://www.youtube.com/results?search_query=" + id: "", "https://www.youtube.com/channel/" + id: "",
		"https://www.youtube.com:8443/watch?v=" + id: "", "https://youtube.com.evil.example/watch?v=" + id: "", "https://notyoutube.com/watch?v=" + id: "",
		"https://evil.example/www.youtube.com/watch?v=" + id: "", "https://www.youtube.com@evil.example/watch?v=" + id: "", "https://youtu.be.evil.example/" + id: "",
		"https://www.youtube.com/?v=" + id: id, "https://www.youtube.com/embed?v=" + id: id, "https://youtu.be/?v=" + id: id, "https://www.youtube.com//watch?v=" + id: id,
		"https://www.youtube.com/watch?v%3D" + id: id, "https://www.youtube.com/watch%3Fv%3D" + id + "%26t%3D3": id, "https://www.youtube.com/source/" + id + "/shorts": id,
		"https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fyoutu.be%2F" + id: id, "https://consent.youtube.com/m?continue=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3D" + id + "&gl=DE": id,
		"https://www.youtube.com/oembed?url=https%3A%2F%2Fvimeo.example%2F" + id: "", "https://www.youtube.com/oembed?url=https%3A%2F%2Fwww.youtube.com%2Foembed%3Furl%3Dhttps%253A%252F%252Fyoutu.be%252F" + id: "",
		"https://consent.youtube.com/m?v=" + id: "", "https://www.youtube.com/" + id: "", "https://www.youtube.com/user/" + id: "", "https://www.youtube.com/clip/" + id: "", "https://www.youtube.com/watch?V=" + id: "",
		"https://www.youtube.com/watch?v=https://youtu.be/" + id: "", "https://www.youtube.com/shorts": "", "https://www.youtube.com/": "",
		"ftp://youtu.be/" + id: "", "": "", "https://www.youtube.com/redirect?q=https%3A%2F%2Fyoutu.be%2F" + id: "",
	} {
		got, ok := sites.VideoID(raw)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", raw, got, ok, want)
		}
	}
}
