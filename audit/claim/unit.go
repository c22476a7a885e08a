package claim

import "strings"

// A unit is what a figure is of. Units of one dimension convert into each other by their factors.
type unit struct {
	dim    string // "" for a bare number
	factor float64
	name   string // as it is compared where the factor says nothing (currencies of one kind)
}

// units by symbol and name, in lower case. A word that is a unit in one sense only where it follows a number: "second".
var units = unitTable(`
length: m 1 metre 1 metres 1 meter 1 meters 1 km 1000 kilometre 1000 kilometres 1000 kilometer 1000 kilometers 1000 cm 0.01 centimetre 0.01
 centimetres 0.01 centimeter 0.01 centimeters 0.01 mm 0.001 millimetre 0.001 millimetres 0.001 millimeter 0.001 millimeters 0.001 mile 1609.344 miles 1609.344 mi 1609.344
 foot 0.3048 feet 0.3048 ft 0.3048 inch 0.0254 inches 0.0254 yard 0.9144 yards 0.9144 micrometre 1e-6 micrometres 1e-6 micron 1e-6 microns 1e-6 nm 1e-9 nanometre 1e-9 nanometres 1e-9 nanometers 1e-9
mass: kg 1 kilogram 1 kilograms 1 kilogramme 1 g 0.001 gram 0.001 grams 0.001 mg 1e-6 milligram 1e-6 milligrams 1e-6 tonne 1000 tonnes 1000 ton 1000 tons 1000 kt 1e6 kilotonne 1e6 kilotonnes 1e6 kiloton 1e6 kilotons 1e6 megatonne 1e9 megatonnes 1e9 megaton 1e9 megatons 1e9 gigatonne 1e12 gigatonnes 1e12 gigaton 1e12 gigatons 1e12
 lb 0.4536 lbs 0.4536 ounce 0.02835 ounces 0.02835 oz 0.02835 μg 1e-9 microgram 1e-9 micrograms 1e-9
time: second 1 seconds 1 sec 1 secs 1 minute 60 minutes 60 min 60 mins 60 hour 3600 hours 3600 hr 3600 hrs 3600 h 3600 day 86400 days 86400 week 604800 weeks 604800
 month 2629746 months 2629746 year 31556952 years 31556952 yr 31556952 yrs 31556952 decade 315569520 decades 315569520 century 3155695200 centuries 3155695200 ms 0.001 millisecond 0.001 milliseconds 0.001
energy: wh 1 kilojoule 0.277778 kilojoules 0.277778 megajoule 277.778 megajoules 277.778 gigajoule 277778 gigajoules 277778 calories 0.001163 kilocalories 1.163 kwh 1e3 mwh 1e6 gwh 1e9 twh 1e12 joule 0.000277778 joules 0.000277778 kj 0.277778 mj 277.778 gj 277778 kcal 1.163 calorie 0.001163 btu 0.293071
power: w 1 watt 1 watts 1 kw 1e3 kilowatt 1e3 kilowatts 1e3 mw 1e6 megawatt 1e6 megawatts 1e6 gw 1e9 gigawatt 1e9 gigawatts 1e9 tw 1e12 terawatt 1e12 terawatts 1e12 hp 745.7 horsepower 745.7
data: byte 1 bytes 1 kb 1e3 kilobyte 1e3 kilobytes 1e3 mb 1e6 megabyte 1e6 megabytes 1e6 gb 1e9 gigabyte 1e9 gigabytes 1e9 tb 1e12 terabyte 1e12 terabytes 1e12
volume: litre 1 litres 1 liter 1 liters 1 ml 0.001 millilitre 0.001 millilitres 0.001 milliliters 0.001 gallon 3.785 gallons 3.785 barrel 158.987 barrels 158.987
area: ha 1e4 hectare 1e4 hectares 1e4 acre 4046.86 acres 4046.86 km2 1e6 m2 1 sqm 1 sqkm 1e6
speed: mph 0.44704 kph 0.277778 kmh 0.277778 knots 0.514444
frequency: hz 1 khz 1e3 mhz 1e6 ghz 1e9 hertz 1 rpm 0.0166667
voltage: v 1 volt 1 volts 1 kv 1e3 mv 0.001
pressure: pa 1 kpa 1e3 hpa 100 mpa 1e6 bar 1e5 psi 6894.76
angle: degree 1 degrees 1 ° 1
celsius: c 1 celsius 1 °c 1
fahrenheit: f 1 fahrenheit 1 °f 1
kelvin: k 1 kelvin 1
ratio: % 0.01 percent 0.01 pct 0.01 prozent 0.01 ‰ 0.001
points: pp 0.01 pps 0.01 bp 0.0001 bps 0.0001
times: times 1 fold 1 x 1
pound: pound 1 pounds 1
usd: $ 1 dollar 1 dollars 1 usd 1 bucks 1
cent: cent 0.01 cents 0.01 ¢ 0.01
eur: € 1 euro 1 euros 1 eur 1
gbp: £ 1 gbp 1 sterling 1
penny: pence 0.01 penny 0.01
jpy: ¥ 1 yen 1 jpy 1
inr: ₹ 1 rupee 1 rupees 1 inr 1
cny: yuan 1 renminbi 1 rmb 1 cny 1
chf: franc 1 francs 1 chf 1
rub: rouble 1 roubles 1 ruble 1 rubles 1 rub 1
sek: krona 1 kronor 1 krone 1 kroner 1 nok 1 dkk 1 sek 1
`)

