package claim

import "testing"

func TestDates(t *testing.T) {
	testRule(t, []Code{DateRole, DateConflict, DateAbsent}, []ruleCase{
		{"It opened on March 14, 2024.", "It opened on 14 March 2024.", ""},
		{"It opened on 2024-03-14.", "It opened on 14 March 2024.", ""},
		{"It opened on the 14th of March 2024.", "It opened on 14 Mar. 2024.", ""},
		{"It opened in March 2024.", "It opened on 14 March 2024.", ""},
		{"It opened in 2024.", "It opened on 14 March 2024.", ""},
		{"It opened on 14 May 2024.", "It opened on 14 March 2024.", Block},
		{"It opened in 2023.", "It opened on 14 March 2024.", Block},
		{"It opened on 14 March 2024.", "It opened in 2024.", Flag},
		{"It opened in 2024.", "It opened in spring.", Flag},
		{"In 2023 sales were up 12 percent from 2022.", "Sales rose 12 percent in 2023.", Flag},
		{"In 2023 sales were up 12 percent from 2021.", "Sales rose 12 percent in 2023.", Block},
		{"It may open in spring.", "It opens in spring.", ""},
		{"Theresa May won.", "She won in July 2016.", ""},
		{"The ended on August 22, 1777.", "It began on August 2, 1777, and ended August 22.", ""},
		{"It ran in the 2017-18 season.", "It ran in the 2017–18 season.", ""},
		{"It was written in 343 BC.", "It was written in 343 BCE.", ""},
		{"The port handled 412,000 containers in 2023.", "The port handled 412,000 containers in 2024, 8 percent more than in 2023.", Block},
		{"The port handled 412,000 containers in 2024.", "The port handled 412,000 containers in 2024, 8 percent more than in 2023.", ""},
		{"The port handled 8 percent more containers in 2024 than in 2023.", "The port handled 412,000 containers in 2024, 8 percent more than in 2023.", ""},
	})
}

func TestPeriods(t *testing.T) {
	testRule(t, []Code{DateConflict, DateAbsent}, []ruleCase{
		{"It was built in the 1980s.", "It was built in 1985.", ""},
		{"It was built in the eighties.", "It was built in the 1980s.", ""},
		{"It was built in 1985.", "It was built in the 1980s.", Flag},
		{"It was built in the 1970s.", "It was built in the 1980s.", Block},
		{"It was built in the nineteenth century.", "It was built in the 19th century.", ""},
		{"It was built in the 18th century.", "It was built in the 19th century.", Block},
		{"It was running in 1985.", "It ran from 1981 to 1989.", Flag},
		{"It was running in 1995.", "It ran from 1981 to 1989.", Block},
		{"It was built before 1990.", "It was built in 1985.", ""},
		{"It was built after 1990.", "It was built in 1985.", Block},
		{"It was built around 1987.", "It was built in 1985.", ""},
		{"It ran until 8 August 2015.", "It ran from 3 May 2001 until 6 August 2015.", Block},
		{"It ran until 1999.", "It ran from 1984 to 1989.", Block},
		{"It ran until August 2015.", "It ran from 3 May 2001 until 6 August 2015.", ""},
	})
}

func TestLife(t *testing.T) {
	testRule(t, []Code{DateRole}, []ruleCase{
		{"Ada Lorn was born in 1976.", "Ada Lorn (born 1976) is a painter.", ""},
		{"Ada Lorn died on 12 August 1976.", "Ada Lorn (born 12 August 1976) is a painter.", Block},
		{"Ada Lorn was born in 2005.", "Ada Lorn (29 May 1953 – 13 December 2005) was a painter.", Block},
		{"Ada Lorn died in 2005.", "Ada Lorn (29 May 1953 – 13 December 2005) was a painter.", ""},
		{"Ada Lorn finished college on 12 August 1976.", "Ada Lorn (born 12 August 1976) is a painter.", Block},
		{"Ada Lorn (1953-05-29 – 13 December 2005) was a painter.", "Ada Lorn (29 May 1953 – 13 December 2005) was a painter.", ""},
	})
}
