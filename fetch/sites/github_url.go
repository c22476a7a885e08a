package sites

import (
	"net/url"
	"strings"

	"ibid/internal/lazyregexp"
)

// A repoPage is what a GitHub URL names. Ref and path of a tree or a file stand undivided in rest, since a branch's name
// may hold slashes: only GitHub knows where it ends.
type repoPage struct {
	owner, repo string
	kind        string // tree, blob or commit
	rest        []string
}

var (
	ownerName = lazyregexp.New(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$`)
	repoName  = lazyregexp.New(`^[A-Za-z0-9._-]{1,100}$`)
	fullSHA   = lazyregexp.New(`^[0-9a-f]{40}$`)
)

// siteWords are first elements of paths on github.com that are no owners.
var siteWords = words(`about account apps blog codespaces collections contact copilot customer-stories dashboard discussions
	enterprise events explore features gist github-copilot issues join login logout marketplace mobile models new nonprofit
	notifications open-source organizations orgs premium-support pricing pulls readme resources search security sessions
	settings signup site solutions sponsors stars team team-topics topics trending users watching why-github`)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// githubPage reads a canonical URL; false if it names no repository, folder, file or commit.
func githubPage(u *url.URL) (repoPage, bool) {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if len(parts) < 2 {
		return repoPage{}, false
	}
	p := repoPage{owner: parts[0], repo: strings.TrimSuffix(parts[1], ".git"), kind: "tree"}
	if !ownerName.MatchString(p.owner) || !repoName.MatchString(p.repo) || p.repo == "." || p.repo == ".." || siteWords[strings.ToLower(p.owner)] {
		return repoPage{}, false
	}
	parts = parts[2:]
	switch u.Host {
	case "raw.githubusercontent.com":
		p.kind = "blob"
	case "github.com", "www.github.com":
		if len(parts) == 0 {
			return p, true
		}
		switch p.kind = parts[0]; p.kind {
		case "raw", "blame":
			p.kind = "blob"
		case "tree", "blob", "commit":
		default:
			return repoPage{}, false // issues, pull requests, releases …
		}
		parts = parts[1:]
	default:
		return repoPage{}, false
	}
	if len(parts) > 2 && parts[0] == "refs" && (parts[1] == "heads" || parts[1] == "tags") {
		parts = parts[2:]
	}
	p.rest = parts
	for _, part := range parts {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return repoPage{}, false
		}
	}
	switch p.kind {
	case "blob":
		return p, len(parts) >= 2
	case "commit":
		return p, len(parts) == 1
	}
	return p, len(parts) >= 1
}

// escape makes a path of elements.
func escape(elements ...string) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(e))
	}
	return b.String()
}
