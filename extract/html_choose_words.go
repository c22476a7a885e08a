package extract

import (
	"strings"
	"unicode/utf8"
)

// topics are what the words of a short text, or those of the class of an element, speak of: one bit each.
type topics uint32

// Topics of texts.
const (
	saysConsent topics = 1 << iota
	saysSubscribe
	saysAccount
	saysShare
	saysLegal
	saysRelated
	saysComments
	saysMore
	saysAd
	saysByline
	saysCart
	saysTags
	saysSearch
	saysMenu
	saysForum
	saysReview
	saysContact
	saysCredit
	textTopics = iota
)

// vocabulary gives the topics of a word, of two words in a row, or of two characters in a row of a script without
// spaces, by their hash. It holds the words of page furniture in the languages that most pages are in.
var vocabulary = lexicon([textTopics]string{
	`cookie cookies consent gdpr ccpa privacy datenschutz datenschutzerklärung akzeptieren zustimmen einwilligung confidentialité
	privacidad privacidade riservatezza integritet prywatności конфиденциальности accept_all manage_preferences we_use 隐私 同意`,
	`subscribe newsletter newsletters subscription abonnieren abonnez abonnement abonnements suscríbete suscribirse suscripción assine inscrever
	inscreva iscriviti iscrizione prenumerera nieuwsbrief inbox sign_up your_email email_address подписаться подписка рассылка 订阅 購読 登録 unsubscribe`,
	`login log_in sign_in signin register registrieren anmelden einloggen connexion connecter iniciar_sesión entrar password passwort
	mot_de account konto my_account logout log_out войти регистрация 登录 注册 ログ zaloguj inloggen accedi`,
	`share shares shared tweet facebook twitter whatsapp linkedin pinterest telegram reddit tumblr instagram youtube tiktok teilen drucken merken partager
	imprimer compartir compartilhar condividi delen dela udostępnij print поделиться вконтакте follow_us follow_me copy_link 分享 关注 收藏 微信 微博`,
	`copyright reserved rechte_vorbehalten vorbehalten derechos_reservados direitos_reservados tous_droits diritti_riservati terms_of terms_and
	disclaimer impressum agb imprint 版权 著作 备案 icp alle_rechte all_rights`,
	`related recommended recommendations you_may you_might read_next more_from more_stories more_in trending popular most_read latest see_also similar
	recent also_like verwandte ähnliche das_könnte mehr_zum weitere_artikel weitere_beiträge neueste meistgelesen lesen_sie auch_interessant lire_aussi à_lire
	similaires articles_récents relacionados relacionadas leia_também te_puede más_leídas lo_más recientes correlati leggi_anche potrebbe_interessarti
	читайте_также похожие по_теме популярное 相关 推荐 热门 猜你 関連 人気 ランキ gerelateerd powiązane zobacz_także discover_more up_next featured_posts don't_miss`,
	`comment comments kommentar kommentare kommentieren commentaire commentaires comentario comentarios comentário comentários commenti commento reacties reply
	replies antworten répondre responder rispondi leave_a комментарии комментарий ответить оставить_комментарий 评论 留言 回复 コメ komentarze kommentarer`,
	`read_more learn_more view_all see_all show_more load_more view_more see_more find_out weiterlesen mehr_lesen mehr_erfahren mehr_anzeigen lire_la
	en_savoir leer_más ver_más saiba_mais ver_todos leggi_tutto lees_meer подробнее читать_далее next previous older newer zurück weiter back_to
	vorheriger nächster suivant précédent siguiente anterior 上一 下一 更多 次の 前の continue_reading jump_to go_to click_here view_details shop_now`,
	`advertisement advertisements anzeige anzeigen werbung publicité publicidad publicidade pubblicità reklama sponsored реклама 广告 広告 promoted affiliate advertise`,
	`by von par por written author authors autor autorin auteur posted published updated veröffentlicht aktualisiert publié publicado publicada
	min_read minute_read ago views reviewed_by edited_by written_by last_updated photo credit redaktion опубликовано автор 编辑 来源 责任 作者 記者 發布`,
	`cart basket warenkorb panier carrito checkout wishlist add_to buy_now in_stock out_of quantity qty shipping free_shipping versand корзина
	купить 购物 size_guide sold_out compare`,
	`tags tag tagged schlagworte schlagwörter kategorie kategorien category categories filed_under topics étiquettes etiquetas catégories
	categorías categorias categoria метки теги 标签 タグ posted_in`,
	`search suche suchen buscar rechercher cerca filter filters sort sort_by поиск 搜索 検索 reset apply clear_all refine results`,
	`menu skip toggle close navigation home startseite inicio accueil меню 首页 ホー skip_to main_menu open_menu table_of on_this in_this_article`,
	`posts joined likes member members reputation quote report thread topic badges answered asked edited moderator solved upvote downvote
	votes score registered location messages beiträge 回答 楼主 op share_improve`,
	`review reviews rating ratings stars bewertung bewertungen avis reseñas verified helpful customer_reviews reviewed testimonials`,
	`phone telephone tel fax email address contact contact_us kontakt adresse telefon call_us hours directions opening_hours get_in powered_by
	our_team customer_service help_center faq support`,
	`getty reuters afp ap photo photos image images credit courtesy foto fotos bild bilder bildquelle picture photograph photographer illustration file_photo
	shutterstock istock unsplash pixabay dpa epa copyright_image фото 图片 写真 figure fig screenshot crédito crédit`,
})

