package knowledge

import "strings"

// The words by which a sentence's parts are told apart. The rules are of English; sentences of other languages are kept as
// statements.

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	copulas = set("is are was were")

	// auxiliaries begin a group of verbs.
	auxiliaries = set("is are was were has have had does do did can could will would may might must shall should isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't cannot couldn't won't wouldn't shouldn't")

	// modals are followed by an infinitive.
	modals = set("does do did can could will would may might must shall should doesn't don't didn't can't cannot couldn't won't wouldn't shouldn't")

	// between stand inside of a group of verbs.
	between = set("not never no longer be been being also now still already only always often then just have had")

	// finite are verbs in forms that are hardly anything else.
	finite = set(`rose fell grew shrank sank went came became began ran won lost held kept made took gave got found said told wrote read led left met paid sold bought
		sent built spent brought taught thought caught cost costs drew drove flew wore spoke broke chose froze stole shook fed bred bore struck stood swam rang sang
		has contains includes consists produces makes gives takes uses covers owns employs serves supports provides offers allows requires needs means
		becomes remains exceeds reaches measures weighs holds lies stands runs begins ends comes goes belongs depends follows causes prevents reduces
		increases decreases lowers raises doubles halves binds blocks inhibits activates encodes carries connects joins crosses feeds links leads
		operates publishes issues sells buys pays earns reports says states recommends guarantees ensures describes defines denotes implements returns
		became founded invented discovered doubled halved tripled`)

	// prepositions may follow a verb and belong to it.
	prepositions = set("to of in on at by for from with into onto over under about as than through between among across against within without per until since after before near")

	// determiners begin what a verb is followed by.
	determiners = set("a an the its his her their our this that these those all no some any each every both more most less fewer many several half one two three four five six seven eight nine ten up down out about nearly almost roughly around over only")

	// vague are words that say elsewhere what they stand for: a sentence about them is kept whole.
	vague = set("it they he she this these that those there here we you i who which what one both each some others another such")

	// relative words begin a clause that says something beside.
	relative = set("which who whom whose where when while whereas although though but because since if unless after before so")

	// reporting words say who says so.
	reporting = set("said says reported reports according announced stated")

	// leading words stand before a subject.
	leading = set("however moreover furthermore meanwhile therefore thus also and but so yet still then today now finally overall")
)

// participle reports whether a word looks like the second form of a verb.
func participle(w string) bool {
	return len(w) > 4 && (strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "wn") || strings.HasSuffix(w, "en")) || irregular[w]
}

var irregular = set("made held found built sold bought sent paid kept lost won led left met put set cut read told said taught brought run come become begun born made known fed spent")
