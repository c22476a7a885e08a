package sites

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"ibid/fetch"
)

// Limits of what YouTube answers, in bytes.
const (
	maxWatchPage = 6 << 20
	maxPlayer    = 4 << 20
	maxCaptions  = 8 << 20
)

// youtube reads a video's captions: the watch page gives the key of the player API, which gives the tracks.
func (s *Sites) youtube(u *url.URL) reader {
	id := videoID(u, true)
	if id == "" {
		return nil
	}
	return func(ctx context.Context) (*fetch.Document, error) { return s.captions(ctx, id) }
}

func (s *Sites) captions(ctx context.Context, id string) (*fetch.Document, error) {
	key, err := s.playerKey(ctx, id)
	if err != nil {
		return nil, err
	}
	var first error // the first client is the one that answers best, also for why it does not
	for _, client := range videoClients {
		doc, err := s.captionsFor(ctx, id, key, client)
		if err == nil {
			return doc, nil
		}
		if first == nil {
			first = err
		}
		if final(err) {
			break
		}
	}
	return nil, first
}

// final says whether no other client would do better.
func final(err error) bool {
	var e *fetch.Unavailable
	if !errors.As(err, &e) {
		return true // cancelled
	}
	return e.Outcome == fetch.RateLimited || e.Outcome == fetch.NotFound || e.Outcome == fetch.Empty
}

// playerKey reads the watch page, through a consent page if one stands in its place.
func (s *Sites) playerKey(ctx context.Context, id string) (string, error) {
	header := http.Header{"Accept-Language": {"en-US"}}
	for try := range 2 {
		page, err := s.client.Do(ctx, fetch.Request{URL: s.base("youtube") + "/watch?v=" + id, Header: header, MaxBody: maxWatchPage})
		if err := s.wall(page, err); err != nil {
			return "", err
		}
		if cookie := consentCookie(page); cookie != "" {
			if try == 1 {
				break
			}
			header = header.Clone()
			header.Set("Cookie", cookie)
			continue
		}
		key := apiKey.FindSubmatch(page.Body)
		switch {
		case key != nil:
			return string(key[1]), nil
		case !bytes.Contains(page.Body, []byte("ytcfg")) && !bytes.Contains(page.Body, []byte("ytInitial")):
			return "", unavailable(fetch.Blocked, "YouTube answered with another page in place of the video's: it limits readers at this address", subtitleFile)
		}
		return "", changed("the video's page")
	}
	return "", unavailable(fetch.ConsentWall, "YouTube's page that asks for consent stays in place of the video", subtitleFile)
}

// wall recognises answers by which YouTube keeps readers out, whatever was asked.
func (s *Sites) wall(resp *fetch.Response, err error) error {
	var e *fetch.Unavailable
	if errors.As(err, &e) && e.Outcome == fetch.Moved {
		if u, parse := url.Parse(e.Location); parse == nil && strings.HasPrefix(u.Path, "/sorry") {
			return unavailable(fetch.Blocked, "YouTube asks to prove that a person is reading", subtitleFile)
		}
		return unavailable(fetch.Failed, "YouTube answered with a redirect to another site", subtitleFile)
	}
	if err != nil {
		return err
	}
	switch e := s.status("YouTube", resp); {
	case resp.Status == http.StatusTooManyRequests: // with a bot check or without
		e := unavailable(fetch.RateLimited, "YouTube answered 429: too many requests came from this address", subtitleFile)
		e.RetryAfter = fetch.RetryAfter(resp.Header, s.now())
		return e
	case bytes.Contains(resp.Body, []byte(`class="g-recaptcha"`)) || bytes.Contains(resp.Body, []byte(`id="captcha-form"`)):
		return unavailable(fetch.Blocked, "YouTube asks to prove that a person is reading", subtitleFile)
	case e != nil:
		return e
	}
	return nil
}

// captionsFor asks the player API as one of its clients, and reads the best track.
func (s *Sites) captionsFor(ctx context.Context, id, key string, client videoClient) (*fetch.Document, error) {
	ask, err := json.Marshal(map[string]any{"videoId": id, "context": map[string]any{"client": client}})
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(ctx, fetch.Request{Method: http.MethodPost, URL: s.base("youtube") + "/youtubei/v1/player?key=" + key,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: ask, MaxBody: maxPlayer, Redirects: -1})
	if err == nil && (resp.Status == http.StatusBadRequest || resp.Status == http.StatusNotFound) {
		return nil, changed("the rules for its " + client.Name + " client")
	}
	if err := s.wall(resp, err); err != nil {
		return nil, withoutKey(err, key)
	}
	if fetch.IsHTML(resp) {
		return nil, unavailable(fetch.Blocked, "YouTube answered with a web page in place of the player's data: it limits readers at this address", subtitleFile)
	}
	tracks, video, cannot := parsePlayer(resp.Body, id)
	if cannot != nil {
		return nil, cannot
	}
	best, flags := choose(tracks, s.languages)
	body, err := s.timedText(ctx, best)
	if err != nil {
		return nil, err
	}
	doc := s.document("https://www.youtube.com/watch?v="+id, "application/json", body, flags...)
	doc.Title, doc.Author = video.Title, video.Author
	return doc, nil
}

// withoutKey keeps the page's API key out of an error: it is no secret of ours, and no text for a reader either.
func withoutKey(err error, key string) error {
	var e *fetch.Unavailable
	if !errors.As(err, &e) {
		return err
	}
	own := *e
	own.Reason = strings.ReplaceAll(own.Reason, key, "…")
	return &own
}

// timedText reads a track as json3.
func (s *Sites) timedText(ctx context.Context, t track) ([]byte, error) {
	at := captionsURL(s.base("youtube"), t.URL)
	if at == "" {
		return nil, changed("the address of captions")
	}
	resp, err := s.client.Do(ctx, fetch.Request{URL: at, Header: http.Header{"Accept-Language": {"en-US"}}, MaxBody: maxCaptions})
	if err == nil && resp.Status == http.StatusNotFound { // the video is there
		return nil, changed("the address of captions")
	}
	if err := s.wall(resp, err); err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(resp.Body)
	switch {
	case len(body) == 0:
		return nil, unavailable(fetch.Blocked, "YouTube answered with empty captions: it wants a proof of origin that only its own players have", subtitleFile)
	case fetch.IsHTML(resp):
		return nil, unavailable(fetch.Blocked, "YouTube answered with a web page in place of captions: it limits readers at this address", subtitleFile)
	}
	return json3(body)
}

// json3 checks captions in YouTube's json3 form. Long tables of styles before the events are left out, since captions
// are recognised by their beginning.
func json3(body []byte) ([]byte, error) {
	var doc struct {
		Events json.RawMessage `json:"events"`
	}
	var events []struct {
		Segs []struct {
			Text string `json:"utf8"`
		} `json:"segs"`
	}
	if json.Unmarshal(body, &doc) != nil || len(doc.Events) > 0 && json.Unmarshal(doc.Events, &events) != nil {
		return nil, changed("the form of captions")
	}
	said := false
	for _, e := range events {
		for _, seg := range e.Segs {
			said = said || strings.TrimSpace(seg.Text) != ""
		}
	}
	if !said {
		return nil, unavailable(fetch.Empty, "the video's captions hold no words", fetch.HintOther)
	}
	if i := bytes.Index(body, []byte(`"tStartMs"`)); i > 4000 {
		body = append(append([]byte(`{"wireMagic":"pb3","events":`), doc.Events...), '}')
	}
	return body, nil
}
