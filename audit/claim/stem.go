package claim

import "strings"

// stem cuts the endings of an English word, as far as comparing two texts about one thing needs, and undoes the irregular
// forms: "rose" and "rises" are "rise".
func stem(w string) string {
	if b := irregular[w]; b != "" {
		return cutEnding(b)
	}
	return cutEnding(w)
}

func cutEnding(w string) string {
	n := len(w)
	if n <= 3 {
		return w
	}
	if w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i' {
		switch {
		case n > 4 && strings.HasSuffix(w, "ies"):
			return w[:n-3] + "y"
		case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "oes")):
			w = w[:n-2]
		default:
			w = w[:n-1]
		}
		n = len(w)
	}
	if n > 4 {
		switch {
		case strings.HasSuffix(w, "ied"):
			return w[:n-3] + "y"
		case n > 5 && strings.HasSuffix(w, "ing") && vowel(w[:n-3]):
			w = undouble(w[:n-3])
		case strings.HasSuffix(w, "eed"):
			return w
		case strings.HasSuffix(w, "ed") && vowel(w[:n-2]):
			w = undouble(w[:n-2])
		case n > 5 && strings.HasSuffix(w, "ily"):
			return w[:n-3] + "y"
		case n > 5 && strings.HasSuffix(w, "ly"):
			w = w[:n-2]
		}
	}
	if n = len(w); n > 3 && w[n-1] == 'e' {
		return w[:n-1]
	}
	return w
}

// vowel reports whether a word has one: what stands before -ed and -ing of a verb has.
func vowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// undouble makes "plann" and "plan" one stem.
func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return w
}

var irregular = pairsOf(`rose rise risen rise fell fall fallen fall grew grow grown grow shrank shrink shrunk shrink sank sink sunk sink
	won win lost lose began begin begun begin became become came come went go gone go made make took take taken take gave give given give
	got get gotten get had have has have was be were be is be are be been be am be being be did do does do done do said say found find
	thought think knew know known know saw see seen see left leave kept keep held hold brought bring bought buy built build sent send
	spent spend told tell met meet paid pay sold sell led lead ran run wrote write written write spoke speak spoken speak broke break
	broken break chose choose chosen choose drove drive driven drive ate eat eaten eat flew fly flown fly forgot forget forgotten forget
	froze freeze frozen freeze hid hide hidden hide stood stand understood understand taught teach caught catch fought fight felt feel
	meant mean dealt deal slept sleep swept sweep lent lend shot shoot sang sing sung sing drank drink drunk drink swam swim rang ring
	sat sit struck strike stuck stick threw throw thrown throw tore tear torn tear wore wear worn wear woke wake drew draw drawn draw
	bore bear borne bear born born beat beat beaten beat laid lay lay lie sought seek overcame overcome withdrew withdraw
	withdrawn withdraw arose arise arisen arise shown show proven prove mistaken mistake wound wind
	men man women woman children child people person mice mouse feet foot teeth tooth geese goose lives life wives wife leaves leaf
	halves half selves self knives knife indices index criteria criterion phenomena phenomenon bacteria bacterium data datum
	better good best good worse bad worst bad further far furthest far dying die died die lying lie`)

// pairsOf makes a map of a list of words, each followed by what it stands for.
func pairsOf(list string) map[string]string {
	ws := strings.Fields(list)
	m := make(map[string]string, len(ws)/2)
	for i := 0; i+1 < len(ws); i += 2 {
		m[ws[i]] = ws[i+1]
	}
	return m
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
