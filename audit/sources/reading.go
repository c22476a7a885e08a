package sources

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/publicsuffix"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// A reading is a source with what its record says about who made it.
type reading struct {
	evidence.Source
	spans   []evidence.Span
	host    string // of where it was first published, if an archive's address tells
	path    string
	site    string // registrable domain, "" of a file
	label   string // the domain's own part: coastaltimes of www.coastaltimes.co.uk
	account string // on a platform that hosts what others publish: github.com/golang
	shared  bool   // it stands on such a platform
	authors []string
	paper   string // by what it is a paper, "" if it is none
	words   sketch
}

// archivedAt is an address in an archive of the web, around the one that was archived.
var archivedAt = lazyregexp.New(`^https?://(?:web\.archive\.org/web|arquivo\.pt/wayback|archive\.(?:ph|today|is|org))/[0-9]{4,14}[a-z_]*/(https?:/.*)$`)

func newReading(src evidence.Source) reading {
	r := reading{Source: src}
	address := src.URL
	if m := archivedAt.FindStringSubmatch(address); m != nil {
		address = m[1]
	}
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		r.host, r.path = strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.EscapedPath()
	}
	if r.host == "" {
		return r.withAuthors()
	}
	r.site = r.host
	if _, err := netip.ParseAddr(strings.Trim(r.host, "[]")); err == nil {
		return r.withAuthors()
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(r.host); err == nil {
		r.site = site
	}
	r.label, _, _ = strings.Cut(r.site, ".")
	r.shared, r.account = r.platform()
	return r.withAuthors()
}

// withAuthors splits the author field, which joins names by semicolons.
func (r reading) withAuthors() reading {
	for name := range strings.SplitSeq(r.Author, ";") {
		if name = strings.Join(strings.Fields(name), " "); name != "" && len(r.authors) < 50 {
			r.authors = append(r.authors, name)
		}
	}
	return r
}

// platform says whether a source stands on a site that hosts what others publish, and on whose account.
func (r *reading) platform() (hosted bool, account string) {
	how := platforms[r.host]
	if how == "" {
		how = platforms[r.site]
	}
	if how == "" {
		return false, ""
	}
	host := strings.TrimPrefix(r.host, "www.")
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(r.path, "/")), "/")
	switch {
	case how == "path" && first != "", how == "@path" && strings.HasPrefix(first, "@"):
		return true, r.site + "/" + first
	case (how == "host" || how == "@path") && host != r.site:
		return true, host
	}
	return true, ""
}

// platforms are sites that host what many publish, by how an account is told: by the host, by the path, by a path that
// begins with @, or (many) not by the address. Public suffixes such as github.io need no entry.
var platforms = map[string]string{
	"github.com": "path", "gitlab.com": "path", "bitbucket.org": "path", "codeberg.org": "path", "huggingface.co": "path", "kaggle.com": "many", "sourceforge.net": "many",
	"npmjs.com": "many", "pypi.org": "many", "crates.io": "many", "docs.rs": "many", "pkg.go.dev": "many", "readthedocs.io": "host", "readthedocs.org": "host",
	"medium.com": "@path", "substack.com": "host", "wordpress.com": "host", "blogspot.com": "host", "tumblr.com": "host", "dev.to": "path", "hashnode.dev": "host", "ghost.io": "host", "wixsite.com": "host",
	"youtube.com": "many", "youtu.be": "many", "vimeo.com": "many", "tiktok.com": "@path", "soundcloud.com": "path", "spotify.com": "many",
	"reddit.com": "many", "x.com": "path", "twitter.com": "path", "facebook.com": "path", "instagram.com": "path", "threads.net": "@path", "bsky.app": "many", "mastodon.social": "@path", "linkedin.com": "many",
	"stackoverflow.com": "many", "stackexchange.com": "many", "serverfault.com": "many", "superuser.com": "many", "quora.com": "many", "ycombinator.com": "many",
	"arxiv.org": "many", "biorxiv.org": "many", "medrxiv.org": "many", "chemrxiv.org": "many", "ssrn.com": "many", "preprints.org": "many", "researchsquare.com": "many", "osf.io": "many", "zenodo.org": "many", "figshare.com": "many",
	"doi.org": "many", "researchgate.net": "many", "academia.edu": "many", "semanticscholar.org": "many", "jstor.org": "many", "europepmc.org": "many", "ncbi.nlm.nih.gov": "many", "pmc.ncbi.nlm.nih.gov": "many", "pubmed.ncbi.nlm.nih.gov": "many",
	"sciencedirect.com": "many", "springer.com": "many", "springeropen.com": "many", "biomedcentral.com": "many", "nature.com": "many", "wiley.com": "many", "tandfonline.com": "many", "sagepub.com": "many", "mdpi.com": "many", "frontiersin.org": "many", "plos.org": "many",
	"oup.com": "many", "cambridge.org": "many", "acm.org": "many", "ieee.org": "many", "openreview.net": "many", "aclanthology.org": "many", "hal.science": "many", "elifesciences.org": "many", "pnas.org": "many", "science.org": "many", "jmlr.org": "many", "mlr.press": "many", "rfc-editor.org": "many", "ietf.org": "many",
	"archive.org": "many", "archive.ph": "many", "archive.today": "many", "scribd.com": "many", "slideshare.net": "many", "issuu.com": "many", "docs.google.com": "many", "sites.google.com": "many", "drive.google.com": "many", "dropbox.com": "many", "notion.site": "host",
	"prnewswire.com": "many", "businesswire.com": "many", "globenewswire.com": "many", "msn.com": "many", "yahoo.com": "many", "news.google.com": "many", "flipboard.com": "many",
}

