package claim

import "slices"

// negators deny what follows them in their clause.
var negators = set(`not no never without none neither nor nobody nothing nowhere hardly barely scarcely rarely seldom cannot
	lack lacks lacked lacking fail fails failed failing refuse refuses refused refusing unable incapable avoid avoids avoided avoiding
	deny denies denied denying absent absence devoid nil non unlikely prevented prevent prevents preventing prohibits prohibited prohibit forbids forbidden
	stopped ceased ceases rejected rejects reject withheld declined yet
	` + foreignNegators)

// strictNegators are those that nothing but a denial is said with.
var strictNegators = set("not no never without none neither nor nobody nothing nowhere cannot non " + foreignNegators)

// foreignNegators are those of German, French, Spanish, Italian, Portuguese and Dutch that mean nothing else in English.
const foreignNegators = `nicht kein keine keinen keinem keiner keines nie niemals niemand niemanden ohne pas jamais aucun aucune nunca jamás ningún ninguno ninguna
	nessun nessuno nessuna não niet geen nooit`

// plainNegators are words of another meaning with which a quote denies as plainly: "failed to improve" is no improvement.
var plainNegators = set("hardly barely scarcely rarely seldom lack lacks lacked lacking fail fails failed failing unable incapable")

// negator reports whether word i denies something: "not only", "no more than", "No. 5" and "yet" by itself do not.
func (t *text) negator(i int) bool {
	w := &t.words[i]
	if w.kind != letters || w.is&negating == 0 {
		return false
	}
	next, before := t.at(i+1).s, t.at(i-1).s
	switch w.s {
	case "yet":
		return next == "to"
	case "not":
		return next != "only" && next != "just" && next != "merely" && next != "until" && before != "or" && before != "why" && !(next == "to" && t.at(i+2).s == "mention") &&
			!boundedNo(next, t.at(i+2).s)
	case "no":
		if t.at(i+1).kind == digits || next == "." && t.at(i+2).kind == digits || next == "doubt" || next == "matter" || before == "=" {
			return false
		}
		return !boundedNo(next, t.at(i+2).s)
	case "nothing":
		return next != "but" && next != "less"
	case "nicht", "pas", "não", "niet":
		return !foreignOnly[next]
	case "non":
		return t.at(i + 1).hyphen
	case "declined", "fail", "fails", "failed", "failing":
		return next == "to"
	case "stopped", "ceased", "ceases":
		return true
	case "absent", "absence", "denied", "rejected", "prevented":
		return true
	case "unlikely":
		return before != "not"
	}
	return true
}

// foreignOnly follow a negator that denies nothing: not only.
var foreignOnly = set("nur allein seulement uniquement só somente apenas alleen mehr")

// boundedNo reports whether "no" or "not" belongs to a bound: no more than, not less than.
func boundedNo(next, then string) bool {
	return then == "than" && (next == "more" || next == "less" || next == "fewer" || next == "later" || next == "earlier" || next == "longer" || next == "other")
}

// negate marks the words that stand behind a negator of their clause; a second one takes the first back.
func (t *text) negate() {
	denied, clause := false, -1
	for i := range t.words {
		w := &t.words[i]
		if w.clause != clause {
			denied, clause = false, w.clause
		}
		if t.negator(i) {
			if w.s == "nor" || t.at(i-1).s == "no" && w.s == "longer" {
				denied = true
			} else {
				denied = !denied
			}
			if w.s == "non" && i+1 < len(t.words) {
				denied = false // of one word only
				t.words[i+1].negated = true
			}
			continue
		}
		w.negated = w.negated || denied
	}
}

// denies reports whether a range of words has a negator.
func (t *text) denies(from, to int) bool {
	for i := max(0, from); i < min(to, len(t.words)); i++ {
		if t.negator(i) || denialWords[t.words[i].s] {
			return true
		}
	}
	return false
}

// deniesBesides reports whether a range of words has a negator other than the words that another text denies itself at j:
// who does not stop denies that he stops.
func (t *text) deniesBesides(from, to int, other *text, j int) bool {
	for i := max(0, from); i < min(to, len(t.words)); i++ {
		if !t.negator(i) && !denialWords[t.words[i].s] {
			continue
		}
		if strictNegators[t.words[i].s] || !slices.ContainsFunc(other.places(t.words[i].stem), func(k int) bool { return k > j && other.words[k].clause == other.words[j].clause }) {
			return true
		}
	}
	return false
}

// denialWords say without a negator that something is not, or no longer, so.
var denialWords = set(`false untrue incorrect myth former formerly ended end ends instead unlike except excluding despite against rather little few opposed opposition contrary ban banned
	dropped cancelled canceled abandoned disbanded dissolved only unknown until missing lost exclude excludes excluded stop stops free impossible reject denying contradict contradicts refute refutes refuted
	unchanged unaffected unable impossible less least last fewer zero single unmarried removed withdrew withdrawn retired closed disproved never without)`)

// scope lists the content words that a negator at i denies, at most eight: those behind it in its clause, or where there
// are none those before it.
func (t *text) scope(i int) []int {
	var out []int
	for k := i + 1; k < len(t.words) && t.words[k].clause == t.words[i].clause && len(out) < 8; k++ {
		if t.words[k].content {
			out = append(out, k)
		}
	}
	if len(out) > 0 {
		return out
	}
	for k := i - 1; k >= 0 && t.words[k].clause == t.words[i].clause && len(out) < 4; k-- {
		if t.words[k].content {
			out = append(out, k)
		}
	}
	return out
}