// lexicon reads word lists, one for each topic; an underscore joins two words.
func lexicon[T interface{ ~[textTopics]string }](lists T) map[uint32]topics {
	m := map[uint32]topics{}
	for i, list := range lists {
		for _, entry := range strings.Fields(list) {
			a, b, two := strings.Cut(entry, "_")
			switch r, size := utf8.DecodeRuneInString(entry); {
			case unspaced(r):
				next, _ := utf8.DecodeRuneInString(entry[size:])
				m[mix(mix(hashSeed, uint32(r)), uint32(next))] |= 1 << i
			case two:
				m[mix(hashOf(a), hashOf(b))] |= 1 << i
			default:
				m[hashOf(entry)] |= 1 << i
			}
		}
	}
	return m
}

// Topics of the names that authors give to elements.
const (
	namesContent topics = 1 << iota
	namesArticle
	namesComment
	namesRelated
	namesShare
	namesNav
	namesFooter
	namesHeader
	namesSidebar
	namesAd
	namesConsent
	namesSubscribe
	namesAuthor
	namesMeta
	namesTags
	namesCaption
	namesTitle
	namesProduct
	namesReview
	namesCard
	namesModal
	namesSearch
	namesForum
	namesSignature
	namesCode
	namesTOC
	namesAccordion
	namesAction
	namesIntro
	namesWidget
	namesQuoted
	nameTopics = iota
)

// elementNames gives the topics of a word in the class, id, role or itemprop of an element: whole words, or, for words
// of five letters and more, the beginning or the end of a compound ("relatedposts", "pagefooter").
var elementNames = nameLists([nameTopics]string{
	`content contents text body main copy prose markdown rte richtext wysiwyg inhalt contenido contenu conteudo maincontent maintext fulltext mainbody bodytext detail`,
	`article articlebody story post entry blog news artikel articulo noticia storybody postbody entrycontent postcontent articlecontent hentry page single`,
	`comment comments commentlist disqus respond replies kommentar kommentare comentarios commentaires fb-comments`,
	`related recommended recommend recommendation recommendations recirc similar trending popular mostread latest upnext suggested suggestions readnext more readmore
	morefrom alsolike mostpopular crosslinks outbrain taboola teasers onward`,
	`share sharing social addthis addtoany sharedaddy facebook whatsapp pinterest linkedin follow sns shariff socials`,
	`nav navbar navigation menu submenu breadcrumb breadcrumbs crumbs pagination pager paging tabs tablist sitemap skip megamenu navi prev next paginator`,
	`footer foot bottom colophon copyright legal fineprint imprint disclaimer sitefooter pagefooter`,
	`header masthead topbar top head logo brand navbar siteheader toolbar`,
	`sidebar aside rail side secondary complementary sidenav rightcol leftcol rightbar leftbar right left column`,
	`ad ads advert advertisement adsense sponsor sponsored promo promotion promotions banner dfp affiliate adslot adunit advertising promobox`,
	`cookie cookies consent gdpr onetrust cmp privacy ccpa cookiebanner`,
	`newsletter subscribe subscription signup mailchimp email optin paywall regwall membership login signin register account form hbspt`,
	`author authors byline bio contributor writer profile avatar user username userinfo about authorbox`,
	`meta date time timestamp published info kicker eyebrow posted dateline postmeta entrymeta details stats counts`,
	`tag tags topics keywords taxonomy categories category cat taglist labels`,
	`caption credit figcaption image img photo media gallery video figure slideshow carousel slider swiper picture thumbnail thumb credits`,
	`title headline heading subtitle subheading dek standfirst pagetitle entrytitle posttitle headings`,
	`product price prices sku cart buy shop variant variants swatch swatches quantity stock offer shipping products woocommerce shopify pdp spec specs specification specifications`,
	`review reviews rating ratings stars testimonial testimonials question questions qa feedback rated`,
	`card cards item items tile tiles teaser grid list listing listings row feed result results block col cell loop`,
	`modal popup overlay lightbox dialog drawer toast tooltip offcanvas hidden collapse dropdown flyout hide mobile print`,
	`search filter filters facet facets sort refine sorting searchbox input select`,
	`message topic thread reply answer cooked bbcode posttext messagecontent postcontent usertext commenttext quote forum discussion`,
	`signature sig postsignature`,
	`highlight code doc docs api example snippet documentation reference sphinx rst docutils codehilite pre`,
	`toc outline onthispage tableofcontents scrollspy summary jump anchor anchors`,
	`accordion faq faqs collapsible expand panel tab`,
	`cta button buttons btn action actions download link links`,
	`intro lead lede summary excerpt description desc abstract teaser hero`,
	`widget widgets module sticky plugin area`,
	`tweet tweets embed embedded embeds oembed iframe instagram-media video-embed`,
})

func nameLists(lists [nameTopics]string) map[string]topics {
	m := map[string]topics{}
	for i, list := range lists {
		for _, word := range strings.Fields(list) {
			m[word] |= 1 << i
		}
	}
	return m
}

// nameTopic looks up one word of an element's names.
func nameTopic(word string) topics {
	t := elementNames[word]
	if t != 0 || len(word) < 7 {
		return t
	}
	for n := min(len(word)-2, 12); n >= 5; n-- {
		t |= elementNames[word[:n]] | elementNames[word[len(word)-n:]]
		if t != 0 {
			return t
		}
	}
	return t
}
