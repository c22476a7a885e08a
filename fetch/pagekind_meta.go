package fetch

import (
	"strconv"
	"strings"
	"time"
)

func (s *scanner) meta(attrs map[string]string) {
	name := strings.ToLower(attrs["name"] + attrs["property"] + attrs["itemprop"])
	content := strings.TrimSpace(attrs["content"])
	switch {
	case strings.EqualFold(attrs["http-equiv"], "refresh") && s.refresh == "":
		if wait, target := readRefresh(content); wait <= time.Second {
			s.refresh = target
		}
	case name == "article:content_tier" && strings.EqualFold(content, "locked"), name == "isaccessibleforfree" && isFalse(content):
		s.locked = true
	}
}

// readRefresh reads the content of a refresh as browsers do (HTML, shared declarative refresh steps): "0; url='next.html'".
// Without a target it is the page again, so "".
func readRefresh(content string) (wait time.Duration, target string) {
	rest := strings.TrimLeft(content, "0123456789.")
	number := content[:len(content)-len(rest)]
	whole, _, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi("0" + whole)
	after := strings.TrimLeft(rest, " \t\n\f\r")
	if number == "" || err != nil || after == rest && rest != "" && rest[0] != ';' && rest[0] != ',' {
		return time.Hour, ""
	}
	if after != "" && (after[0] == ';' || after[0] == ',') {
		after = strings.TrimSpace(after[1:])
	}
	if len(after) > 3 && strings.EqualFold(after[:3], "url") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(after[3:]), "="); ok {
			after = strings.TrimSpace(value)
		}
	}
	if after != "" && (after[0] == '"' || after[0] == '\'') {
		after, _, _ = strings.Cut(after[1:], after[:1])
	}
	return time.Duration(min(n, 3600)) * time.Second, strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(after))
}
