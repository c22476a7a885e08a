package claim

import (
	"strings"
	"sync"
)

// kinds are closed classes: a thing that is of one member is not of another. Names of one member are joined by a slash.
// The first word of a line names the class.
const kinds = `
demonym american/americans british/english/scottish/welsh/briton/scots french german/germans italian/italians spanish/spaniard canadian australian indian chinese japanese korean
 russian/soviet mexican brazilian argentine/argentinian irish swedish/swede norwegian danish/dane finnish/finn dutch belgian swiss austrian polish/pole czech hungarian romanian
 bulgarian greek turkish/turk iranian/persian iraqi israeli egyptian moroccan nigerian kenyan ethiopian pakistani bangladeshi thai vietnamese indonesian malaysian filipino
 singaporean taiwanese mongolian afghan lebanese/syrian cuban jamaican colombian venezuelan peruvian chilean portuguese ukrainian serbian croatian bosnian albanian armenian georgian
 icelandic latvian lithuanian estonian ghanaian tunisian algerian libyan sudanese somali cypriot maltese nepalese/nepali saudi yemeni kuwaiti hawaiian puerto
country usa/america/states britain/uk/england/scotland/wales/kingdom france germany italy spain canada australia india china japan korea russia/ussr mexico brazil argentina ireland
 sweden norway denmark finland netherlands/holland belgium switzerland austria poland hungary romania bulgaria greece turkey iran iraq israel egypt morocco nigeria kenya ethiopia
 pakistan bangladesh thailand vietnam indonesia malaysia philippines singapore taiwan mongolia afghanistan lebanon syria cuba jamaica colombia venezuela peru chile portugal
 ukraine serbia croatia bosnia albania armenia iceland latvia lithuania estonia ghana tunisia algeria libya sudan somalia cyprus malta nepal yemen kuwait
continent europe asia africa antarctica oceania
work film/movie/films/movies/picture/feature song/single/track/tune album/record/lp/ep/mixtape novel/book/novella/books/novels play series/show/sitcom/program/programme/soap/episode
 game/videogame/games musical opera/operetta poem painting sculpture magazine/newspaper/journal/periodical documentary podcast anime/manga/comic
genre comedy/comedic/sitcom horror thriller/mystery drama/dramatic western romance/romantic fantasy documentary musical war animated/animation biographical/biopic
music rock/metal/punk jazz country/folk classical reggae techno/electronic/house/dance/trance gospel blues opera/operatic rap/hip/rapper
sport football/soccer/footballer baseball basketball hockey tennis cricket/cricketer rugby golf/golfer boxing/boxer wrestling/wrestler swimming/swimmer volleyball handball cycling/cyclist skiing/skier
colour red/crimson/scarlet blue green yellow black white orange purple/violet pink brown grey/gray
day monday tuesday wednesday thursday friday saturday sunday
season spring summer autumn/fall winter
compass north/northern/northerly south/southern/southerly east/eastern west/western northeast/northeastern northwest/northwestern southeast/southeastern southwest/southwestern
faith christian/christianity/catholic/protestant/orthodox/church islam/islamic/muslim judaism/jewish/jew hinduism/hindu buddhism/buddhist sikh/sikhism atheist/atheism
kin father mother brother sister son daughter uncle aunt nephew niece grandfather grandmother grandson granddaughter husband wife cousin
deed directed/director/directs written/writer/wrote/writes/penned/authored produced/producer composed/composer edited/editor painted/painter designed/designer hosted/host/presenter
 narrated/narrator choreographed photographed illustrated translated
instrument guitar/guitarist piano/pianist/keyboard/keyboards drums/drummer bass/bassist violin/violinist saxophone/saxophonist trumpet/trumpeter cello/cellist flute/flautist organ/organist
metal gold silver bronze copper iron/steel aluminium/aluminum zinc nickel tin
planet mercury venus earth mars jupiter saturn uranus neptune pluto
species dog/dogs/canine cat/cats/feline horse/horses bird/birds fish insect/insects snake/snakes mouse/mice/rat/rats monkey/ape cow/cattle pig/pigs sheep chicken/chickens human/humans/people/person
vehicle car/automobile/auto bus truck/lorry train/tram aircraft/plane/airplane helicopter ship/boat/vessel/yacht bicycle/bike motorcycle submarine tank
insurance health/medical life home/homeowners auto/automobile/car travel
science physics/physicist chemistry/chemist biology/biologist mathematics/mathematician/maths economics/economist medicine/physician psychology/psychologist philosophy/philosopher astronomy/astronomer geology/geologist
office president senator governor mayor minister king/queen/monarch/emperor/empress judge/justice ambassador
level primary/elementary secondary tertiary/university
period daily weekly monthly yearly/annual/annually/quarterly hourly
state solid liquid gas/gaseous
party democratic/democrat republican conservative/tory labour/labor liberal communist socialist green
ware hardware software
language english french german spanish italian latin greek arabic hebrew mandarin hindi russian portuguese
`

// properKinds are the classes whose words are names.
var properKinds = set("demonym country continent day planet faith language")

// A member is a value of a class.
type member struct {
	class, value int
	proper       bool // written with a capital letter
}

// members lists for each word the classes that it has a value of.
var members = sync.OnceValue(func() map[string][]member {
	m := make(map[string][]member)
	class := -1
	value, proper := 0, false
	for line := range strings.Lines(kinds) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if line[0] != ' ' {
			class++
			proper = properKinds[fields[0]]
			fields = fields[1:]
		}
		for _, f := range fields {
			value++
			for name := range strings.SplitSeq(f, "/") {
				m[name] = append(m[name], member{class, value, proper})
			}
		}
	}
	return m
})
