package claim

import "testing"

var ofFigures = []Code{NumberConflict, NumberAbsent, UnitConflict, DerivedWrong}

func TestFigures(t *testing.T) {
	testRule(t, ofFigures, []ruleCase{
		{"The array delivered 41.6 GWh.", "The array delivered 41.6 gigawatt-hours.", ""},
		{"The array delivered 47.6 GWh.", "The array delivered 41.6 gigawatt-hours.", Block},
		{"It cost eleven million pounds.", "It cost £11m in all.", ""},
		{"It cost eleven billion pounds.", "It cost £11m in all.", Block},
		{"Some 53,879 people live there.", "There are 53 879 people in the town.", ""},
		{"Sales rose to 1,234,567 units.", "Sales rose to 1.234.567 units.", ""},
		{"The share is 4.5 %.", "The share is 4,5 percent.", ""},
		{"It has twenty-one members.", "It has 21 members.", ""},
		{"It has twenty-two members.", "It has 21 members.", Block},
		{"The trial had 320 patients.", "The trial ended in spring.", Block},
		{"The model has 7 billion parameters.", "We release a 7B-parameter model.", ""},
		{"A fee of USD 5 is due.", "A fee of $5 is due.", ""},
		{"The index reached .271.", "The index reached 0.271.", ""},
		{"He scored two hundred and five points.", "He scored 205 points.", ""},
		{"It has a mass of 10^6 kg.", "It has a mass of 10⁶ kg.", ""},
		{"It sold 1540 copies of the book.", "It sold 1,540 copies of the book in a year.", ""},
		{"Blade Runner 2049 is a film.", "The film is about a blade runner.", ""},
	})
}

func TestUnits(t *testing.T) {
	testRule(t, []Code{UnitConflict, UnitAbsent, NumberConflict}, []ruleCase{
		{"It costs 3.1 dollars per kilowatt-hour.", "It costs 3.1 cents per kilowatt-hour.", Block},
		{"It delivered 41.6 MWh.", "It delivered 41.6 GWh.", Block},
		{"It delivered 41,600 MWh.", "It delivered 41.6 GWh.", ""},
		{"It cost eleven million dollars.", "It cost eleven million pounds.", Block},
		{"It costs $0.031 per kilowatt-hour.", "It costs 3.1 cents per kWh.", ""},
		{"It fell 8 percentage points short.", "It fell 8 percent short.", Block},
		{"It rose by 50 basis points.", "It rose by 0.5 percentage points.", ""},
		{"It lasts 212 hours.", "It lasts 212 days.", Block},
		{"The crack is about 5 cm wide.", "The crack is about two inches wide.", ""},
		{"It weighs 3.1 kg.", "Weight: 3.1", Flag},
		{"The fee is $100 per month.", "The fee is $100 per year.", Block},
		{"The fee is $100 a month.", "The fee is $100/month.", ""},
		{"It covers 10 square miles.", "It covers 10 square kilometres.", Block},
		{"The flight takes 2.5 hours.", "Flight time: 2 h 30 min", ""},
		{"The timeout is 30 seconds.", "timeout: 30s (default)", ""},
		{"The pump runs at 60 °C.", "The pump runs at 60 degrees Celsius.", ""},
		{"Light travels at about 300,000 km/s.", "Light travels at 299,792,458 metres per second.", ""},
		{"Light travels at 300,000 km/h.", "Light travels at 299,792,458 metres per second.", Block},
		{"The plant emits 5 tonnes a year.", "The plant emits 5 kilotonnes a year.", Block},
		{"Le taux est de 3,5 %.", "Le taux est de 3,5 pour cent.", ""},
		{"The service takes up to 60 requests per minute.", "The service takes up to 60 requests per hour.", Block},
	})
}