// foldName brings names of houses and people to one form: letters and figures in lower case, without article and legal form.
func foldName(name string) string {
	ws := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	if len(ws) > 1 && (ws[0] == "the" || ws[0] == "die" || ws[0] == "der" || ws[0] == "das" || ws[0] == "le" || ws[0] == "la" || ws[0] == "el") {
		ws = ws[1:]
	}
	for len(ws) > 1 && legalForms[ws[len(ws)-1]] {
		ws = ws[:len(ws)-1]
	}
	all := strings.Join(ws, "")
	if same, ok := agencies[all]; ok {
		return same
	}
	return all
}

var legalForms = set("inc ltd llc llp plc gmbh ag kg se sa sas srl spa bv nv ab as oy corp corporation co company limited com online")

// agencies are those whose texts many print, under the names that they go by.
var agencies = map[string]string{
	"ap": "associatedpress", "associatedpress": "associatedpress", "afp": "afp", "agencefrancepresse": "afp", "dpa": "dpa", "deutschepresseagentur": "dpa",
	"reuters": "reuters", "thomsonreuters": "reuters", "efe": "efe", "agenciaefe": "efe", "ansa": "ansa", "upi": "upi", "apa": "apa", "sda": "keystonesda", "keystonesda": "keystonesda",
	"xinhua": "xinhua", "tass": "tass", "kyodo": "kyodo", "kyodonews": "kyodo", "pamedia": "pamedia", "pressassociation": "pamedia", "bloombergnews": "bloomberg", "bloomberg": "bloomberg",
}

func isAgency(name string) bool {
	folded := foldName(name)
	for _, a := range agencies {
		if a == folded {
			return true
		}
	}
	return false
}

// publisher is the house that a source is of, folded: as it states, "" if it does not or names the platform that it stands on.
func (r *reading) publisher() string {
	name := foldName(r.Publisher)
	if r.shared && (name == r.label || strings.Contains(r.site, name) || name == "xformerlytwitter") {
		return ""
	}
	return name
}

// names are all that others may call a source by, folded.
func (r *reading) names() []string {
	var list []string
	if p := r.publisher(); len(p) > 1 {
		list = append(list, p)
		if words := strings.FieldsFunc(r.Publisher, func(c rune) bool { return !unicode.IsLetter(c) }); len(words) > 2 {
			initials := ""
			for _, w := range words {
				if c := []rune(w)[0]; unicode.IsUpper(c) {
					initials += strings.ToLower(string(c))
				}
			}
			if len(initials) > 2 {
				list = append(list, initials)
			}
		}
	}
	if !r.shared && len(r.label) > 2 {
		list = append(list, r.label, strings.TrimPrefix(r.label, "the"))
	}
	if r.account != "" {
		list = append(list, foldName(r.account[strings.IndexAny(r.account, "/.")+1:]))
	}
	if head, _, ok := strings.Cut(r.Title, ":"); ok && strings.ContainsAny(head, "0123456789") && len(head) < 40 {
		list = append(list, foldName(head)) // TR-2024-17: Blade seals
	}
	return list
}

// day reads the beginning of a date as it is stated: a year, a month or a day.
func day(stated string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02", "2006-01", "2006"} {
		if len(stated) >= len(form) && (len(stated) == len(form) || !unicode.IsDigit(rune(stated[len(form)]))) {
			if t, err := time.Parse(form, stated[:len(form)]); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// latest is when the last of the sources was read: the day that a run's evidence is of.
func latest(list []evidence.Source) time.Time {
	var t time.Time
	for _, s := range list {
		if s.Fetched.After(t) {
			t = s.Fetched
		}
	}
	return t
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
