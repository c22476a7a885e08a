package search

import (
	"context"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Wary returns a provider that doubts empty lists. Some services throttle by answering with nothing, and an absence that
// is not known to be one must not be read as one (law 7). An empty list is Suspicious if the provider found something within
// the last hour and the query is everyday: ordinary words only, at most three of them; or at most eight, if the search
// before came back empty too. A query with a digit, a quotation mark, an operator, an
// abbreviation or a word that nobody could say may well find nothing, and is believed. Results and failures pass through,
// and so does what an empty search cost. Now is nil for time.Now.
func Wary(p Provider, now func() time.Time) Provider {
	if now == nil {
		now = time.Now
	}
	return &wary{Provider: p, now: now}
}

const (
	trust        = time.Hour // how long a success counts
	everydayOnce = 3         // words of a query that finds something anywhere
	everydayMore = 8         // the same, when the query before found nothing either
)

type wary struct {
	Provider
	now func() time.Time

	mu    sync.Mutex
	found time.Time // the last success
	empty int       // empty lists since
}

func (w *wary) Search(ctx context.Context, query string, n int) (Answer, error) {
	answer, err := w.Provider.Search(ctx, query, n)
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(answer.Results) > 0 {
		w.found, w.empty = w.now(), 0
		return answer, err
	}
	if err != nil || w.found.IsZero() || w.now().Sub(w.found) > trust {
		return answer, err
	}
	limit := everydayOnce
	if w.empty > 0 {
		limit = everydayMore
	}
	w.empty++
	if !everyday(query, limit) {
		return answer, nil
	}
	return Answer{Tokens: answer.Tokens, MicroUSD: answer.MicroUSD}, &Error{
		Provider: w.Name(), Outcome: Suspicious,
		Reason: "an empty list for an everyday query, right after searches that found something: the provider may be holding results back",
		Hint:   "Searching is impaired for now; try other words, wait, or use another search provider.",
	}
}

// everyday reports whether a query consists of at most limit ordinary words.
func everyday(query string, limit int) bool {
	words := strings.Fields(query)
	if len(words) == 0 || len(words) > limit {
		return false
	}
	for _, w := range words {
		if !ordinary(strings.TrimRight(w, ",.;?!")) {
			return false
		}
	}
	return true
}

// ordinary reports whether a word could stand in a dictionary of its script: letters, here and there a hyphen or an
// apostrophe between them. In Latin script it has a vowel in reach of every consonant (five in a row are the most, as in
// "lengths"), no letter three times in a row, and is no abbreviation in capitals.
func ordinary(word string) bool {
	letters, capitals, consonants, vowels, repeated := 0, 0, 0, 0, 0
	latin, last := false, rune(0)
	for _, r := range word {
		switch {
		case unicode.IsMark(r):
			continue
		case r == '-' || r == '\'' || r == '’':
			if letters == 0 || last == '-' {
				return false // an operator, or a quotation mark
			}
			consonants, last = 0, '-'
			continue
		case !unicode.IsLetter(r):
			return false
		}
		letters++
		if unicode.IsUpper(r) {
			capitals++
		}
		r = unicode.ToLower(r)
		repeated++
		if r != last {
			repeated = 1
		}
		last = r
		if !unicode.Is(unicode.Latin, r) {
			continue
		}
		latin = true
		if r < 'a' || r > 'z' || strings.ContainsRune("aeiouy", r) { // accented letters are vowels for the most part
			vowels, consonants = vowels+1, 0
		} else {
			consonants++
		}
		if consonants > 5 || repeated > 2 {
			return false
		}
	}
	if last == '-' || letters == 0 || letters > 24 {
		return false
	}
	return !latin || vowels > 0 && (capitals < 2 || letters == 1)
}
