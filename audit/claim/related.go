package claim

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
person people man individual human
person people woman individual human
show find reveal indicate suggest demonstrate report observe conclude
study research trial investigation survey analysis experiment paper
researcher scientist author investigator
use employ utilise utilize apply rely
build construct erect
founded establish create start launch begin set form
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
analysis evaluation assessment appraisal
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
move relocate transfer
eat diet food feed
exceed above surpass
convict guilty
death posthumously posthumous
`