// unitTable reads lines of a dimension and its units with their factors.
func unitTable(lines string) map[string]unit {
	m := make(map[string]unit)
	dim, name := "", ""
	for _, f := range strings.Fields(lines) {
		switch d, isDim := strings.CutSuffix(f, ":"); {
		case isDim:
			dim = d
		case name == "":
			name = f
		default:
			m[name] = unit{dim, parseFactor(f), name}
			name = ""
		}
	}
	return m
}

// compound units are several words: "gigawatt hours", "square miles", "percentage points".
var compounds = map[string]unit{
	"percentage point": {"points", 0.01, "percentage points"}, "percentage points": {"points", 0.01, "percentage points"},
	"per cent": {"ratio", 0.01, "percent"}, "pour cent": {"ratio", 0.01, "percent"}, "por ciento": {"ratio", 0.01, "percent"}, "per cento": {"ratio", 0.01, "percent"}, "basis point": {"points", 0.0001, "basis points"}, "basis points": {"points", 0.0001, "basis points"},
	"square kilometres": {"area", 1e6, "km2"}, "square kilometers": {"area", 1e6, "km2"}, "square kilometre": {"area", 1e6, "km2"}, "sq km": {"area", 1e6, "km2"},
	"square miles": {"area", 2589988, "square miles"}, "square mile": {"area", 2589988, "square miles"}, "sq mi": {"area", 2589988, "square miles"},
	"square metres": {"area", 1, "m2"}, "square meters": {"area", 1, "m2"}, "square feet": {"area", 0.092903, "square feet"}, "sq ft": {"area", 0.092903, "square feet"},
	"watt hour": {"energy", 1, "Wh"}, "watt hours": {"energy", 1, "Wh"}, "kilowatt hour": {"energy", 1e3, "kWh"}, "kilowatt hours": {"energy", 1e3, "kWh"},
	"megawatt hour": {"energy", 1e6, "MWh"}, "megawatt hours": {"energy", 1e6, "MWh"}, "gigawatt hour": {"energy", 1e9, "GWh"}, "gigawatt hours": {"energy", 1e9, "GWh"},
	"terawatt hour": {"energy", 1e12, "TWh"}, "terawatt hours": {"energy", 1e12, "TWh"}, "degrees celsius": {"celsius", 1, "°C"}, "degrees fahrenheit": {"fahrenheit", 1, "°F"},
	"degrees c": {"celsius", 1, "°C"}, "degrees f": {"fahrenheit", 1, "°F"}, "° c": {"celsius", 1, "°C"}, "° f": {"fahrenheit", 1, "°F"},
	"nautical miles": {"length", 1852, "nautical miles"}, "light years": {"length", 9.4607e15, "light years"}, "light year": {"length", 9.4607e15, "light years"},
	"us dollars": {"usd", 1, "$"}, "usa dollars": {"usd", 1, "$"}, "pounds sterling": {"gbp", 1, "£"}, "m / s": {"speed", 1, "m/s"}, "km / h": {"speed", 0.277778, "km/h"},
}

// scales multiply the number before them.
var scales = map[string]float64{"hundred": 100, "thousand": 1e3, "thousands": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "mio": 1e6, "billion": 1e9,
	"billions": 1e9, "bn": 1e9, "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "dozen": 12, "crore": 1e7, "lakh": 1e5, "millionen": 1e6, "milliarden": 1e9,
	"mrd": 1e9, "millones": 1e6, "milliards": 1e9, "milioni": 1e6, "miliardi": 1e9}

// groupedScales are of languages whose point parts groups of three.
var groupedScales = set("millionen milliarden mio mrd millones milioni miliardi")

// money are the dimensions that a currency has.
var money = set("usd eur gbp jpy inr cny chf rub sek")

// same reports whether two figures of these units can be compared by value, and by which factors. What has no unit is
// compared as it stands.
func (u unit) same(v unit) bool {
	if u.dim == v.dim {
		return true
	}
	return u.like(v) || v.like(u)
}

// like says which names of units may mean another: a pound is money or weighs, a cent is of any currency that has cents.
func (u unit) like(v unit) bool {
	switch u.dim {
	case "pound":
		return v.dim == "gbp" || v.dim == "mass"
	case "cent":
		return v.dim == "usd" || v.dim == "eur"
	case "penny":
		return v.dim == "gbp" || v.dim == "pound"
	case "angle":
		return v.dim == "celsius" || v.dim == "fahrenheit"
	}
	return false
}
