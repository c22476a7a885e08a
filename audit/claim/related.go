package claim

import (
	_ "embed"
	"strings"
	"sync"
)

// wordnetRelated is what WordNet says of words that belong together. A line is a word, the numbers (of three characters) of
// the meanings that it has or is derived of, and those of wider meanings.
//
//go:embed wordnet/related.txt
var wordnetRelated string

// ownRelated are groups of words that say the same of the same thing in the sentences of reports, and that WordNet keeps
// apart. A word may be in several.
const ownRelated = `
firm company business corporation enterprise
city town municipality
rise increase grow climb gain growth jump surge up higher
fall decrease decline drop shrink reduce lower reduction down cut
choose decide opt elect
resident inhabitant people citizen local population live
disappear go vanish
write store save record
drive cause lead due thanks owing result because
must need require oblige
roughly about approximately approx around
output production produce generate yield deliver
person people man woman individual human
show find reveal indicate suggest demonstrate report observe conclude
study research trial investigation survey analysis experiment paper
researcher scientist author investigator
use employ utilise utilize apply rely
build construct erect
found establish create start launch begin set form
begin start launch open commence
end finish conclude close stop cease
sign enter
help support assist aid
let allow permit enable
forbid ban prohibit bar outlaw
child kid pupil student boy girl youngster
pupil student
teacher staff
staff employee worker personnel workforce
job post position work employment
money funds fund financing funding cash sum
cost price expense spend charge pay worth
rival competitor
make produce manufacture build create
movie film picture
song track single
album record
book novel
write pen author
doctor physician medic clinician
illness disease condition disorder ailment sickness
medicine drug medication treatment therapy
patient participant subject volunteer
buy acquire purchase acquisition takeover
sell sale
resign quit leave step
join enter
big large great huge major
small little minor tiny
old elderly older aged ancient
new novel recent modern latest
fast quick rapid speed
important key major significant main
main chief principal primary major
wrong false incorrect
rain rainfall
snow snowfall
underground metro subway
river stream
road street
ship vessel boat
plane aircraft airplane jet
car automobile vehicle
house home building residence
building structure
live reside dwell inhabit
live population home
die death deadly fatal
kill die death
hurt injure wound
injure injury
sea ocean
forest wood
next coming following
last final previous past
after following later subsequently afterwards
before prior previously earlier
about approximately roughly around circa
get receive obtain
give provide supply grant offer award
keep maintain retain store hold
store save keep hold
send transmit deliver
read parse load
publish release issue
release launch publish
say state tell claim announce declare report explain note
view opinion
plan intend propose aim
forecast predict expect project estimate anticipate
measure span
think believe consider
contain include hold comprise feature
consist comprise contain
include among
cause lead result
because due owing
thanks due owing
serve work act
name call title
name appoint
rule decide judge
law act legislation statute
vote ballot poll
win victory beat defeat
contest competition tournament championship
match game
get obtain
length long
height high tall
width wide
depth deep
age old
weight weigh heavy
speed fast
north northern
south southern
east eastern
west western
year annual yearly annually
month monthly
week weekly
day daily
half fifty
double twice two
triple three third
damage harm
repair fix mend restore
destroy ruin
wash clean
see observe watch
world global worldwide international
country nation state
national country nationwide
government state
leader head
head lead leader run
manage run operate
operate run work
worker staff labour
licence license
programme program
organisation organization organize organise
centre center
colour color
behaviour behavior
labour labor
defence defense
theatre theater
harbour harbor port
grey gray
tyre tire
plough plow
enrol enroll
fulfil fulfill
travel journey trip
traveller traveler passenger
ageing aging
sceptical skeptical
aluminium aluminum
cancelled canceled
modelling modeling
effect force
impact effect influence
predicament dilemma problem
implement use apply
implement introduce adopt
equip fit
take last
last long
trade commerce
shop store
film shoot
born birth
bear birth
marry wife husband marriage spouse
wife marry
husband marry
actor star play
actress star play
star play appear
play role
role character
direct director
sing singer vocal
compose composer
produce producer
invent inventor
win winner
member part belong
part belong component
locate lie situate
come origin
native born birth
home base headquarters
base headquarters
earn income
graduate degree
attend study
teach teacher
train training
reply answer respond
ask request
want wish
try attempt
reach arrive
grow cultivate
eat consume
use consumption
consume consumption
age elderly
poor poverty
rich wealthy wealth
true real
happen occur
often frequently frequent
rarely seldom
usually normally generally
mostly mainly largely primarily
method approach technique
model system
task problem
test evaluate
result outcome finding
goal aim objective target
data dataset
accuracy accurate
able ability can
improve better improvement
worsen worse
customer client
client customer
contract deal agreement
agreement treaty deal accord
meet meeting
talk discuss discussion
discuss debate
debate discuss
issue problem
problem difficulty trouble
mail email
email message
phone telephone
call phone
photo photograph picture image
`

