package claim

import "testing"

func TestNegation(t *testing.T) {
	testRule(t, []Code{NegationAdded, NegationLost}, []ruleCase{
		{"Pearl River is not a band.", "Pearl River is an American rock band.", Block},
		{"The harbour isn't deep enough.", "The harbour is deep enough.", Block},
		{"The harbour is not deep enough.", "The harbour isn't deep enough, we found.", ""},
		{"The group never entered the market.", "The group entered the construction market in 1970.", Block},
		{"The result may hold at sites with stronger currents.", "The sample is small and the result may not hold at sites with stronger currents.", Block},
		{"The result may fail to hold at sites with stronger currents.", "The result may not hold at sites with stronger currents.", ""},
		{"The window is not predictable.", "The window is unpredictable.", ""},
		{"No more than ten came.", "Ten came at most.", ""},
		{"No filing gives a figure for tariff costs.", "The yard wrote about copper.", Flag},
		{"There are no ferries on the lake.", "The valley has three railway lines.", Flag},
		{"Nobody travelled by boat.", "The crossing lacked passengers.", ""},
		{"No boat sailed.", "All trips were cancelled, and not one was made up for.", ""},
		{"Ian Lorn was not born in India.", "Ian Lorn was born in Canada.", ""},
		{"It did not sell 5 million copies.", "It sold 3 million copies.", Flag},
		{"Tom has a bank account.", "Tom has a bank account with no money.", ""},
		{"He refused to be an entrepreneur.", "He is an inventor and entrepreneur.", Block},
		{"The seal failed, but the pump held.", "The pump held, but the seal did not.", ""},
		{"Vitamin C stops infections.", "Vitamin C does not stop infections.", Block},
		{"Birds avoid the turbine.", "Birds do not avoid the turbine.", Block},
		{"Birds do not avoid the turbine.", "Birds avoid the turbine.", Block},
		{"Neither bridge was closed.", "Both bridges were closed.", Block},
		{"Caffeine improves memory.", "Caffeine failed to improve memory.", Block},
		{"Caffeine did not improve memory.", "Caffeine failed to improve memory.", ""},
		{"The algorithm terminates.", "The algorithm does not always terminate.", Flag},
		{"The bank did not refuse the loan.", "The bank did not refuse the loan of 1999.", ""},
		{"Das Medikament wirkt nicht.", "Das Medikament wirkt.", Block},
		{"Le médicament est efficace.", "Le médicament n'est pas efficace.", Block},
		{"El tratamiento no reduce el dolor.", "El tratamiento reduce el dolor.", Block},
		{"Das Medikament wirkt nicht nur bei Kindern.", "Das Medikament wirkt bei Kindern.", ""},
		{"Coffee drinkers had a lower risk of stroke.", "Coffee drinkers had a lower risk of stroke than people who did not drink coffee.", ""},
		{"Sand wears the blades.", "No evidence was found that sand wears the blades.", Block},
		{"There was fraud in the election.", "There is no evidence of fraud in the election.", Block},
		{"The mine is safe.", "Nobody says that the mine is safe.", Flag},
		{"There is no evidence that sand wears the blades.", "No evidence was found that sand wears the blades.", ""},
		{"The trial showed that it works.", "It does not show that the drug is safe, but the trial showed that it works.", ""},
		{"A worker was injured when the crane failed.", "The crane failed on 9 December 2024. No worker was injured.", Flag},
		{"The crane was out of service for 11 days.", "The crane failed on 9 December and was out of service for eleven days.", ""},
	})
}

func TestExclusive(t *testing.T) {
	testRule(t, []Code{Exclusivity}, []ruleCase{
		{"Only type B seals lasted 212 days.", "Type B seals lasted 212 days.", Block},
		{"The film was directed solely by Ada Lorn.", "The film was directed by Ada Lorn.", Block},
		{"The survey covered only six sites.", "The survey covered just six sites.", ""},
		{"It is the only bridge.", "It is the sole bridge over the river.", ""},
		{"It is not only a bridge.", "It is a bridge and a road.", ""},
		{"It had only a modest effect.", "Its effect was modest.", ""},
	})
}

func TestAntonyms(t *testing.T) {
	testRule(t, []Code{Antonym, Direction}, []ruleCase{
		{"Output tokens made up 91 percent of the cost; output is dear.", "Input tokens made up 91 percent of the cost. What is put out is dear.", Block},
		{"The input is read once, the output is kept.", "The output is kept, and the input is read once.", ""},
		{"Output was 8 percent above forecast.", "Output was 8 percent below the forecast.", Block},
		{"Outages rose from 19 to 7.", "Outages fell from 19 to 7.", Block},
		{"Outages declined from 19 to 7.", "Outages fell from 19 to 7.", ""},
		{"The poem is historically accurate.", "The poem is historically inaccurate, and mentions events that never happened.", Block},
		{"The poem is not accurate.", "The poem is inaccurate.", ""},
		{"It became the least ordered album.", "It became the most ordered album.", Block},
		{"The office is a junior post.", "The office is a senior post.", Block},
		{"The feature is disabled by default.", "The feature is off by default and must be enabled.", Flag},
		{"Losses rose in the northern grid.", "Prices fell in the north, and losses rose there.", ""},
		{"A national team won.", "The international committee met and a team won.", Flag},
		{"The study was unfunded.", "The study was funded by the navy.", Block},
		{"The city lies north of the lake, and south of the hills.", "The city lies south of the hills, and north of the lake.", ""},
		{"Output grew faster than expected.", "Output grew more slowly than expected.", Block},
	})
}

