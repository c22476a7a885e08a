package sources

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// Classes of sources (FIND-5).
const (
	Primary   = "primary"   // who speaks of what he did, made or saw himself
	Scholarly = "scholarly" // papers, whether reviewed or not
	Official  = "official"  // states, their bodies, and what they founded together
	News      = "news"
	Reference = "reference" // encyclopedias and dictionaries
	Vendor    = "vendor"    // who sells what he speaks of
	Community = "community" // anybody may write there
	Unknown   = "unknown"
)

// Classes are all that a card may give.
var Classes = []string{Primary, Scholarly, Official, News, Reference, Vendor, Community, Unknown}

// hostsOf are hosts and registrable domains whose class is known.
var hostsOf = map[string]map[string]bool{
	Scholarly: set(`arxiv.org biorxiv.org medrxiv.org chemrxiv.org ssrn.com preprints.org researchsquare.com doi.org pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov europepmc.org jstor.org
		sciencedirect.com springer.com springeropen.com biomedcentral.com wiley.com tandfonline.com sagepub.com mdpi.com frontiersin.org plos.org oup.com acm.org ieee.org openreview.net aclanthology.org hal.science
		elifesciences.org pnas.org jmlr.org mlr.press cell.com thelancet.com bmj.com nejm.org jamanetwork.com semanticscholar.org zenodo.org royalsocietypublishing.org iop.org aps.org acs.org rsc.org peerj.com scielo.org scielo.br persee.fr cairn.info`),
	Official: set(`europa.eu who.int un.org unesco.org unicef.org imf.org worldbank.org oecd.org wto.org iaea.org ipcc.ch nato.int bis.org cern.ch esa.int admin.ch gc.ca canada.ca bund.de bundesregierung.de bundestag.de bundesbank.de destatis.de
		service-public.fr legifrance.gouv.fr insee.fr boe.es ine.es istat.it cbs.nl scb.se ssb.no dst.dk stat.fi parliament.uk judiciary.uk nhs.uk rki.de bfarm.de ecb.europa.eu iso.org itu.int ietf.org rfc-editor.org w3.org nist.gov
		bka.de bayern.de nrw.de brandenburg.de berlin.de hamburg.de sachsen.de hessen.de niedersachsen.de baden-wuerttemberg.de rlp.de thueringen.de schleswig-holstein.de saarland.de bremen.de`),
	News: set(`reuters.com apnews.com bbc.com bbc.co.uk nytimes.com washingtonpost.com wsj.com ft.com economist.com theguardian.com independent.co.uk telegraph.co.uk thetimes.co.uk latimes.com usatoday.com cnn.com nbcnews.com cbsnews.com abcnews.go.com
		npr.org pbs.org politico.com politico.eu axios.com theatlantic.com newyorker.com time.com forbes.com fortune.com businessinsider.com bloomberg.com cnbc.com aljazeera.com dw.com france24.com euronews.com afp.com dpa.com
		spiegel.de zeit.de faz.net sueddeutsche.de welt.de tagesspiegel.de taz.de tagesschau.de zdf.de heise.de golem.de nzz.ch srf.ch derstandard.at orf.at diepresse.com lemonde.fr lefigaro.fr liberation.fr francetvinfo.fr lesechos.fr
		elpais.com elmundo.es abc.es lavanguardia.com rtve.es efe.com corriere.it repubblica.it ansa.it ilsole24ore.com nos.nl nrc.nl volkskrant.nl theverge.com wired.com arstechnica.com techcrunch.com theregister.com engadget.com zdnet.com
		hindustantimes.com thehindu.com timesofindia.indiatimes.com scmp.com japantimes.co.jp straitstimes.com smh.com.au theage.com.au abc.net.au cbc.ca theglobeandmail.com thestar.com foxnews.com foxbusiness.com nypost.com jpost.com dailymail.co.uk mirror.co.uk express.co.uk handelsblatt.com stern.de focus.de n-tv.de rnd.de ouest-france.fr lepoint.fr lexpress.fr elconfidencial.com 20minutos.es propublica.org vox.com slate.com msn.com`),
	Reference: set(`wikipedia.org wiktionary.org wikidata.org wikisource.org britannica.com merriam-webster.com dictionary.com oed.com plato.stanford.edu iep.utm.edu duden.de larousse.fr dle.rae.es encyclopedia.com scholarpedia.org mathworld.wolfram.com oeis.org`),
	Vendor:    set(`prnewswire.com businesswire.com globenewswire.com prweb.com einpresswire.com presseportal.de openpr.com openpr.de newswire.ca`), // what firms announce, as they wrote it
	Community: set(`reddit.com stackoverflow.com stackexchange.com serverfault.com superuser.com quora.com ycombinator.com lobste.rs medium.com substack.com wordpress.com blogspot.com tumblr.com dev.to hashnode.dev x.com twitter.com facebook.com instagram.com threads.net
		bsky.app mastodon.social linkedin.com tiktok.com pinterest.com discord.com fandom.com wikihow.com goodreads.com tripadvisor.com trustpilot.com youtube.com youtu.be vimeo.com notion.site sites.google.com docs.google.com slideshare.net scribd.com`),
}

