package extractive

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"

	"ibid/internal/lazyregexp"
)

// A language is what this researcher knows of one: which words carry no topic, how a question says what it wants, and
// what words have in common. English has more rules, elsewhere.
type language struct {
	stop map[string]bool
	asks []shape
	stem func(string) string

	defining string             // words with which texts say what something is, to search for
	asking   *lazyregexp.Regexp // words and phrases that ask, where words have no spaces between them
}

// A shape is how a question looks that wants a kind of answer.
type shape struct {
	ask   ask
	looks *lazyregexp.Regexp
}

// english is a language without rules of its own here.
var english = &language{stop: stopWords, asks: asks, defining: "defined means called provides lets allows"}

// languageOf finds the language that a question is in: by its script, or by whose function words it has most of.
func languageOf(question string) *language {
	han := false
	for _, c := range question {
		switch {
		case unicode.In(c, unicode.Hiragana, unicode.Katakana):
			return japanese
		case unicode.Is(unicode.Cyrillic, c):
			return russianWords
		}
		han = han || unicode.Is(unicode.Han, c)
	}
	if han {
		return chinese
	}
	best, most := english, 0
	for _, l := range []*language{english, german, spanishWords, frenchWords, italian, portuguese} {
		n := 0
		for _, w := range split(question) {
			if l.stop[strings.ToLower(w.text)] {
				n++
			}
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}

// shapes pairs kinds of answers with the words, in that order, with which questions for them begin.
func shapes(pairs ...string) (list []shape) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, shape{ask(pairs[i]), lazyregexp.New(`(?i)^[¿\s]*(?:` + pairs[i+1] + `)`)})
	}
	return list
}

