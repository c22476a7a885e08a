package fetch

import (
	"bytes"
	"encoding/json"
	"strings"

	"ibid/internal/lazyregexp"
)

// notFree reports whether a page's JSON-LD says that it, or a part of it, is not accessible for free (schema.org). Only
// texts count: a museum is not free either, and neither is the article that a page links to.
func notFree(ld []byte) bool {
	var v any
	if json.Unmarshal(bytes.TrimSpace(ld), &v) != nil { // wrapped in comments, or with a bare line break in a text
		return notFreeMark.Match(ld) && textMark.Match(ld)
	}
	return notFreeNode(v, 0)
}

var (
	notFreeMark = lazyregexp.New(`(?i)"isAccessibleForFree"\s*:\s*("?false\b|"https?://schema\.org/false")`)
	textMark    = lazyregexp.New(`"@type"\s*:\s*\[?\s*"[^"]{0,100}(Article|Posting|WebPage|CreativeWork|Report|Review|Chapter)"`)
)

func notFreeNode(v any, depth int) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if depth < 8 && notFreeNode(x, depth+1) {
				return true
			}
		}
	case map[string]any:
		if isText(v["@type"]) && isFalse(v["isAccessibleForFree"]) {
			return true
		}
		return depth < 8 && (notFreeNode(v["@graph"], depth+1) || notFreeNode(v["hasPart"], depth+1) || notFreeNode(v["mainEntity"], depth+1))
	}
	return false
}

func isFalse(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case string:
		v = strings.ToLower(strings.TrimSpace(v))
		return v == "false" || strings.HasSuffix(v, "schema.org/false")
	}
	return false
}

// isText reports whether a schema.org type is that of a text.
func isText(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if isText(x) {
				return true
			}
		}
	case string:
		for _, name := range []string{"Article", "Posting", "WebPage", "WebPageElement", "CreativeWork", "Report", "Review", "Chapter"} {
			if strings.HasSuffix(v, name) {
				return true
			}
		}
	}
	return false
}