var (
	// officialHost is a label that states keep for themselves.
	officialHost = lazyregexp.New(`(?:^|\.)(?:gov|gouv|gob|gub|govt|mil|gv|regierung|government)(?:\.[a-z]{2,8})?$|(?:^|\.)(?:gov|gouv|gob|govt|go|gv|gub|mil)\.[a-z]{2,8}$|\.int$|(?:^|\.)(?:admin\.ch|bund\.de|europa\.eu|gc\.ca|un\.org|state\.[a-z]{2}\.us)$`)
	officialName = lazyregexp.New(`(?i)\b(?:ministry (?:of|for)|[a-z]+ ministry|ministère|ministerio|ministero|[a-zäöü]*ministerium|government of|governo|parliament|european commission|congress of|federal (?:office|agency|reserve|bureau|statistical)|bundes(?:amt|regierung|tag|anstalt|agentur)[a-zäöü]*|census bureau|statistical office|national statistics|office for national|united nations|world health organi[sz]ation|world bank|supreme court|city council|county council|ayuntamiento|préfecture|landesamt[a-zäöü]*|stadtverwaltung)\b`)
	newsName     = lazyregexp.New(`(?i)\b(?:times|herald|gazette|tribune|chronicle|courier|observer|telegraph|daily|dispatch|examiner|zeitung|anzeiger|rundschau|nachrichten|tageblatt|kurier|journal de|le monde|le figaro|diario|periódico|gazzetta|corriere|news ?paper|magazine?|post|presse|prensa|gaceta|noticias|tagespost|broadcasting|newsroom|news agency|nachrichtenagentur)\b|\b[Nn]ews$`)
	newsLabel    = lazyregexp.New(`(?:[a-z]{3,}(?:times|herald|gazette|tribune|chronicle|courier|observer|dispatch|examiner)|^the(?:times|post|guardian)|[a-z-]{3,}(?:zeitung|anzeiger|rundschau|nachrichten|tageblatt|kurier|tagespost)|(?:morning|evening|daily|sunday|washington)post|^(?:daily|diario|el|la)[a-z-]*(?:news|times|post|mail|noticias|pais|mundo|prensa)|[a-z]{3,}-?(?:news|noticias))$`)
	newsroom     = lazyregexp.New(`(?i)\b(?:staff|redaktion|redaction|rédaction|redacción|newsroom|editors?|editorial|team|admin|desk|agency|agencies|contributors?|correspondents?|press|news)\b`)
	refName      = lazyregexp.New(`(?i)\b(?:encyclop(?:a?edia|édie)|enciclopedia|enzyklopädie|dictionary|wörterbuch|wikipedia|lexikon|glossary)\b`)
	communalHost = lazyregexp.New(`^(?:forums?|community|discuss|discourse|board|bbs|answers|ask|lists|groups|wiki)\.`)
	communal     = lazyregexp.New(`forum|phpbb|mailman|viewtopic|/threads/|/t/[^/]+/[0-9]+`)
	selling      = lazyregexp.New(`(?i)(?:^|[/._-])(?:pricing|prices?|plans|products?|services?|shopping|market|collections?|categor(?:y|ies)|produkte?|produits?|productos?|shop|store|buy|checkout|features|solutions|customers|case-stud(?:y|ies)|enterprise|download|demo|whats-?new|release-?notes|changelog|datasheets?)(?:[/._-]|$)`)
	sellingTitle = lazyregexp.New(`(?i)\b(?:pricing|release notes|changelog|datasheet|data sheet|buy|for sale|our services|free trial|order online|official (?:site|store)|online shop|product page|features and pricing|plans and pricing|user manual|what[’']s new|announcing|introducing|press release|pressemitteilung|whitepaper|white paper|customer story)\b`)
	paperHead    = lazyregexp.New(`(?i)^(?:[0-9.]* ?)?(?:abstract|zusammenfassung|résumé|resumen|references|bibliography|literatur(?:verzeichnis)?|bibliographie|referencias)[.:]?$`)
)