var (
	german = &language{
		defining: "bezeichnet bedeutet heißt versteht definiert nennt",
		stop: set(`der die das den dem des ein eine einer eines einem einen und oder aber ist sind war waren wird werden wurde wurden
			hat haben hatte hatten sein seine seiner ihr ihre ihrer im in an am auf aus bei beim bis durch für gegen mit nach ohne über um
			unter von vom vor zu zum zur zwischen als auch auf dass daß nicht kein keine sich es er sie wir man nur noch schon sehr wie was
			wer wen wem wessen wann wo woher wohin warum wieso weshalb wozu welche welcher welches welchen viele viel kann können soll
			sollen muss müssen darf dürfen gibt es denn mal bitte erkläre beschreibe`),
		asks: shapes("count", `wie (?:viele?|lange|hoch|groß|alt|weit|oft|teuer|schnell|schwer|tief|breit)|was kostet|wieviele?|um wie ?viel`, "when", `wann|(?:seit|bis|ab) wann|in welchem jahr`, "where", `wo|wohin|woher`,
			"who", `wer (?:ist|sind|war|waren) (?:der|die|das|ein|eine)\b`, "what", `wer (?:ist|war)`, "who", `wer|wem|wen|wessen`, "why", `warum|wieso|weshalb|wodurch`, "what", `was (?:ist|sind|war|waren|bedeutet|heißt)`, "how", `wie`),
		stem: germanStem,
	}
	spanishWords = &language{
		defining: "significa llama define consiste conoce",
		stop: set(`el la los las un una unos unas de del al y o u e que en a ante con por para sin sobre entre hasta desde según es son
			fue fueron era eran ser está están estaba ha han había hay se su sus lo le les no sí más muy como cómo qué quién quiénes cuál
			cuáles cuándo dónde cuánto cuánta cuántos cuántas porqué si ya este esta estos estas ese esa eso esto cerca`),
		asks: shapes("count", `cuánt[oa]s?|(?:a|en|por) cuánt|cuál (?:es|era|fue) (?:el|la) (?:distancia|altura|precio|costo|coste|número|superficie|población|longitud|tamaño|edad|peso)|qué (?:altura|distancia|superficie|precio|edad|longitud)`, "when", `cuándo|en qué año|(?:desde|hasta) cuándo`, "where", `dónde|adónde|en qué (?:ciudad|país|lugar)`, "who", `quién(?:es)? (?:es|son|fue|fueron|era) (?:el|la|los|las|un|una)\b`, "what", `qué (?:es|son|era|significa)|quién(?:es)? (?:es|son|fue|era)`,
			"who", `quién(?:es)?|a quién`, "why", `por qué`, "how", `cómo`),
		stem: func(w string) string { return spanish.Stem(w, false) },
	}
	frenchWords = &language{
		defining: "désigne signifie appelle définit consiste",
		stop: set(`le la les l un une des du de d et ou où mais donc que qu qui quoi dont ce cet cette ces c il elle ils elles on nous vous
			je tu se s son sa ses leur leurs en y à au aux dans par pour sur avec sans sous entre est sont était étaient être a ont avait
			ne n pas plus très comment pourquoi quand combien quel quelle quels quelles est-ce si`),
		asks: shapes("count", `combien|(?:de|à|pour) combien|quel(?:le)? (?:est (?:le|la|l['’]) ?(?:nombre|prix|taux|coût|distance|hauteur|taille|superficie|longueur|âge|population)|distance|taille|hauteur)`, "when", `quand|(?:depuis|jusqu['’]à) quand|en quelle année`, "where", `où|d'où|dans quel(?:le)? (?:ville|pays)`,
			"who", `qui (?:est|était|sont) (?:le|la|les|un|une)\b|qui (?:est|était) l['’]`, "what", `qu['’]est[- ]ce que? (?:c['’]est|l|la|le)|qu['’]est[- ]ce que|qui (?:est|était|sont)|que signifie`, "who", `qui|à qui`, "why", `pourquoi`, "how", `comment`),
		stem: func(w string) string { return french.Stem(elided(w), false) },
	}
	italian = &language{
		defining: "significa chiama definisce consiste indica",
		stop: set(`il lo la i gli le un uno una di del dello della dei degli delle a al alla ai alle da dal dalla in nel nella con su sul
			per tra fra e o ma che chi cui cosa quale quali quando dove come perché quanto quanta quanti quante è sono era erano essere ha
			hanno non più si suo sua suoi loro cos`),
		asks: shapes("count", `quant[oaie]`, "when", `quando|in che anno`, "where", `dove|in quale (?:città|paese)`, "what", `che cos['’]è|cos['’]è|chi (?:è|era)|cosa (?:è|sono|significa)`, "who", `chi`, "why", `perché`, "how", `come`),
		stem: func(w string) string { return strip(elided(w), "zione", "zioni", "mente", "a", "e", "i", "o") },
	}
	portuguese = &language{
		defining: "significa chama define consiste designa",
		stop: set(`o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sobre entre e ou mas que quem
			qual quais quando onde como porque porquê quanto quanta quantos quantas é são foi foram era ser está estão há não mais muito se
			seu sua seus suas ao à`),
		asks: shapes("count", `quant[oa]s?`, "when", `quando|em que ano`, "where", `onde|em que (?:cidade|país)`, "what", `o que (?:é|são|foi|significa)|quem (?:é|foi)`, "who", `quem`, "why", `por ?qu[eê]`, "how", `como`),
		stem: func(w string) string {
			return strip(w, "ções", "ção", "mente", "as", "os", "es", "a", "e", "o", "s")
		},
	}
	russianWords = &language{
		stop: set(`и в во на не с со а о об от до по за из у к ко для но да или что чем как так же бы ли это этот эта эти тот та те он она
			оно они мы вы я его её ее их ему ей им был была было были есть быть кто кого кому где когда куда откуда почему зачем сколько
			какой какая какое какие каких который которая которые при над под между через если то только уже ещё еще очень`),
		asks: shapes("count", `сколько|как (?:долго|часто|далеко)`, "when", `когда|в каком году`, "where", `где|куда|откуда|в каком городе`, "what", `что (?:такое|значит)|кто так(?:ой|ая|ие)`, "who", `кто|кого|кому|чей`, "why", `почему|зачем`, "how", `как`),
		stem: func(w string) string { return russian.Stem(w, false) },
	}
	chinese = &language{
		stop:   set(`的 了 是 在 有 和 与 或 也 都 就 吗 呢 吧 很 个 这 那 它 他 她 我 你 们`),
		asks:   within_("count", `多少|几[个年天次人]|多[长高大远久]`, "when", `什么时候|何时|哪一?年|几时`, "where", `哪里|哪儿|何处|在哪`, "who", `谁|何人`, "why", `为什么|为何|怎么会`, "what", `什么是|是什么|指什么|何为`, "how", `怎么|怎样|如何`),
		asking: lazyregexp.New(`什么时候|为什么|什么是|是什么|什么|多少|哪里|哪儿|怎么样?|怎样|如何|为何|何时|谁|吗|呢|了|的|[？?]`),
	}
	japanese = &language{
		stop:   set(`の は が を に へ と も で か や`),
		asks:   within_("count", `いくつ|いくら|何[人個年回件枚本%]|どのくらい|どれくらい`, "when", `いつ|何年に|何時`, "where", `どこ`, "who", `誰|だれ`, "why", `なぜ|どうして|何故`, "what", `とは|何ですか|何か`, "how", `どのように|どうやって|どう`),
		asking: lazyregexp.New(`ですか|ますか|とは|何|いつ|どこ|誰|だれ|なぜ|どうして|いくつ|いくら|どのように|[？?]`),
	}
)

// within_ is shapes for scripts in which the asking word may stand anywhere.
func within_(pairs ...string) (list []shape) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, shape{ask(pairs[i]), lazyregexp.New(pairs[i+1])})
	}
	return list
}

// elided is a word without the one in front of its apostrophe, which lost its vowel there: l'école, dell'isola.
func elided(w string) string {
	if m := elision.FindString(w); m != "" && len(m) < len(w) {
		return w[len(m):]
	}
	return w
}

var elision = lazyregexp.New(`(?i)^(?:[cdjlmnst]|qu|un|(?:d|n|s)?[ae]ll|lorsqu|puisqu|jusqu)['’]`)

// strip cuts the first of these endings that leaves a stem of four letters.
func strip(w string, endings ...string) string {
	for _, e := range endings {
		if rest, ok := strings.CutSuffix(w, e); ok && len([]rune(rest)) >= 4 {
			return rest
		}
	}
	return w
}
