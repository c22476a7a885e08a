package foreign

import (
	"net/url"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

var (
	evidenceID   = lazyregexp.New(`^S[1-9][0-9]{0,3}$`)
	arxivVersion = lazyregexp.New(`(?:v[0-9]{1,2})?(?:\.pdf)?$`)
	indexPage    = lazyregexp.New(`(?i)/(?:index|default)\.(?:html?|php|aspx?)$`)
)

// identity is the spelling by which two addresses of one document are told to be the same before it is read: scheme, "www.",
// tracking parameters, fragments, a slash at the end and the name of an index page do not count; a DOI and a paper of arXiv
// are known by their names, whoever resolves them.
func identity(address string) string {
	canonical, err := fetch.CanonicalURL(address)
	if err != nil {
		return strings.TrimSpace(address)
	}
	u, err := url.Parse(canonical)
	if err != nil || u.Scheme == "file" {
		return canonical
	}
	host := strings.TrimPrefix(u.Host, "www.")
	switch path := strings.Trim(u.Path, "/"); {
	case (host == "doi.org" || host == "dx.doi.org") && strings.HasPrefix(path, "10."):
		path = strings.ToLower(path)
		if id, ok := strings.CutPrefix(path, "10.48550/arxiv."); ok {
			return "arxiv:" + arxivVersion.ReplaceAllString(id, "")
		}
		return "doi:" + path
	case host == "arxiv.org" || host == "export.arxiv.org":
		kind, id, _ := strings.Cut(path, "/")
		if kind == "abs" || kind == "pdf" || kind == "html" {
			return "arxiv:" + arxivVersion.ReplaceAllString(id, "")
		}
	}
	path := strings.TrimSuffix(indexPage.ReplaceAllString(u.EscapedPath(), "/"), "/")
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return host + path
}