// isPaper says by what a source is a paper, "" if it is none.
func (r *reading) isPaper() string {
	switch {
	case r.DOI != "":
		return "it has the doi " + r.DOI
	case r.at(Scholarly) != "":
		return "its host is " + r.at(Scholarly)
	case (r.site == "nature.com" || r.site == "science.org" || r.site == "cambridge.org") && (strings.Contains(r.path, "/articles/") || strings.Contains(r.path, "/doi/") || strings.Contains(r.path, "/article/")):
		return "it is an article on " + r.site
	case strings.HasSuffix(r.host, "ncbi.nlm.nih.gov"):
		return "its host is " + r.host
	}
	heads := 0
	for _, s := range r.spans {
		if len(s.Text) < 40 && paperHead.MatchString(strings.TrimSpace(s.Text)) {
			heads++
		}
	}
	if heads > 1 {
		return "it has an abstract and references"
	}
	return ""
}

// at is the host or domain by which a source is of a class.
func (r *reading) at(class string) string {
	for _, h := range []string{r.host, strings.TrimPrefix(r.host, "www."), r.site} {
		if h != "" && hostsOf[class][h] {
			return h
		}
	}
	return ""
}

// class says what a source is and by what.
func (r *reading) class(self bool) Fact {
	fact := func(value, basis string) Fact { return Fact{Value: value, Basis: basis} }
	if r.paper != "" {
		return fact(Scholarly, r.paper)
	}
	for _, c := range []string{Reference, Official, News, Vendor} {
		if h := r.at(c); h != "" {
			return fact(c, "its host is "+h)
		}
	}
	switch {
	case officialHost.MatchString(r.host):
		return fact(Official, "its host is "+r.host)
	case r.Kind == evidence.Transcript:
		return fact(Primary, "these are the speakers' own words")
	case r.Kind == evidence.Repo:
		return fact(Primary, "this is the work itself")
	case r.at(Community) != "":
		return fact(Community, "anybody may write on "+r.at(Community))
	case communal.MatchString(r.host + r.path), r.host != r.site && communalHost.MatchString(r.host):
		return fact(Community, "its address is a forum's: "+excerpt(r.host+r.path))
	case officialName.MatchString(r.Publisher):
		return fact(Official, "its publisher is "+excerpt(r.Publisher))
	case refName.MatchString(r.Publisher) || refName.MatchString(r.label):
		return fact(Reference, "its publisher is "+excerpt(r.Publisher+" "+r.site))
	case newsName.MatchString(r.Publisher) && !self:
		return fact(News, "its publisher is "+excerpt(r.Publisher))
	case newsLabel.MatchString(r.label) && r.label != "sometimes" && !self:
		return fact(News, "its host is "+r.host)
	case r.Kind == evidence.Mail:
		return fact(Primary, "it is a letter")
	case self && (selling.MatchString(r.path) || sellingTitle.MatchString(r.Title)):
		return fact(Vendor, "it offers what it names itself after: "+excerpt(r.selling()))
	case self:
		return fact(Primary, "it speaks of itself: "+excerpt(r.selling()))
	}
	return fact(Unknown, "nothing in its record says")
}

