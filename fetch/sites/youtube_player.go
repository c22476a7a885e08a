package sites

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// A videoClient is an app that YouTube's player API answers with captions. Versions age: they are data.
type videoClient struct {
	Name    string `json:"clientName"`
	Version string `json:"clientVersion"`
	Make    string `json:"deviceMake,omitempty"`
	Model   string `json:"deviceModel,omitempty"`
	OS      string `json:"osName,omitempty"`
	Release string `json:"osVersion,omitempty"`
	SDK     int    `json:"androidSdkVersion,omitempty"`
	Lang    string `json:"hl"` // of the reasons in answers
}

// videoClients are tried in this order. The captions of the web client want a proof of origin; these do not (as of
// early 2026: youtube-transcript-api uses the first, yt-dlp both).
var videoClients = []videoClient{
	{Name: "ANDROID", Version: "20.10.38", OS: "Android", Release: "11", SDK: 30, Lang: "en"},
	{Name: "IOS", Version: "21.02.3", Make: "Apple", Model: "iPhone16,2", OS: "iPhone", Release: "18.3.2.22D82", Lang: "en"},
}

// A player is what is read of an answer of the player API.
type player struct {
	Status struct {
		Status string `json:"status"`
		Reason string `json:"reason"`
		Age    int    `json:"desktopLegacyAgeGateReason"`
		Screen struct {
			Message struct {
				Reason    text `json:"reason"`
				Subreason text `json:"subreason"`
			} `json:"playerErrorMessageRenderer"`
		} `json:"errorScreen"`
	} `json:"playabilityStatus"`
	Captions *struct {
		List struct {
			Tracks []track `json:"captionTracks"`
		} `json:"playerCaptionsTracklistRenderer"`
	} `json:"captions"`
	Details details `json:"videoDetails"`
}

// details say which video it is.
type details struct {
	ID     string `json:"videoId"`
	Title  string `json:"title"`
	Author string `json:"author"`
}

// text is a shown text, in either of its two forms.
type text struct {
	Simple string `json:"simpleText"`
	Runs   []struct {
		Text string `json:"text"`
	} `json:"runs"`
}

func (t text) String() string {
	s := t.Simple
	for _, r := range t.Runs {
		s += r.Text
	}
	return s
}

// A track is the captions of one language.
type track struct {
	URL      string `json:"baseUrl"`
	Language string `json:"languageCode"`
	Kind     string `json:"kind"` // "asr" for automatic ones
}

func (t track) automatic() bool { return t.Kind == "asr" }

// parsePlayer reads an answer about a video. The tracks are those that can be asked for; an error says why there are none.
func parsePlayer(body []byte, id string) ([]track, details, *fetch.Unavailable) {
	var p player
	if json.Unmarshal(body, &p) != nil || p.Status.Status == "" {
		return nil, details{}, changed("the player's answer")
	}
	if e := p.playable(); e != nil {
		return nil, details{}, e
	}
	if p.Details.ID != "" && p.Details.ID != id {
		return nil, details{}, unavailable(fetch.Blocked, "YouTube answered with another video in its place: it limits readers at this address", subtitleFile)
	}
	var tracks []track
	if p.Captions != nil {
		for _, t := range p.Captions.List.Tracks {
			if t.URL != "" {
				tracks = append(tracks, t)
			}
		}
	}
	if len(tracks) == 0 {
		return nil, details{}, unavailable(fetch.Unsupported, "the video has no captions, or its owner disabled them; what is said in it cannot be read", subtitleFile)
	}
	return tracks, p.Details, nil
}

const subtitleFile = "Give a .vtt or .srt file of the video instead, or take another source."

func changed(what string) *fetch.Unavailable {
	return unavailable(fetch.Failed, "YouTube changed "+what+" so that its captions are not found any more", subtitleFile)
}

