package sites

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// The archive's two hosts. An override of "wayback" stands for both.
const (
	archiveHost = "https://archive.org"
	replayHost  = "https://web.archive.org"
)

// dated is the path of a copy in the Wayback Machine: when it was made, how it is shown, of what.
var dated = lazyregexp.New(`^/web/(\d{14})([a-z]{2}_)?/(https?:/.+)$`)

// gone says whether a page is not there any more: it was not found, or its host is not in the DNS, which also stands in
// the way of its robots.txt. A page that is there and refuses readers is not gone: its wish holds for copies too.
func gone(err error, host string) bool {
	var e *fetch.Unavailable
	if !errors.As(err, &e) {
		return false
	}
	noHost := "there is no host " + host
	return e.Outcome == fetch.NotFound || e.Reason == noHost ||
		e.Reason == "its robots.txt cannot be read ("+noHost+"), so nothing of the host may be"
}

// A snapshot is a copy: of what, and when, as fourteen digits.
type snapshot struct{ of, at string }

// wayback reads a dated copy by its own address: as it was archived, without the archive's frame.
func (s *Sites) wayback(u *url.URL) reader {
	snap, ok := snapshotAt(u.EscapedPath(), u.RawQuery)
	if u.Host != "web.archive.org" || !ok {
		return nil
	}
	return func(ctx context.Context) (*fetch.Document, error) { return s.replay(ctx, snap) }
}

// snapshotAt reads the path and the query of a copy's address; false if they name no dated copy.
func snapshotAt(path, query string) (snapshot, bool) {
	m := dated.FindStringSubmatch(path)
	if m == nil {
		return snapshot{}, false
	}
	snap := snapshot{of: unslashed(m[3]), at: m[1]}
	if query != "" {
		snap.of += "?" + query
	}
	return snap, true
}

// unslashed gives a URL inside a path its second slash back, if it was lost on the way.
func unslashed(s string) string {
	scheme, rest, _ := strings.Cut(s, ":/")
	return scheme + "://" + strings.TrimLeft(rest, "/")
}

// archived reads the newest copy of a page that is gone. Without one the page's own failure stands, and says so.
func (s *Sites) archived(ctx context.Context, page string, why error) (*fetch.Document, error) {
	snap, err := s.newestCopy(ctx, page)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var e *fetch.Unavailable
	if !errors.As(why, &e) {
		return nil, why
	}
	own := *e
	switch {
	case err != nil:
		own.Hint = strings.TrimSpace(own.Hint + " The web archive could not be asked for a copy.")
		return nil, &own
	case snap.at == "":
		own.Hint = strings.TrimSpace(own.Hint + " The web archive has no copy.")
		return nil, &own
	}
	doc, err := s.replay(ctx, snap)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		own.Hint = strings.TrimSpace(own.Hint + " The web archive's copy cannot be read.")
		return nil, &own
	}
	return doc, nil
}

// newestCopy asks the archive for its newest good copy; an empty snapshot means that there is none. The availability
// service at times knows nothing of pages that are archived, so a second one is asked before that is said.
func (s *Sites) newestCopy(ctx context.Context, page string) (snapshot, error) {
	var answer struct {
		Snapshots struct {
			Closest *struct {
				Available bool   `json:"available"`
				URL       string `json:"url"`
				Status    string `json:"status"`
			} `json:"closest"`
		} `json:"archived_snapshots"`
	}
	resp, err := s.call(ctx, askJSON(s.archive(archiveHost)+"/wayback/available?url="+url.QueryEscape(page)))
	if err == nil {
		err = s.decode("The web archive", resp, &answer)
	}
	if outcome(err) == fetch.RateLimited && (resp == nil || resp.Status != http.StatusServiceUnavailable) { // a limit is meant for the second one too
		return snapshot{}, err
	}
	if c := answer.Snapshots.Closest; err == nil && c != nil && c.Available && c.Status == "200" {
		if u, err := url.Parse(c.URL); err == nil {
			if snap, ok := snapshotAt(u.EscapedPath(), u.RawQuery); ok {
				return snap, nil
			}
		}
	}
	return s.fromIndex(ctx, page)
}

// fromIndex looks a page up in the archive's index (github.com/internetarchive/wayback, wayback-cdx-server). Copies of
// failures and of redirects are in it too.
func (s *Sites) fromIndex(ctx context.Context, page string) (snapshot, error) {
	var rows [][]string // the first names the columns
	at := s.archive(replayHost) + "/cdx/search/cdx?output=json&fl=timestamp,original,statuscode&fastLatest=true&limit=-10&url=" + url.QueryEscape(page)
	if err := s.ask(ctx, "The web archive", at, &rows); err != nil {
		return snapshot{}, err
	}
	for i := len(rows) - 1; i > 0; i-- {
		if r := rows[i]; len(r) == 3 && r[2] == "200" && dated.MatchString("/web/"+r[0]+"/"+r[1]) {
			return snapshot{of: r[1], at: r[0]}, nil
		}
	}
	return snapshot{}, nil
}

// archive is the base of one of the archive's hosts.
func (s *Sites) archive(host string) string {
	if b := s.urls["wayback"]; b != "" {
		return strings.TrimSuffix(b, "/")
	}
	return host
}

// replay reads a copy as it was archived ("id_"). The archive may have one of another time only, and says so by a redirect.
func (s *Sites) replay(ctx context.Context, snap snapshot) (*fetch.Document, error) {
	r := fetch.Request{URL: s.archive(replayHost) + "/web/" + snap.at + "id_/" + snap.of}
	if fetch.LooksLikeFile(snap.of) {
		r.MaxBody = fetch.MaxFile
	}
	resp, err := s.call(ctx, r)
	if err != nil {
		return nil, err
	}
	if resp.Status == 404 {
		return nil, unavailable(fetch.NotFound, "the web archive has no such copy", fetch.HintOther)
	}
	if e := s.status("The web archive", resp); e != nil {
		return nil, e
	}
	if len(resp.Body) == 0 {
		return nil, unavailable(fetch.Empty, "the archived copy is empty", fetch.HintOther)
	}
	if rest, ok := strings.CutPrefix(resp.URL, s.archive(replayHost)); ok {
		p, query, _ := strings.Cut(rest, "?")
		if answered, ok := snapshotAt(p, query); ok {
			snap = answered
		}
	}
	return s.document(replayHost+"/web/"+snap.at+"/"+snap.of, resp.Header.Get("Content-Type"), resp.Body, fetch.FlagArchived), nil
}
