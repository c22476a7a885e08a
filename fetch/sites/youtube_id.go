package sites

import (
	"net/url"
	"strings"

	"ibid/fetch"
)

// idLength is how many characters a video's id has.
const idLength = 11

// videoHosts are the hosts under which YouTube shows videos.
var videoHosts = map[string]bool{
	"youtube.com": true, "www.youtube.com": true, "m.youtube.com": true, "music.youtube.com": true, "gaming.youtube.com": true,
	"youtube-nocookie.com": true, "www.youtube-nocookie.com": true, "youtube.googleapis.com": true,
	"youtubekids.com": true, "www.youtubekids.com": true,
}

// VideoID returns the id of the YouTube video that a URL shows. A playlist, a channel or a host that only looks like
// YouTube's has none.
func VideoID(raw string) (string, bool) {
	canonical, err := fetch.CanonicalURL(raw)
	if err != nil {
		return "", false
	}
	u, err := url.Parse(canonical)
	if err != nil {
		return "", false
	}
	id := videoID(u, true)
	return id, id != ""
}

// videoID reads a canonical URL; nested says whether a link that leads to a video may name another URL.
func videoID(u *url.URL, nested bool) string {
	path, escaped, _ := strings.Cut(strings.TrimLeft(u.Path, "/"), "?") // "watch%3Fv%3D…": escaped once too often
	first, rest, _ := strings.Cut(path, "/")
	query := u.Query()
	if more, err := url.ParseQuery(escaped); err == nil && escaped != "" {
		query = more
	}
	if u.Host == "youtu.be" || u.Host == "www.youtu.be" {
		if first == "" {
			return queryID(query)
		}
		return cleanID(first)
	}
	if u.Host == "consent.youtube.com" {
		return linkedID(query.Get("continue"), nested)
	}
	if !videoHosts[u.Host] || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	switch first {
	case "watch", "watch_popup", "ytscreeningroom", "embed", "":
		if rest != "" {
			return cleanID(rest)
		}
		return queryID(query)
	case "shorts", "live", "v", "vi", "e", "source":
		return cleanID(rest)
	case "attribution_link":
		return linkedID(query.Get("u"), nested)
	case "oembed":
		return linkedID(query.Get("url"), nested)
	}
	return ""
}

// queryID is the id among the parameters of a URL, also where the sign between name and value is escaped.
func queryID(query url.Values) string {
	for _, name := range []string{"v", "vi"} {
		if id := cleanID(query.Get(name)); id != "" {
			return id
		}
	}
	for name := range query {
		if id, ok := strings.CutPrefix(name, "v="); ok && cleanID(id) != "" {
			return cleanID(id)
		}
	}
	return ""
}

// linkedID is the id of the video that a link of YouTube's leads to.
func linkedID(target string, nested bool) string {
	link, err := (&url.URL{Scheme: "https", Host: "www.youtube.com"}).Parse(target)
	if err != nil || !nested || target == "" {
		return ""
	}
	return videoID(link, false)
}

// cleanID returns the id at the beginning of s, if nothing of a longer word is cut by it.
func cleanID(s string) string {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'A' && s[n] <= 'Z' || s[n] >= 'a' && s[n] <= 'z' || s[n] == '-' || s[n] == '_') {
		n++
	}
	if n != idLength || n < len(s) && !strings.ContainsRune("/?&#;", rune(s[n])) {
		return ""
	}
	if id := s[:n]; id != "videoseries" && id != "live_stream" { // players of a playlist and of a channel
		return id
	}
	return ""
}
