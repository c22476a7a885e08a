package extractive

import (
	"fmt"
	"net/url"
	"sort"
	"strings"

	"ibid/search"
)

// hostOf is the host of a URL without www., or "" for a file.
func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.ToLower(u.Host), "www.")
}

// readable says whether a URL is of a kind that can hold a document.
func readable(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "file" || u.Scheme == "") && raw != ""
}

// urlKey is an address without what does not change the document: scheme, www., fragment, trackers, a final slash.
func urlKey(raw string) string {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return raw
	}
	query := u.Query()
	names := make([]string, 0, len(query))
	for name := range query {
		if !search.Tracking(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(strings.ToLower(u.Host), "www."))
	b.WriteString(strings.TrimSuffix(u.EscapedPath(), "/"))
	for _, name := range names {
		fmt.Fprintf(&b, "&%s=%s", name, strings.Join(query[name], ","))
	}
	return b.String()
}

// pathWords are the words in a URL's last path element.
func pathWords(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	path := strings.TrimSuffix(u.Path, "/")
	path = path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.LastIndexByte(path, '.'); dot > 0 {
		path = path[:dot]
	}
	return strings.NewReplacer("-", " ", "_", " ", "+", " ", "%20", " ").Replace(path)
}