func TestKinds(t *testing.T) {
	testRule(t, []Code{KindConflict}, []ruleCase{
		{"Ian Lorn is a German singer.", "Ian Lorn is an English singer and songwriter.", Block},
		{"Little Mill is a song.", "Little Mill is a novel by Ada Lorn.", Block},
		{"Little Mill is a novel.", "Little Mill is a film based on the novel of that name.", ""},
		{"The song is a jazz song.", "It is a reggae song with some rock.", Block},
		{"Matteo Lorn is German.", "Matteo Lorn ( [ matˈtɛːo ˈlɔrn ] ; born 11 January 1975 ) is an Italian politician.", Block},
		{"Green Day is a band.", "Red Hill is a band.", ""},
		{"Little Mill is a movie.", "Little Mill is a film.", ""},
	})
}

func TestQuantifiers(t *testing.T) {
	testRule(t, []Code{Quantifier, Scope}, []ruleCase{
		{"All critics praised it.", "Many critics praised it.", Block},
		{"Most trials failed.", "Some trials failed.", Block},
		{"Some trials failed.", "Most trials failed.", ""},
		{"All trials failed.", "Every trial failed.", ""},
		{"The survey covered all sites.", "The survey covered only six of the twelve sites.", Block},
		{"It delivers 41.6 GWh every winter.", "Over its first winter it delivered 41.6 GWh.", Flag},
		{"Not all trials failed.", "Some trials failed.", ""},
		{"All of the samples were contaminated.", "Nearly all of the samples were contaminated.", Block},
		{"Nearly all of the samples were contaminated.", "All of the samples were contaminated.", ""},
		{"She spent practically her whole life there.", "She spent her life there almost entirely.", ""},
		{"A minority of users pay.", "62 percent of users pay.", Block},
		{"Most users pay.", "62 percent of users pay.", ""},
		{"The majority of the sites were closed.", "Twelve of the 40 sites were closed.", Block},
	})
}

func TestCause(t *testing.T) {
	testRule(t, []Code{Causal}, []ruleCase{
		{"Coffee causes a lower risk of gout.", "Coffee was associated with a lower risk of gout.", Block},
		{"Coffee is linked with a lower risk of gout.", "Coffee was associated with a lower risk of gout.", ""},
		{"Gout is caused by crystals.", "Crystals cause gout.", ""},
		{"Outages fell because of a new seal.", "Outages fell, which the operators attribute to a new seal.", Block},
		{"Output fell because the lease ended.", "Output fell. The lease ended.", Flag},
		{"Drinking coffee reduces the risk of stroke.", "Coffee drinkers had a lower risk of stroke than people who did not drink coffee.", Flag},
		{"Drinking coffee reduces the risk of stroke.", "Drinking coffee lowers the risk of stroke.", ""},
	})
}

func TestHedges(t *testing.T) {
	testRule(t, []Code{HedgeLost, ConditionLost}, []ruleCase{
		{"The result does not hold at other sites.", "The result may not hold at other sites.", Block},
		{"The result might not hold at other sites.", "The result may not hold at other sites.", ""},
		{"The operator plans four turbines.", "The operator plans to add four turbines if the lease is renewed.", Flag},
		{"If the lease is renewed, the operator plans four turbines.", "The operator plans to add four turbines if the lease is renewed.", ""},
		{"The operator added four new turbines.", "The operator plans to add four turbines next to the port.", Flag},
		{"Sand does not wear the blades.", "No evidence was found that sand wears the blades.", Flag},
		{"It was not shown that sand wears the blades.", "No evidence was found that sand wears the blades.", ""},
		{"The bridge was repaired.", "The bridge is to be repaired next year.", Block},
		{"The bridge was repaired.", "The council considered repairing the bridge.", Block},
		{"The bridge was repaired.", "The bridge was repaired last year.", ""},
		{"The bridge will be repaired.", "The bridge is to be repaired next year.", ""},
		{"She is the president of the bank.", "She is the former president of the bank.", Block},
		{"She is the former president of the bank.", "She is the president of the bank.", Block},
		{"She was president of the bank.", "She is the former president of the bank.", ""},
		{"She is a retired basketball player.", "She is a former American basketball player.", ""},
		{"The work will begin in autumn 2025.", "The work may begin in autumn 2025.", Block},
		{"The north quay will get shore power in 2026.", "The authority plans to extend shore power to the north quay in 2026.", Flag},
	})
}

func TestSuperlatives(t *testing.T) {
	testRule(t, []Code{Superlative}, []ruleCase{
		{"Type B seals, the best ever built, lasted 212 days.", "Type B seals lasted 212 days.", Flag},
		{"It is the largest port.", "It is the largest port of the island.", ""},
		{"It stands in the west.", "It stands near the port.", ""},
	})
}

func TestNames(t *testing.T) {
	testRule(t, []Code{NameAbsent, NameConflict}, []ruleCase{
		{"The Eastbrook result holds.", "The result holds.", Flag},
		{"It was directed by George Lorn.", "It was directed by Ada Mill.", Flag},
		{"It was directed by Ada Mill.", "Ada Mill directed it.", ""},
		{"The result holds.", "The Eastbrook result holds.", ""},
	})
}

func TestClauses(t *testing.T) {
	testRule(t, []Code{Unsupported, Attribution}, []ruleCase{
		{"Outages fell, and two divers were laid off.", "Outages fell from 19 to 7.", Flag},
		{"The ministry found that one turbine was lost.", "We lost one turbine.", Flag},
		{"One turbine was lost.", "We lost one turbine.", ""},
	})
}
