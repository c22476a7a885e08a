package claim

// A bound says how exact a figure is meant.
type bound byte

const (
	exact   bound = iota
	about         // roughly, nearly, some
	atLeast       // more than, at least, over
	atMost        // less than, at most, up to
)

var (
	aboutWords = set(`about around roughly approximately approx circa ca c nearly almost some close estimated estimate ~ ≈ ± rund etwa knapp environ approaching
		virtually practically just only near nearing`)
	overWords  = set(`over above exceeding exceeds exceeded exceed surpassing surpassed topping beyond upwards > ≥ minimum`)
	underWords = set(`under below < ≤ within maximum beneath`)
	boundWords = union(aboutWords, overWords, underWords, set("more less fewer least most than up to at no not in on by from since of between and or until"))
)

// boundAt reads the words before and after a figure that say how exact it is.
func (t *text) boundAt(f *figure) bound {
	i := f.from - 1
	article := false
	if s := t.at(i).s; s == "a" || s == "an" || s == "the" {
		i--
		article = true // "over the two years" sets no bound
	}
	w, before, first := t.at(i).s, t.at(i-1).s, t.at(i-2).s
	deny := first == "no" || first == "not" || first == "never"
	switch {
	case w == "than" && (before == "more" || before == "greater" || before == "higher" || before == "larger" || before == "longer" || before == "better"):
		if deny {
			return atMost
		}
		return atLeast
	case w == "than" && (before == "less" || before == "fewer" || before == "lower" || before == "smaller" || before == "shorter"):
		if deny {
			return atLeast
		}
		return atMost
	case w == "least" && before == "at", w == "of" && before == "minimum":
		return atLeast
	case w == "most" && before == "at", w == "to" && before == "up", (w == "as") && (before == "many" || before == "much" || before == "high" || before == "long"):
		return atMost
	case w == "under" && before == "just", w == "over" && before == "just", w == "below" && before == "just", w == "above" && before == "just":
		return about
	case article && (overWords[w] || underWords[w]):
		return exact
	case overWords[w]:
		return atLeast
	case underWords[w]:
		return atMost
	case aboutWords[w], w == "to" && before == "close":
		return about
	}
	switch a, b := t.at(f.to).s, t.at(f.to+1).s; {
	case a == "or" && (b == "more" || b == "over" || b == "above" || b == "higher"), a == "+", a == "plus" && t.at(f.to).start == t.words[f.to-1].end:
		return atLeast
	case a == "or" && (b == "less" || b == "fewer" || b == "under" || b == "below" || b == "lower"):
		return atMost
	case a == "or" && b == "so":
		return about
	}
	return exact
}

func union(sets ...map[string]bool) map[string]bool {
	m := make(map[string]bool)
	for _, s := range sets {
		for w := range s {
			m[w] = true
		}
	}
	return m
}