func TestFractions(t *testing.T) {
	testRule(t, ofFigures, []ruleCase{
		{"One in five households has it.", "20 percent of households have it.", ""},
		{"Two in three adults use it.", "67% of adults use it.", ""},
		{"It lost half its volume in ten years.", "Over a decade its volume halved.", ""},
		{"Emissions fell by almost a third.", "Emissions fell by 31 percent.", ""},
		{"One in four households has it.", "20 percent of households have it.", Block},
		{"Two thirds of the cups came back.", "Two-thirds of cups came back.", ""},
		{"Half of the sites were covered.", "The survey covered only six of the twelve sites.", ""},
		{"Ten of the twelve sites were covered.", "The survey covered only six of the twelve sites.", Block},
		{"Three quarters came back.", "75 % came back.", ""},
		{"2-thirds of the cups came back.", "Two-thirds of cups came back.", ""},
		{"The pipe is 3½ inches wide.", "The pipe is 3.5 inches wide.", ""},
		{"About one third of the patients improved.", "31 of 96 patients improved.", ""},
		{"Nine out of ten patients improved.", "31 of 96 patients improved.", Block},
	})
}

func TestRounding(t *testing.T) {
	testRule(t, ofFigures, []ruleCase{
		{"It delivered about 42 GWh.", "It delivered 41.6 GWh.", ""},
		{"It delivered 42 GWh.", "It delivered 41.6 GWh.", ""},
		{"It delivered about 50 GWh.", "It delivered 41.6 GWh.", Block},
		{"About 150,000 people live there.", "145,170 people live there.", ""},
		{"Exactly 145,180 people live there.", "145,170 people live there.", Block},
		{"The park drew 1.8 million visitors.", "The park drew 1,782,000 visitors.", ""},
		{"The park drew 18 million visitors.", "The park drew 1.8 million visitors.", Block},
		{"It took 31 seconds.", "It took 3.1 seconds.", Block},
		{"There were about 569 wells.", "There were about 589 wells.", Block},
		{"There were about 570 wells.", "There were 569 wells.", ""},
		{"There were about 600 wells.", "There were 589 wells.", ""},
		{"About 45 people came.", "43 people came.", ""},
		{"The town has 1.378 billion people.", "The town has 1.378 million people.", Block},
		{"Die Stadt hat 1378 Millionen Einwohner.", "Die Stadt hat 1.378 Millionen Einwohner.", ""},
	})
}

func TestRanges(t *testing.T) {
	testRule(t, ofFigures, []ruleCase{
		{"It takes seven to nine months.", "It takes between seven and nine months.", ""},
		{"It takes 7-9 months.", "It takes between seven and nine months.", ""},
		{"It takes seven to ten months.", "It takes between seven and nine months.", Block},
		{"It is 1.5 to 2 million years old.", "It is 1.5 – 2 million years old.", ""},
		{"The population is 1.7 to 2.5 billion.", "The population is 1.7 to 2.5 million.", Block},
	})
}

func TestBounds(t *testing.T) {
	testRule(t, append([]Code{BoundFlip}, ofFigures...), []ruleCase{
		{"It delivered more than 41 GWh.", "It delivered 41.6 GWh.", ""},
		{"It delivered more than 45 GWh.", "It delivered 41.6 GWh.", Block},
		{"At least 30 people came.", "At most 30 people came.", Block},
		{"More than 30 people came.", "No more than 30 people came.", Block},
		{"Not more than 30 people came.", "At most 30 people came.", ""},
		{"More than 30,000 copies were sold.", "It sold 38,000 copies.", ""},
		{"More than 30 people came.", "30 people came.", Flag},
		{"It made more than $1 million.", "It made $20.3 million.", Flag},
		{"It has fewer than 1 million users.", "It has 1.3 million users.", Block},
		{"Over 40 ships sank.", "38 ships sank.", Block},
		{"Over 40 ships sank.", "Around 40 ships sank.", ""},
	})
}

func TestLabels(t *testing.T) {
	testRule(t, append([]Code{NameAbsent}, ofFigures...), []ruleCase{
		{"The crack is in pier 3.", "Divers found a crack in pier 3.", ""},
		{"The crack is in pier 4.", "Divers found a crack in pier 3.", Block},
		{"The gene BRCA 1 matters.", "Both BRCA1 and BRCA2 matter.", Flag},
	})
}

