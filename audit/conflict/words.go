package conflict

import (
	"strings"

	"ibid/audit/claim"
)

var (
	pronouns     = set("he she it they this that these those")
	possessives  = set("his her its their")
	aside        = set("without ohne non nor neither") // negators that deny what stands beside
	relative     = set("that which who whom whose where if when unless whether because since although while as")
	reporting    = set(`said says say saying wrote writes told tells stated states reported reports announced announces according`)
	copulas      = set("is are was were became becomes remains")
	beings       = set("is are was were be been being am not has have had do does did to will would can could may might should must")
	articles     = set("a an the")
	prepositions = set("of in on for with from at under against among")

	// neutral words say how something is told and not what.
	neutral = stems(`says wrote told stated reported announced according noted figure number exactly precisely actually officially currently recently also now still already
		altogether year came amounted stood`)
	// observing is what those do whose word a figure is.
	observing = stems("found counted measured observed recorded saw estimated puts calculated surveyed registered")

	// leading words may stand before a figure that is of what stands before them.
	leading = set(`of is was are were be been at to in reached reaches totalled totaled numbered numbers stands stood from by for with has had the a an about over under
		only and or between`)
	bounds = set("about around roughly nearly almost over more than less fewer at least most under up some")

	// events are what happens once to a thing.
	events = stems(`born die death birth found established opened began start launched created invented discovered published released premiered debut completed finished built
		constructed ended closed abolished dissolved signed adopted elected married inaugurated introduced commissioned decommissioned joined left ratified enacted
		independence killed assassinated demolished destroyed incorporated merged acquired bought sold awarded won graduated`)

	// sorts say of what sort a figure is. The first word of a line names the sort.
	sorts = lines(`plan planned forecast budget expected target projected proposed intended scheduled goal estimated aim hope promised predicted anticipated
limit maximum minimum peak capacity allowed permitted design potential record cap ceiling threshold
average mean median typical
total combined cumulative altogether overall sum
net before excluding without
gross after including
change by rise increase grow fall decrease drop decline more fewer less difference up down gain loss reduce cut add additional extra another further
rest other remaining`)
)

// A scope is a set of words that set a scope, or leave open whether it is so: two texts of which one has them do not surely
// say the same.
type scope uint64

var scopes = func() map[string]scope {
	m := map[string]scope{}
	for i, w := range strings.Fields(`before after without except within outside only other another each both all some most until since during under over between above below if
		unless when while because although may might could should would will can must per more less fewer every any several many few up down against near`) {
		m[w] = 1 << i
	}
	return m
}()

// deniedBeside is the scope of a negator that denies not what its statement says, but what it says beside.
const deniedBeside scope = 1 << 63

// scopeOf is the scope of a word, 0 if it sets none.
func scopeOf(w string) scope { return scopes[w] }

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func stems(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range claim.Read(words).Words {
		m[w.Stem] = true
	}
	return m
}

// lines maps the stems of each line to its first word.
func lines(text string) map[string]string {
	m := make(map[string]string)
	for line := range strings.Lines(text) {
		for w := range stems(line) {
			m[w] = strings.Fields(line)[0]
		}
	}
	return m
}

// scopesOf is the scope of several words.
func scopesOf(words string) (s scope) {
	for _, w := range strings.Fields(words) {
		s |= scopeOf(w)
	}
	return s
}
