package search

import (
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

// Bounds on what one result may say. A snippet that is longer would be page content.
const (
	maxTitle   = 200 // characters
	maxSnippet = 400 // characters
)

// Clean makes provider answers uniform (SEARCH-2): tracking parameters go, the same page is listed once, titles and
// snippets are plain text on one line, a result without a title is titled by its address, and what is no readable
// address is dropped. The order stays. At most n results are returned, MaxResults if n is not in 1…MaxResults.
func Clean(results []Result, n int) []Result {
	if n < 1 || n > MaxResults {
		n = MaxResults
	}
	cleaned := []Result{}
	at := map[string]int{}
	for _, r := range results {
		address, key, ok := cleanURL(r.URL)
		if !ok {
			continue
		}
		title, snippet := cut(plain(r.Title), maxTitle), cut(plain(r.Snippet), maxSnippet)
		if i, seen := at[key]; seen { // a later copy may know what the first did not
			if cleaned[i].Title == "" {
				cleaned[i].Title = title
			}
			if cleaned[i].Snippet == "" {
				cleaned[i].Snippet = snippet
			}
			continue
		}
		at[key] = len(cleaned)
		cleaned = append(cleaned, Result{title, address, snippet})
	}
	cleaned = cleaned[:min(n, len(cleaned))]
	for i := range cleaned {
		if cleaned[i].Title == "" {
			cleaned[i].Title = titleOf(cleaned[i].URL)
		}
	}
	return cleaned
}

var (
	// Elements whose content is not text, and comments.
	hidden = lazyregexp.New(`(?is)<(script|style)\b[^>]*>.*?</(script|style)\s*>|<!--.*?-->`)
	// Elements that begin a new line: their tags separate words.
	blocks = lazyregexp.New(`(?i)</?(br|p|div|li|ul|ol|tr|td|th|table|h[1-6]|hr|blockquote)\b[^<>]*>`)
	// Elements inside a line, by name: `vector<int>` and `a < b` are text.
	inline = lazyregexp.New(`(?i)</?(a|abbr|b|big|cite|code|em|font|i|img|kbd|mark|q|s|small|span|strong|sub|sup|tt|u|var|wbr)(\s[^<>]*)?/?>`)
)

// plain turns a provider's HTML fragment into one line of text.
func plain(s string) string {
	if strings.ContainsRune(s, '<') {
		s = hidden.ReplaceAllString(s, " ")
		s = blocks.ReplaceAllString(s, " ")
		s = inline.ReplaceAllString(s, "")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0xFEFF, r == utf8.RuneError:
			return -1 // marks that reorder or hide what a reader sees
		}
		return r
	}, html.UnescapeString(s))
	return strings.Join(strings.Fields(s), " ")
}

// cut shortens s to at most n characters, at the end of a word where there is one.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return s + "…"
}

// titleOf makes a title of an address: host and path, as a person would read it.
func titleOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return cut(strings.TrimSuffix(u.Host+u.Path, "/"), maxTitle)
}
