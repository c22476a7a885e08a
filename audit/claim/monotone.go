package claim

// downward reports whether word i stands where a narrower word says less than a wider one: behind a denial or "without" in its
// clause, in a condition, right behind "every" or "few", or in what is at most so many. "No serious harm" is less than "no harm", where
// "serious harm" is more than "harm".
func (t *text) downward(i int) bool {
	w := &t.words[i]
	down := w.negated
	from := i
	for from > 0 && t.words[from-1].clause == w.clause {
		from--
	}
	if s := t.words[from].s; s == "if" || s == "unless" || s == "whenever" || s == "whether" {
		down = !down
	}
	if relative[t.words[from].s] {
		for k := from - 1; k >= 0 && from-k <= 4 && t.words[k].sent == w.sent; k-- {
			if s := t.words[k].s; s == "every" || s == "each" || s == "all" || s == "any" || s == "no" {
				down = !down // of each of those who
				break
			}
		}
	}
	for k := i - 1; k >= from && i-k <= 3; k-- {
		switch s := t.words[k].s; s {
		case "every", "each", "all", "any", "everyone", "everybody":
			if i-k <= 2 && !w.negated {
				return !down
			}
		case "few":
			if b := t.at(k - 1).s; b != "a" && b != "as" {
				return !down
			}
		case "most", "than":
			if t.words[k+1].figure && (s == "than" && (t.at(k-1).s == "less" || t.at(k-1).s == "fewer") || t.at(k-1).s == "at") {
				return !down
			}
		}
	}
	return down
}

var relative = set("who whom whose which that")

// determiner is the place of the article or the like of the words around i, -1 if there is none.
func (t *text) determiner(i int) int {
	for k := i - 1; k >= 0 && t.words[k].clause == t.words[i].clause; k-- {
		if w := &t.words[k]; !w.content || t.negator(k) {
			if definites[w.s] {
				return k
			}
			return -1
		}
	}
	return -1
}

// definites name a thing that is known: what is said of it besides is news, also where something is denied of it.
var definites = set("the this that these those his her its their my our your whose")
