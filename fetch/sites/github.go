package sites

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// maxRefWords is how many elements of a path a branch's name is looked for in.
const maxRefWords = 4

// github reads repositories, folders and files at a commit, and commits as patches. Its links are pinned: what they show
// never changes.
func (s *Sites) github(u *url.URL) reader {
	p, ok := githubPage(u)
	if !ok {
		return nil
	}
	return func(ctx context.Context) (*fetch.Document, error) {
		if p.kind == "commit" {
			return s.patch(ctx, p)
		}
		sha, path, err := s.resolve(ctx, p)
		switch {
		case err != nil:
			return nil, err
		case p.kind == "blob":
			return s.blob(ctx, p, sha, path)
		}
		return s.tree(ctx, p, sha, path)
	}
}

// resolve finds the commit that a URL's reference names now, and the path behind the reference. The shortest reference
// that exists is the one: GitHub does not allow a branch a when there is a branch a/b.
func (s *Sites) resolve(ctx context.Context, p repoPage) (sha string, path []string, err error) {
	if len(p.rest) == 0 {
		sha, err = s.commit(ctx, p, "HEAD")
		return sha, nil, err
	}
	if fullSHA.MatchString(p.rest[0]) {
		return p.rest[0], p.rest[1:], nil
	}
	longest := min(len(p.rest), maxRefWords)
	if p.kind == "blob" {
		longest = min(len(p.rest)-1, maxRefWords)
	}
	for n := 1; n <= longest; n++ {
		sha, err = s.commit(ctx, p, strings.Join(p.rest[:n], "/"))
		if err == nil {
			return sha, p.rest[n:], nil
		}
		if !errors.Is(err, errNoRef) {
			return "", nil, err
		}
	}
	return "", nil, unavailable(fetch.NotFound, "the repository has no branch, tag or commit "+fetch.Excerpt(p.rest[0], 80),
		"Read the repository's root, https://github.com/"+p.owner+"/"+p.repo+", instead.")
}

var errNoRef = errors.New("no such reference")

// commit asks for the hash of a reference.
func (s *Sites) commit(ctx context.Context, p repoPage, ref string) (string, error) {
	at := escape(append([]string{"repos", p.owner, p.repo, "commits"}, strings.Split(ref, "/")...)...)
	resp, err := s.api(ctx, at, "application/vnd.github.sha", fetch.MaxHTML)
	if err != nil {
		return "", err
	}
	if resp.Status == http.StatusUnprocessableEntity {
		return "", errNoRef
	}
	if err := s.githubStatus(resp); err != nil {
		return "", err
	}
	sha := strings.TrimSpace(string(resp.Body))
	var full struct {
		SHA string `json:"sha"`
	}
	if json.Unmarshal(resp.Body, &full) == nil {
		sha = full.SHA
	}
	if !fullSHA.MatchString(sha) {
		return "", unavailable(fetch.Failed, "GitHub answered with something else than a commit's hash", fetch.HintOther)
	}
	return sha, nil
}

// tree reads a repository, or a folder of it, in one archive.
func (s *Sites) tree(ctx context.Context, p repoPage, sha string, path []string) (*fetch.Document, error) {
	resp, err := s.api(ctx, escape("repos", p.owner, p.repo, "tarball", sha), "application/vnd.github+json", fetch.MaxFile)
	if err != nil {
		return nil, err
	}
	if err := s.githubStatus(resp); err != nil {
		return nil, err
	}
	within := strings.Join(path, "/")
	body, flags, err := repack(ctx, resp.Body, within)
	if err != nil {
		return nil, err
	}
	return s.document("https://github.com"+escape(append([]string{p.owner, p.repo, "tree", sha}, path...)...), "application/x-tar", body, flags...), nil
}

// blob reads one file. Only the API opens private repositories; without a token the API's few requests are saved.
func (s *Sites) blob(ctx context.Context, p repoPage, sha string, path []string) (*fetch.Document, error) {
	var resp *fetch.Response
	var err error
	if s.token != "" {
		at := escape(append([]string{"repos", p.owner, p.repo, "contents"}, path...)...) + "?ref=" + sha
		resp, err = s.api(ctx, at, "application/vnd.github.raw+json", fetch.MaxFile)
	} else {
		at := s.base("githubraw") + escape(append([]string{p.owner, p.repo, sha}, path...)...)
		resp, err = s.call(ctx, fetch.Request{URL: at, MaxBody: fetch.MaxFile, Redirects: -1})
	}
	if err != nil {
		return nil, err
	}
	if err := s.githubStatus(resp); err != nil {
		return nil, err
	}
	contentType := resp.Header.Get("Content-Type")
	switch {
	case s.token != "" && strings.HasPrefix(contentType, "application/json"):
		return nil, unavailable(fetch.NotFound, "it is a folder and no file", "Read it with /tree/ in place of /blob/ in the address.")
	case strings.Contains(contentType, "vnd.github"):
		contentType = "" // the file's name says more
	}
	return s.document("https://github.com"+escape(append([]string{p.owner, p.repo, "blob", sha}, path...)...), contentType, resp.Body), nil
}

var patchHead = lazyregexp.New(`^From ([0-9a-f]{40}) `)

