package extract

import (
	"slices"
	"strings"
)

// A thing is one object of schema.org that a page describes, in whatever syntax: JSON-LD, microdata or RDFa.
type thing struct {
	syntax string // "json-ld", "microdata", "rdfa"
	types  []string
	values map[string]any
	byID   map[string]map[string]any // other objects of the same script, for references
}

// pageSubjects are the types that a page is about, those that say most first.
var pageSubjects = []string{
	"ScholarlyArticle", "MedicalScholarlyArticle", "NewsArticle", "AnalysisNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "BackgroundNewsArticle", "ReviewNewsArticle",
	"LiveBlogPosting", "BlogPosting", "TechArticle", "APIReference", "Report", "SatiricalArticle", "AdvertiserContentArticle", "SocialMediaPosting", "DiscussionForumPosting",
	"Article", "Question", "Recipe", "HowTo", "Course", "Dataset", "Book", "Chapter", "Thesis", "SoftwareSourceCode", "SoftwareApplication", "WebApplication", "MobileApplication",
	"Product", "Event", "JobPosting", "Movie", "TVEpisode", "PodcastEpisode", "VideoObject", "Review", "CreativeWork", "Legislation",
	"QAPage", "FAQPage", "AboutPage", "ItemPage", "MedicalWebPage", "ProfilePage", "CollectionPage", "WebPage",
}

func (t thing) is(kind string) bool { return slices.Contains(t.types, kind) }

func (t thing) rank() int {
	best := len(pageSubjects)
	for _, kind := range t.types {
		if i := slices.Index(pageSubjects, kind); i >= 0 {
			best = min(best, i)
		}
	}
	return best
}

// webPage reports whether a thing is the page rather than what the page is about.
func (t thing) webPage() bool { return t.rank() >= slices.Index(pageSubjects, "QAPage") }

// mainThing chooses the object that a page is about: the one that the page's address names, else the only one of its
// kind. Several of a kind are a list, which says nothing about the page.
func mainThing(things []thing, addresses ...string) thing {
	var best thing
	kinds := map[int]int{}
	named := func(t thing) bool {
		for _, key := range [...]string{"mainEntityOfPage", "url", "@id"} {
			for _, u := range addresses {
				if v := t.text(key); v != "" && u != "" && samePlace(v, u) {
					return true
				}
			}
		}
		return false
	}
	bestNamed := false
	for _, t := range things {
		rank := t.rank()
		if rank == len(pageSubjects) {
			continue
		}
		kinds[rank]++
		n := named(t) && !t.webPage()
		if t.is("VideoObject") && !n { // most are a film beside the text
			continue
		}
		switch {
		case best.values == nil, n && !bestNamed, n == bestNamed && rank < best.rank():
			best, bestNamed = t, n
		}
	}
	if best.values == nil || bestNamed || kinds[best.rank()] == 1 {
		return best
	}
	same := true
	for _, t := range things {
		if t.rank() == best.rank() && t.text("headline", "name") != best.text("headline", "name") {
			same = false
		}
	}
	if same {
		return best
	}
	for _, t := range things { // a list: what is said of the page itself
		if t.webPage() && t.rank() < len(pageSubjects) && kinds[t.rank()] == 1 {
			return t
		}
	}
	return thing{}
}

// samePlace compares addresses without scheme, "www.", fragment and slash at the end.
func samePlace(a, b string) bool {
	plain := func(s string) string {
		s, _, _ = strings.Cut(s, "#")
		_, after, ok := strings.Cut(s, "://")
		if ok {
			s = after
		}
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	return plain(a) == plain(b)
}

// where names the place of a property, for Page.Stated.
func (t thing) where(property string) string {
	kind := "Thing"
	for _, k := range t.types {
		if kind == "Thing" || slices.Contains(pageSubjects, k) {
			kind = k
		}
	}
	return t.syntax + " " + kind + "." + property
}

// text returns the first text of the first of several properties that has one: a string, or the name, URL or value of
// an object.
func (t thing) text(properties ...string) string {
	for _, p := range properties {
		for _, s := range t.strings(t.values[p], 0) {
			if s = strings.TrimSpace(s); s != "" {
				return s
			}
		}
	}
	return ""
}

// names returns the names of the people or organisations under a property.
func (t thing) names(property string) []string {
	return t.strings(t.values[property], 0)
}

func (t thing) strings(v any, depth int) (list []string) {
	if depth > 4 {
		return nil
	}
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v[:min(len(v), maxAuthors)] {
			list = append(list, t.strings(e, depth+1)...)
		}
	case map[string]any:
		if known := t.byID[idOf(v)]; known != nil && v["name"] == nil { // a reference
			v = known
		}
		for _, key := range [...]string{"name", "@value", "value", "alternateName"} {
			if s := t.strings(v[key], depth+1); len(s) > 0 {
				return s[:1]
			}
		}
		given, _ := v["givenName"].(string)
		family, _ := v["familyName"].(string)
		if s := strings.TrimSpace(given + " " + family); s != "" {
			return []string{s}
		}
		for _, key := range [...]string{"url", "@id"} {
			if s, ok := v[key].(string); ok {
				return []string{s}
			}
		}
	}
	return list
}

func idOf(v map[string]any) string {
	s, _ := v["@id"].(string)
	return s
}

// locked reports whether a thing, or a part of it, says that it is not free to read.
func (t thing) locked() bool {
	locked := func(v any) bool {
		m, _ := v.(map[string]any)
		switch free := m["isAccessibleForFree"].(type) {
		case bool:
			return !free
		case string:
			return strings.EqualFold(strings.TrimPrefix(strings.TrimPrefix(free, "https://schema.org/"), "http://schema.org/"), "false")
		}
		return false
	}
	if locked(t.values) {
		return true
	}
	parts, ok := t.values["hasPart"].([]any)
	if !ok {
		parts = []any{t.values["hasPart"]}
	}
	return slices.ContainsFunc(parts, locked)
}