// playable is nil if the video can be played, else why not.
func (p *player) playable() *fetch.Unavailable {
	status := p.Status.Status
	if status == "OK" {
		return nil
	}
	said := p.Status.Reason
	for _, more := range []string{p.Status.Screen.Message.Reason.String(), p.Status.Screen.Message.Subreason.String()} {
		if more != "" && !strings.Contains(said, more) {
			said = strings.TrimSpace(said + " " + more)
		}
	}
	words := strings.ToLower(strings.ReplaceAll(said, "’", "'"))
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(s string) bool { return strings.Contains(words, s) })
	}
	said = strings.TrimSuffix(fetch.Excerpt(said, 200), ".")
	if said == "" {
		said = status
	}
	switch {
	case has("not a bot", "unusual traffic"):
		return unavailable(fetch.Blocked, "YouTube takes this address for a bot: "+said, subtitleFile)
	case p.Status.Age != 0, strings.Contains(status, "AGE_"), has("inappropriate for some", "confirm your age", "age-restricted"):
		return unavailable(fetch.Blocked, "the video is age-restricted, and is shown only to people who signed in", subtitleFile)
	case has("private"):
		return unavailable(fetch.Blocked, "the video is private", fetch.HintOther)
	case has("removed", "terminated", "no longer available", "does not exist", "closed their", "copyright", "deleted"):
		return unavailable(fetch.NotFound, "the video is gone: "+said, fetch.HintOther)
	case status == "LIVE_STREAM_OFFLINE":
		return unavailable(fetch.NotFound, "the stream has not begun: "+said, "Come back when it was recorded, or take another source.")
	case status == "ERROR":
		return unavailable(fetch.NotFound, "YouTube has no such video: "+said, "Check the video's address, or take another source.")
	case status == "LOGIN_REQUIRED":
		return unavailable(fetch.Blocked, "the video is shown only to people who signed in: "+said, subtitleFile)
	}
	return unavailable(fetch.Blocked, "the video cannot be played here: "+said, subtitleFile)
}

// choose picks the track to read: the wanted languages in their order, in each the manual captions before the automatic
// ones; else the manual captions in the language that is spoken, which the automatic ones are in, else any manual ones.
func choose(tracks []track, languages []string) (track, []string) {
	var flags []string
	best, found := track{}, false
	for _, wanted := range languages {
		if best, found = inLanguage(tracks, wanted); found {
			break
		}
	}
	if !found {
		spoken := ""
		if i := slices.IndexFunc(tracks, track.automatic); i >= 0 {
			spoken = tracks[i].Language
		}
		if best, found = inLanguage(tracks, spoken); !found || best.automatic() {
			if i := slices.IndexFunc(tracks, func(t track) bool { return !t.automatic() }); i >= 0 {
				best = tracks[i]
			} else if !found {
				best = tracks[0]
			}
		}
		if len(languages) > 0 {
			flags = append(flags, FlagOtherLanguage)
		}
	}
	if best.automatic() {
		flags = append(flags, FlagAutomatic)
	}
	return best, flags
}

// inLanguage returns the best track in a language: exactly this one before its regional kinds, manual before automatic.
func inLanguage(tracks []track, wanted string) (track, bool) {
	primary := func(tag string) string {
		p, _, _ := strings.Cut(strings.ToLower(tag), "-")
		return p
	}
	best, rank := track{}, 0
	for _, t := range tracks {
		r := 0
		if primary(t.Language) == primary(wanted) && wanted != "" {
			r = 1
			if strings.EqualFold(t.Language, wanted) {
				r = 2
			}
			if !t.automatic() {
				r += 2
			}
		}
		if r > rank {
			best, rank = t, r
		}
	}
	return best, rank > 0
}

// captionsURL is where a track is read as json3, on YouTube and nowhere else; "" if the track names another place.
func captionsURL(base, track string) string {
	home, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u, err := home.Parse(track)
	if err != nil || u.User != nil {
		return ""
	}
	switch {
	case u.Host == home.Host && u.Scheme == home.Scheme:
	case u.Scheme == "https" && (u.Host == "www.youtube.com" || u.Host == "youtube.com" || u.Host == "m.youtube.com"):
		u.Scheme, u.Host = home.Scheme, home.Host
	default:
		return ""
	}
	query := u.Query()
	query.Set("fmt", "json3")
	u.RawQuery = query.Encode()
	return u.String()
}

var (
	apiKey       = lazyregexp.New(`"INNERTUBE_API_KEY":\s*"([a-zA-Z0-9_-]{10,100})"`)
	consentValue = lazyregexp.New(`name="v" value="([a-zA-Z0-9_.+-]{1,200})"`)
)

// consentCookie answers a page that asks for consent: everything that is not necessary is refused. "" if it is no such page.
func consentCookie(page *fetch.Response) string {
	u, err := url.Parse(page.URL)
	asks := err == nil && u.Host == "consent.youtube.com" || strings.Contains(string(page.Body), `action="https://consent.youtube.com/`)
	if !asks {
		return ""
	}
	cookie := "SOCS=CAI"
	if m := consentValue.FindSubmatch(page.Body); m != nil {
		cookie += "; CONSENT=YES+" + string(m[1])
	}
	return cookie
}