func (r *reading) selling() string {
	if r.Title != "" {
		return r.Title
	}
	return r.host + r.path
}

// interest says that a source speaks of itself, and by what: its own name stands in its title, or in what was asked and
// found, and nobody but the source can be meant.
func (r *reading) interest(about string) Fact {
	title := " " + spaced(r.ownTitle()) + " "
	for _, name := range r.ownNames() {
		if strings.Contains(title, " "+name+" ") {
			return Fact{Value: "speaks of itself", Basis: "its title names " + name + ", as does its address or publisher"}
		}
		if strings.Contains(about, " "+name+" ") {
			return Fact{Value: "speaks of itself", Basis: "the question or a finding names " + name + ", as does its address or publisher"}
		}
	}
	return Fact{}
}

// ownTitle is the title without the name of its site behind it.
func (r *reading) ownTitle() string {
	for _, sep := range []string{" | ", " – ", " — ", " - ", " · ", " :: "} {
		if at := strings.LastIndex(r.Title, sep); at > 0 {
			if tail := foldName(r.Title[at+len(sep):]); tail != "" && (tail == foldName(r.Publisher) || tail == r.label || tail == r.site) {
				return r.Title[:at]
			}
		}
	}
	return r.Title
}

// ownNames are the names by which a source would speak of itself. Those of newspapers and platforms are in every title.
func (r *reading) ownNames() (list []string) {
	if !r.shared && len(r.label) > 3 && !generic[r.label] {
		list = append(list, spaced(strings.ReplaceAll(r.label, "-", " ")))
	}
	if r.account != "" {
		_, owner, _ := strings.Cut(r.account, "/")
		if owner = strings.TrimPrefix(owner, "@"); len(owner) > 3 {
			list = append(list, spaced(owner))
		}
	}
	if name := strings.TrimSpace(spaced(r.Publisher)); len(name) > 3 && r.publisher() != "" && !slices.Contains(list, name) {
		list = append(list, name)
	}
	return list
}

// spaced is a text in lower case with single spaces between its words.
func spaced(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !wordRune(r) }), " ")
}

// speaksOfItself reports whether a source may be the one whose announcement another repeats.
func (c *Card) speaksOfItself() bool {
	return slices.Contains([]string{Primary, Vendor, Official, Scholarly}, c.Class.Value)
}

// subject is whom a run asks about and found something of: the names in its question and claims, in lower case, with a dot in the
// place of what is none. A word that begins a sentence may be any.
func subject(question string, findings []evidence.Finding) string {
	var b strings.Builder
	named := func(text string) {
		begins := true
		for _, w := range strings.Fields(text) {
			bare := strings.TrimFunc(w, func(r rune) bool { return !wordRune(r) })
			if first, _ := utf8.DecodeRuneInString(bare); begins || !unicode.IsUpper(first) && !unicode.IsDigit(first) {
				b.WriteString(" ·")
			} else {
				b.WriteString(" " + spaced(strings.TrimSuffix(strings.TrimSuffix(bare, "'s"), "’s")))
			}
			begins = strings.ContainsAny(w[len(w)-1:], ".?!:")
		}
		b.WriteString(" · ")
	}
	named("- " + question)
	for i, f := range findings {
		if i == 200 {
			break
		}
		if f.Rejected == "" {
			named(f.Claim)
		}
	}
	return b.String()
}