// A meaning is what the table has of a word: numbers of meanings, and of wider ones.
type meaning struct{ own, wider string }

// meanings are those of WordNet by word.
var meanings = sync.OnceValue(func() map[string]meaning {
	m := make(map[string]meaning, strings.Count(wordnetRelated, "\n"))
	for line := range strings.Lines(wordnetRelated) {
		w, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		own, wider, _ := strings.Cut(rest, " ")
		m[w] = meaning{own, wider}
	}
	return m
})

// groups are the numbers of the lines of ownRelated that each stem is in.
var groups = sync.OnceValue(func() map[string][]int {
	m := make(map[string][]int)
	n := 0
	for line := range strings.Lines(ownRelated) {
		n++
		for _, w := range strings.Fields(line) {
			m[stem(w)] = append(m[stem(w)], n)
		}
	}
	return m
})

// endings are those of inflected words, and what stands in their place in a dictionary.
var endings = []struct{ end, base string }{{"s", ""}, {"es", ""}, {"ies", "y"}, {"ed", ""}, {"ed", "e"}, {"ied", "y"}, {"ing", ""}, {"ing", "e"}, {"er", ""}, {"er", "e"}, {"ier", "y"}, {"est", ""}, {"iest", "y"}, {"ly", ""}, {"ily", "y"}}

// readings are what WordNet has of a word and of those that it may be a form of.
func readings(s string) []meaning {
	table := meanings()
	var out []meaning
	put := func(s string) {
		if m, ok := table[s]; ok {
			out = append(out, m)
		}
	}
	put(s)
	if base := irregular[s]; base != "" {
		put(base)
	}
	for _, e := range endings {
		base, ok := strings.CutSuffix(s, e.end)
		if !ok || len(base) < 2 {
			continue
		}
		put(base + e.base)
		if short := undouble(base); short != base && e.base == "" {
			put(short)
		}
	}
	return out
}

// covers reports whether one of the readings of a word of a claim means the same as, or something wider than, one of those
// of a word of its quote.
func covers(claim, quote []meaning) bool {
	for _, a := range claim {
		for i := 0; i+3 <= len(a.own); i += 3 {
			for _, b := range quote {
				if holds(b.own, a.own[i:i+3]) || holds(b.wider, a.own[i:i+3]) {
					return true
				}
			}
		}
	}
	return false
}

func holds(numbers, n string) bool {
	for i := 0; i+3 <= len(numbers); i += 3 {
		if numbers[i:i+3] == n {
			return true
		}
	}
	return false
}

// grouped reports whether two stems are in one line of ownRelated, or move in the same direction.
func grouped(a, b string) bool {
	g := groups()
	for _, x := range g[a] {
		for _, y := range g[b] {
			if x == y {
				return true
			}
		}
	}
	return up[a] && up[b] || down[a] && down[b]
}

// derivations are endings that make a word of another: of two words with one beginning and such endings, one is said of
// what the other is.
var derivations = set(`e s ed ing er or ers ors ion ions tion ation ations ition sion ment ments al ally ial ance ence ant ent ants ents able ible ive ively ative ity ties ness y ies ic ics ical ically
 ist ists ism ize ise ized ised izing ising ization isation ian ians an en ful fully ous ly th ry ery age ship hood dom ees ee ure ures is es us um ette`)

// kin reports whether two words are, as far as their letters tell, of one family: they begin alike and end in what derives
// words.
func kin(a, b string) bool {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n < 4 || 5*n < 3*max(len(a), len(b)) {
		return false
	}
	for cut := n; cut >= max(4, n-2); cut-- { // decid-e, deci-sion
		if (a[cut:] == "" || derivations[a[cut:]]) && (b[cut:] == "" || derivations[b[cut:]]) {
			return true
		}
	}
	return false
}
