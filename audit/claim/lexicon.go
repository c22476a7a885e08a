package claim

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed wordnet/antonyms.txt
var wordnetAntonyms string

// ownAntonyms are pairs that WordNet lacks, most of them of how things change and where they stand. A hyphen joins what
// is one side: a word on the left is opposed to each on the right.
const ownAntonyms = `
above:below,under,beneath
over:under,below
before:after
up:down
inside:outside
within:outside
more:less,fewer
most:least,fewest
best:worst
better:worse
largest:smallest
biggest:smallest
larger:smaller
bigger:smaller
highest:lowest
higher:lower
high:low
longest:shortest
longer:shorter
tallest:shortest
taller:shorter
oldest:youngest,newest
older:younger,newer
earliest:latest
earlier:later
first:last
fastest:slowest
faster:slower,slowly
slower:quickly,rapidly
slowly:rapidly
strongest:weakest
stronger:weaker
richest:poorest
widest:narrowest
heaviest:lightest
greatest:smallest,least
greater:lesser,smaller,less
maximum:minimum
majority:minority
positive:negative
success:failure,flop
successful:unsuccessful
win:lose
winner:loser
gain:lose
profit:loss
succeed:fail
pass:fail
prequel:sequel
enter:leave,exit
arrive:depart,leave
begin:end,finish,stop
start:end,finish,stop
open:close
accept:reject,refuse
approve:reject,veto
allow:ban,forbid,prohibit,prevent
support:oppose
agree:disagree
include:exclude
import:export
public:private
real:fictional,fake,imaginary
fictional:real,factual
nonfiction:fiction
fact:fiction
live:die,prerecorded
living:dead
alive:dead
married:unmarried,single,divorced
single:double
male:female
friend:enemy
ally:enemy
hero:villain
superhero:supervillain
protagonist:antagonist
guilty:innocent
convicted:acquitted
legal:illegal
safe:dangerous,unsafe
cheap:expensive
rich:poor
early:late
ancient:modern
old:new,young
north:south
northern:southern
east:west
eastern:western
northeast:southwest
northwest:southeast
left:right
front:back
top:bottom
major:minor
senior:junior
professional:amateur
permanent:temporary
voluntary:compulsory,mandatory
optional:mandatory,compulsory,required
rural:urban
domestic:foreign,international
simple:complex
easy:difficult,hard
common:rare,uncommon
frequent:rare
popular:unpopular
famous:unknown,obscure
full:empty
strong:weak
hot:cold
warm:cold,cool
dry:wet
fast:slow
quick:slow
wide:narrow
deep:shallow
thick:thin
heavy:light
hard:soft
rough:smooth
loud:quiet
bright:dark,dim
acute:chronic
benign:malignant
active:passive,inactive,extinct,dormant
activate:inhibit,deactivate,suppress
activation:inhibition
promote:inhibit,suppress,prevent
enhance:impair,reduce,suppress,diminish
stimulate:inhibit,suppress
induce:inhibit,suppress
upregulate:downregulate
upregulation:downregulation
upregulated:downregulated
hyper:hypo
sensitive:resistant
sensitivity:resistance
efficient:inefficient
effective:ineffective
critical:uncritical
praise:criticise,criticize,panned
acclaim:criticism
acclaimed:panned
favorable:unfavorable
favourable:unfavourable
optimistic:pessimistic
advantage:disadvantage
like:dislike
love:hate
attack:defend
conquer:surrender
victory:defeat
defeat:lose
father:son,mother
mother:daughter,father
brother:sister
husband:wife
uncle:aunt
king:queen
prince:princess
hire:fire,dismiss
join:leave
unite:divide
merge:split
attach:detach
appear:disappear
present:absent
day:night
morning:evening
summer:winter
land:sea
liquid:solid
offline:online
recorded:live
indoor:outdoor
indoors:outdoors
free:paid
compliant:noncompliant
similar:different
same:different
identical:different
flexible:rigid
limited:unlimited
manual:automatic,automated
beginner:expert
novice:expert
wholesale:retail
upstream:downstream
forward:backward
clockwise:counterclockwise
increase:decrease,reduce
input:output
inflow:outflow
inbound:outbound
upload:download
sender:recipient,receiver
predecessor:successor
numerator:denominator
internal:external
interior:exterior
central:peripheral
vertical:horizontal
singular:plural
explicit:implicit
direct:indirect
visible:invisible,hidden
theoretical:practical
supervised:unsupervised
linear:nonlinear
continuous:discrete
deterministic:stochastic
shorten:extend,lengthen
expand:contract,shrink
strengthen:weaken
accelerate:slow,decelerate
ahead:behind
outperform:underperform
overestimate:underestimate
surplus:deficit
supply:demand
debt:asset
boom:bust
upgrade:downgrade
`

// up and down are the words of a change and its direction, by stem. A word of one against a word of the other turns the
// claim around.
var (
	up = stems(`rise increase grow climb gain jump surge soar expand double triple widen improve raise boost heighten elevate escalate accelerate strengthen upgrade swell
		rally advance growth higher upward upwards up`)
	down = stems(`fall decrease drop decline shrink sink lose plunge slump contract halve narrow worsen lower reduce cut diminish lessen deteriorate slow weaken downgrade dwindle
		plummet dip slide reduction lower downward downwards down`)
)

func stems(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[stem(w)] = true
	}
	return m
}

// notOpposed are pairs of WordNet that are no contradiction between a claim and its quote: two names of one thing, or
// both true at once.
var notOpposed = set(`actor/actress can/no do/make go/come come/go give/take give/bring have/lack will/no man/woman one/other this/that here/there now/then son/daughter
	work/play work/rest use/misuse show/hide state/private black/white mind/body head/tail he/she back/front king/queen prince/princess father/mother
	gentleman/lady boy/girl brother/sister husband/wife hero/heroine host/hostess emperor/empress duke/duchess lead/follow lead/deficit turn/unturned
	live/recorded run/idle name/anonymous home/away set/rise city/rural film/unfilmed cover/uncover found/lost record/erase number/unnumbered base/top
	male/female get/leave get/lose come/leave make/break make/unmake known/unknown star/unstarred right/wrong long/short old/new young/old natural/artificial act/refrain
	have/abstain buy/sell lend/borrow teach/learn parent/child precede/follow precede/succeed employer/employee born/die live/die`)

// lexicon is the antonyms of each stem.
var lexicon = sync.OnceValue(func() map[string][]string {
	m := make(map[string][]string, 8000)
	put := func(a, b string) {
		if notOpposed[a+"/"+b] || notOpposed[b+"/"+a] {
			return
		}
		a, b = stem(a), stem(b)
		if a == b {
			return
		}
		m[a] = append(m[a], b)
		m[b] = append(m[b], a)
	}
	for line := range strings.Lines(wordnetAntonyms) {
		if a, b, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			put(a, b)
		}
	}
	for line := range strings.Lines(ownAntonyms) {
		a, list, ok := strings.Cut(strings.TrimSpace(line), ":")
		for b := range strings.SplitSeq(list, ",") {
			if ok {
				put(a, b)
			}
		}
	}
	return m
})

// opposites reports whether two words are antonyms, of opposite direction, or one the other with a denying prefix.
func opposites(a, b *word) bool {
	if a.kind != letters || b.kind != letters || a.stem == b.stem {
		return false
	}
	for _, o := range lexicon()[a.stem] {
		if o == b.stem {
			return true
		}
	}
	return up[a.stem] && down[b.stem] || down[a.stem] && up[b.stem] || prefixed(a.s, b.s) || prefixed(b.s, a.s)
}
