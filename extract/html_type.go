package extract

import (
	"strings"

	"ibid/evidence"
)

// Types of pages: what is main content depends on them. In a forum what people said is the page; under an article it is
// not. News is told from other articles because less of what stands around it belongs to it.
const (
	typeArticle = iota
	typeDocumentation
	typeForum
	typeService
	typeProduct
	typeListing
	typeCollection
	typeNews
	typeCount
)

var typeNames = [typeCount]string{"article", "documentation", "forum", "service", "product", "listing", "collection", "article"}

// hints are words by which a page tells its type, in its URL, its declarations and its program's name: one bit for each
// of the types but news.
type hints uint32

const hintKinds = typeNews

var (
	urlHints = hintWords([hintKinds]string{
		`blog blogs news article articles post posts story stories magazine press opinion politics sports world business entry p 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024 2025 2026`,
		`docs doc documentation reference api guide guides manual manuals developer developers dev learn tutorial tutorials wiki help userguide javadoc rfc man readthedocs book howto latest stable en-us`,
		`forum forums community communities thread threads topic topics t r questions question discuss discussion discussions viewtopic showthread comments answers board boards group groups`,
		`services service solutions solution pricing plans platform about features company consulting software industries consumer enterprise what-we-do expertise`,
		`product products p dp item itm ip prd sku app pd buy`,
		`directory list lists search jobs events courses course-catalog recipes podcasts schedule standings results tag tags topic topics author archive find`,
		`collections collection category categories c shop browse store product-category catalog catalogue all cat department`,
	})
	declaredHints = hintWords([hintKinds]string{
		`article newsarticle blogposting reportagenewsarticle blog scholarlyarticle opinionnewsarticle review recipe liveblogposting analysisnewsarticle`,
		`techarticle apireference howto learningresource course sphinx docusaurus mkdocs docutils gitbook vuepress vitepress hugo doxygen rustdoc jekyll`,
		`discussionforumposting qapage question answer comment discourse xenforo vbulletin phpbb invision flarum vanilla mybb smf nodebb`,
		`service professionalservice localbusiness organization softwareapplication faqpage corporation product.group webapplication offercatalog`,
		`product offer aggregateoffer aggregaterating product.item individualproduct productgroup`,
		`itemlist eventseries event jobposting searchresultspage listitem sportsevent podcastseries`,
		`collectionpage collection product.category shopify woocommerce magento bigcommerce prestashop`,
	})
)

func hintWords(lists [hintKinds]string) map[string]hints {
	m := map[string]hints{}
	for i, list := range lists {
		for _, word := range strings.Fields(list) {
			m[word] |= 1 << i
		}
	}
	return m
}

// typeFeatures put what tells the type of a page.
func (s *scene) typeFeatures(r *row) {
	d := s.said
	for _, h := range [...]hints{d.types, d.generator, d.body, d.host, d.first, d.path} {
		r.set(topics(h), hintKinds)
	}
	r.num(int32(d.depth))
	r.num(int32(d.digits))
	r.num(int32(d.length))
	r.num(int32(d.dashes))
	r.flag(d.home)
	r.num(int32(d.og))
	r.flag(d.published)
	r.flag(d.priced)
	r.num(int32(d.ld))
	r.log(int32(d.images))
	r.log(int32(d.inputs))
	r.log(int32(d.buttons))
	*r = append(*r, s.general...)
	var said [textTopics]int32
	var heads topics
	for i := range s.words {
		w := &s.words[i]
		if !s.counts(i) {
			continue
		}
		for k := range said {
			said[k] += int32(w.says >> k & 1)
		}
		if s.page.Blocks[i].Role == evidence.RoleHeading {
			heads |= w.says
		}
	}
	for _, n := range said {
		r.log(n)
	}
	r.set(heads, textTopics)
	r.log(s.sum.priced)
	r.log(s.sum.dated)
	r.share(s.sum.priced, s.sum.blocks)
	var named [nameTopics]int32
	for k := range s.boxes {
		if s.boxes[k].lead {
			continue
		}
		for j := range named {
			named[j] += int32(s.boxes[k].names >> j & 1)
		}
	}
	for _, n := range named {
		r.log(n)
	}
	s.largest(r, func(t *tally) int32 { return t.running })
	s.largest(r, func(t *tally) int32 { return t.words })
	s.largest(r, func(t *tally) int32 { return t.images })
}

// largest puts the features of the group of three or more alike elements that has most of something.
func (s *scene) largest(r *row, of func(*tally) int32) {
	best, most := -1, int32(0)
	for k := range s.shapes {
		if g := &s.shapes[k]; g.boxes > 2 && !g.lead && of(&g.sum) > most {
			best, most = k, of(&g.sum)
		}
	}
	if best < 0 {
		r.none(9 + nameTopics)
		return
	}
	g := &s.shapes[best]
	r.log(g.boxes)
	r.log(g.sum.words / g.boxes)
	r.share(g.sum.running, s.sum.running)
	r.share(g.sum.words, s.sum.words)
	r.share(g.sum.linked, g.sum.letters)
	r.share(g.sum.dated, g.boxes)
	r.share(g.sum.priced, g.boxes)
	r.share(g.sum.images, g.boxes)
	r.share(g.sum.headings, g.boxes)
	r.set(g.names, nameTopics)
}
