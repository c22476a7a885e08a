package fetchtest

import (
	"net/http"
	"net/url"

	"ibid/fetch"
)

// Redirect makes the answer of a fake fetch.Doer that follows no redirects what the client's is: a redirect tells its
// Location, or is an *Unavailable where it tells none, one that is no URL, or one that leads down to http.
func Redirect(r *fetch.Response) (*fetch.Response, error) {
	switch r.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return r, nil
	}
	from, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	refuse := func(outcome fetch.Outcome, reason string) (*fetch.Response, error) {
		return nil, &fetch.Unavailable{URL: r.URL, Outcome: outcome, Reason: reason, Hint: fetch.HintOther}
	}
	location := r.Header.Get("Location")
	to, err := from.Parse(location)
	switch {
	case location == "":
		return refuse(fetch.Failed, "it redirects nowhere")
	case err != nil:
		return refuse(fetch.Refused, "it redirects to what is no URL")
	case from.Scheme == "https" && to.Scheme == "http" && fetch.Site(from.Hostname()) == fetch.Site(to.Hostname()):
		return refuse(fetch.Refused, "it redirects from https to http")
	}
	return &fetch.Response{URL: r.URL, Status: r.Status, Header: r.Header, Location: to.String()}, nil
}