// patch reads a commit: who made it, when, why, and what it changed.
func (s *Sites) patch(ctx context.Context, p repoPage) (*fetch.Document, error) {
	ref := strings.TrimSuffix(strings.TrimSuffix(p.rest[0], ".patch"), ".diff")
	resp, err := s.api(ctx, escape("repos", p.owner, p.repo, "commits", ref), "application/vnd.github.patch", fetch.MaxHTML)
	if err != nil {
		return nil, err
	}
	if resp.Status == http.StatusUnprocessableEntity {
		return nil, unavailable(fetch.NotFound, "the repository has no such commit", "Check the commit's hash, or read the repository's root.")
	}
	if err := s.githubStatus(resp); err != nil {
		return nil, err
	}
	m := patchHead.FindSubmatch(resp.Body)
	if m == nil {
		return nil, unavailable(fetch.Failed, "GitHub answered with something else than a patch", fetch.HintOther)
	}
	return s.document("https://github.com"+escape(p.owner, p.repo, "commit", string(m[1])), "text/plain; charset=utf-8", resp.Body), nil
}

// api performs a request to GitHub's API. It follows redirects itself, so that the token goes to the API and nowhere
// else: a renamed repository stays at the API, an archive lies on a host of its own, which our code names and no page.
func (s *Sites) api(ctx context.Context, path, accept string, limit int64) (*fetch.Response, error) {
	at := s.base("github") + path
	for range fetch.MaxRedirects {
		header := http.Header{"Accept": {accept}}
		if under(at, s.base("github")) {
			header.Set("X-GitHub-Api-Version", "2022-11-28")
			if s.token != "" {
				header.Set("Authorization", "Bearer "+s.token)
			}
		}
		resp, err := s.client.Do(ctx, fetch.Request{URL: at, Header: header, MaxBody: limit, Redirects: -1})
		switch {
		case err != nil:
			return nil, withoutQuery(err, at)
		case resp.Location == "":
			return resp, nil
		case !under(resp.Location, s.base("github")) && !under(resp.Location, s.base("codeload")):
			return nil, unavailable(fetch.Failed, "GitHub answered with a redirect to another site", fetch.HintOther)
		}
		at = resp.Location
	}
	return nil, unavailable(fetch.Failed, "GitHub redirects in a circle", fetch.HintOther)
}

// under says whether a URL is one of a base's.
func under(raw, base string) bool {
	u, err := url.Parse(raw)
	b, err2 := url.Parse(base)
	return err == nil && err2 == nil && u.User == nil && u.Scheme == b.Scheme && u.Host == b.Host && strings.HasPrefix(u.Path, b.Path)
}

// withoutQuery keeps an address's query out of an error: that of a private archive holds a key.
func withoutQuery(err error, at string) error {
	var e *fetch.Unavailable
	_, query, found := strings.Cut(at, "?")
	if !errors.As(err, &e) || !found {
		return err
	}
	own := *e
	own.Reason = strings.ReplaceAll(own.Reason, query, "…")
	return &own
}

// githubStatus adds to the outcome of an answer what GitHub means by it: its limits
// (docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api), and 404 for what is private. nil is a success.
func (s *Sites) githubStatus(resp *fetch.Response) *fetch.Unavailable {
	e := s.status("GitHub", resp)
	if e == nil {
		return nil
	}
	var said struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(resp.Body[:min(len(resp.Body), 64<<10)], &said) // an error need not be JSON
	if said.Message != "" {
		e.Reason += ": " + fetch.Excerpt(said.Message, 200)
	}
	message := strings.ToLower(said.Message)
	switch status := resp.Status; {
	case status == http.StatusUnauthorized:
		return unavailable(fetch.Blocked, "GitHub did not accept the token", "Check GITHUB_TOKEN: it may have expired.")
	case status == http.StatusNotFound && s.token == "":
		return unavailable(fetch.NotFound, "there is no such repository or file on GitHub, or it is private", "Check the address. A private repository needs a GitHub token (GITHUB_TOKEN).")
	case status == http.StatusNotFound:
		return unavailable(fetch.NotFound, "there is no such repository or file on GitHub, or the token does not open it", "Check the address, or take another source.")
	case status == http.StatusConflict:
		return unavailable(fetch.Empty, "the repository is empty", fetch.HintOther)
	case status == http.StatusNotAcceptable || status == http.StatusRequestEntityTooLarge:
		e.Outcome, e.Hint = fetch.TooLarge, "Read a single file of it instead."
	case status == http.StatusForbidden && e.Outcome == fetch.Blocked && (strings.Contains(message, "blobs up to") || strings.Contains(message, "too large")):
		e.Outcome, e.Hint = fetch.TooLarge, fetch.HintOther
	case (status == http.StatusForbidden || status == http.StatusTooManyRequests) && e.Outcome == fetch.RateLimited:
		if s.token == "" {
			e.Hint += " With a GitHub token (GITHUB_TOKEN) 5,000 requests an hour are allowed instead of 60."
		}
		if e.RetryAfter == 0 {
			e.RetryAfter = time.Minute // as GitHub asks
		}
	}
	return e
}