func TestDerived(t *testing.T) {
	testRule(t, append([]Code{Derived}, ofFigures...), []ruleCase{
		{"Outages fell by 12.", "Outages fell from 19 to 7.", Flag},
		{"Outages fell by 63 percent.", "Outages fell from 19 to 7.", Flag},
		{"Outages fell by 73 percent.", "Outages fell from 19 to 7.", Block},
		{"It reached 92 percent of the forecast.", "It stayed 8 percent below the forecast.", Flag},
		{"The rate fell by 0.3 points.", "The rate dropped from 5.4 percent to 5.1 percent.", Flag},
		{"It lowered the risk by 20 percent.", "It lowered the risk (hazard ratio 0.80).", Flag},
		{"She was governor for four years.", "She was governor from 1991 to 1995.", Flag},
		{"The film won seven awards.", "The film won four awards in May and three awards in June.", Flag},
		// Out of more than five figures nearly any other can be made.
		{"Outages fell by 26.", "Outages were 19, 7, 33, 41, 55 and 62.", Block},
		{"Sales doubled between 2010 and 2020.", "Sales rose from 50 million in 2010 to 103 million in 2020.", Flag},
		{"Sales tripled between 2010 and 2020.", "Sales rose from 50 million in 2010 to 103 million in 2020.", Block},
		{"98% of participants completed the survey.", "412 of 420 participants completed the survey.", ""},
		{"88% of participants completed the survey.", "412 of 420 participants completed the survey.", Block},
	})
}

func TestOrdinals(t *testing.T) {
	testRule(t, []Code{OrdinalDiffers}, []ruleCase{
		{"It is the second largest island.", "It is the 2nd largest island.", ""},
		{"It is the third largest island.", "It is the second largest island.", Block},
		{"It fell in the third quarter.", "It fell in the first quarter.", Block},
		{"It was his third victory.", "He won again.", Flag},
		{"It opened in the twenty-first season.", "It opened in the 21st season.", ""},
	})
}

func TestOrder(t *testing.T) {
	testRule(t, []Code{NumberRole}, []ruleCase{
		{"Outages fell from 7 to 19.", "Outages fell from 19 in the first quarter to 7 in the second.", Block},
		{"Outages fell from 19 to 7.", "Outages fell from 19 in the first quarter to 7 in the second.", ""},
		{"Type A seals lasted 212 days, against 96 days for type B.", "Type B seals lasted 212 days, against 96 days for type A.", Block},
		{"Type B seals lasted 212 days, against 96 days for type A.", "Type B seals lasted 212 days, against 96 days for type A (n = 24).", ""},
		{"Demand exceeded supply.", "Supply exceeded demand.", Block},
		{"Smith defeated Jones.", "Jones defeated Smith.", Block},
		{"A man bit the dog.", "The dog bit a man.", Block},
		{"The river flows from Bern to Basel.", "The river flows from Basel to Bern.", Block},
		{"The lake lies between Peru and Bolivia.", "The lake lies between Bolivia and Peru.", ""},
		{"The capital of France is Paris.", "Paris is the capital of France.", ""},
		{"After the war he left Ghent for Bruges.", "He left Ghent for Bruges after the war.", ""},
		{"Slowly the ice melted.", "The ice melted slowly.", ""},
	})
}

func TestStatistic(t *testing.T) {
	testRule(t, []Code{Statistic}, []ruleCase{
		{"Seals lasted an average of 212 days.", "Seals lasted a median of 212 days.", Block},
		{"Seals lasted a median of 212 days.", "Seals lasted a median of 212 days at sea.", ""},
		{"The average seal is good.", "Seals lasted a median of 212 days.", ""},
	})
}

func TestCopiedFigures(t *testing.T) {
	testRule(t, append([]Code{DateConflict, OrdinalDiffers}, ofFigures...), []ruleCase{
		{"The film earned $38 million on a $38 million budget.", "The film earned $38 million on a $32 million budget.", Block},
		{"She stood for election in 1994 and 1994 without success.", "She stood for election in 1992 and 1994 without success.", Block},
		{"The club was founded as a member of the league in 1967 in Gary.", "The club was founded in 1967 as a member of the league in Gary.", ""},
	})
}
