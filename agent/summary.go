package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A summary is what a model makes of the turns that a compaction takes out. Findings are no part of it: they live outside
// of the conversation.
type summary struct {
	Facts       []fact    `json:"established_facts"`
	Identifiers []string  `json:"exact_identifiers"`
	DeadEnds    []deadEnd `json:"dead_ends"`
	Open        []string  `json:"open_questions"`
	State       string    `json:"current_state"`
	Next        string    `json:"next_action"`
}

type fact struct {
	Claim  string `json:"claim"`
	Handle string `json:"handle"` // of the result that shows it
}

type deadEnd struct {
	Approach string `json:"approach"`
	Why      string `json:"why_failed"`
}

// Limits of a summary.
const (
	maxSummary      = 64 << 10 // bytes of the answer
	summaryTokens   = 4096     // that the answer may have
	maxSummaryParts = 400      // entries of all lists
)

// parseSummary reads a model's answer: one JSON object, with whatever stands around it.
func parseSummary(answer string) (summary, error) {
	var s summary
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	switch {
	case len(answer) > maxSummary:
		return s, fmt.Errorf("it has %d bytes", len(answer))
	case from < 0 || to < from:
		return s, fmt.Errorf("it holds no JSON object")
	}
	if err := json.Unmarshal([]byte(answer[from:to+1]), &s); err != nil {
		return s, fmt.Errorf("it is not what was asked for: %w", err)
	}
	if len(s.Facts)+len(s.Identifiers)+len(s.DeadEnds)+len(s.Open) > maxSummaryParts {
		return s, fmt.Errorf("it has more than %d entries", maxSummaryParts)
	}
	return s, nil
}

// check leaves in a summary only what the record bears out: a fact whose handle exists, and whose identifiers, like those
// of every other entry, stand somewhere in the conversation. It returns how many entries were taken out. said is the
// conversation as folded gives it.
func (s *summary) check(said string, exists func(handle string) bool) (kept, dropped int) {
	known := func(texts ...string) bool {
		for _, text := range texts {
			for _, id := range Identifiers(text) {
				for _, part := range named(id) {
					if !occurs(said, fold(part)) {
						return false
					}
				}
			}
		}
		return true
	}
	before := len(s.Facts) + len(s.Identifiers) + len(s.DeadEnds) + len(s.Open)
	s.Facts = slices.DeleteFunc(s.Facts, func(f fact) bool {
		return strings.TrimSpace(f.Claim) == "" || !exists(f.Handle) || !known(f.Claim)
	})
	s.Identifiers = slices.DeleteFunc(s.Identifiers, func(id string) bool { return strings.TrimSpace(id) == "" || !occurs(said, fold(id)) })
	s.DeadEnds = slices.DeleteFunc(s.DeadEnds, func(d deadEnd) bool {
		return strings.TrimSpace(d.Approach) == "" || !known(d.Approach, d.Why)
	})
	s.Open = slices.DeleteFunc(s.Open, func(q string) bool { return strings.TrimSpace(q) == "" || !known(q) })
	kept = len(s.Facts) + len(s.Identifiers) + len(s.DeadEnds) + len(s.Open)
	dropped = before - kept
	for _, text := range []*string{&s.State, &s.Next} {
		switch {
		case strings.TrimSpace(*text) == "":
			*text = ""
		case known(*text):
			kept++
		default:
			*text = ""
			dropped++
		}
	}
	return kept, dropped
}

// named is what of an identifier has to stand somewhere: all of it where there is a figure in it, and of words alone those
// that stand side by side with capitals. In some languages every noun has one: "Kosten des Netzes" is no name.
func named(id string) (parts []string) {
	if strings.ContainsFunc(id, unicode.IsDigit) || strings.Contains(id, "://") {
		return []string{id}
	}
	var run []string
	for _, word := range append(strings.Fields(id), "") {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsUpper(first) {
			run = append(run, word)
			continue
		}
		if len(run) > 1 {
			parts = append(parts, strings.Join(run, " "))
		}
		run = nil
	}
	return parts
}

// fold is a text in which identifiers are looked for: in lower case, with single spaces, and with the escapes for space
// and quotes of JSON undone.
func fold(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(unescape.Replace(text)), " "))
}

var unescape = strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ", `\"`, `"`, `\/`, `/`)
