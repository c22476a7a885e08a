package agent

import (
	"cmp"
	"fmt"
	"strings"

	"ibid/budget"
)

// ContextTexts are what the loop says of a conversation that it shortens. Each is a prompt; empty fields take the
// defaults. {name} stands for a value.
type ContextTexts struct {
	Stub      string // in a result's place: {handle}, {tool}, {arguments}, {tokens}, {about}
	Compact   string // asks for a summary: {results}
	Compacted string // in the place of what was summarised: {pinned}, {results}
	Unknown   string // error: no result has this {handle}
	Shown     string // error: the result {handle} of {tool} is shown in full
	TooLong   string // error: {handle} has {tokens} tokens, and {max} is the most
}

const (
	stubText      = "[{handle}: this result of {tool} {arguments} had about {tokens} tokens and was elided. To have it back, call fetch_result with the handle {handle}.]\n{about}"
	compactText   = `The conversation is too long. Answer with one JSON object {"established_facts":[{"claim","handle"}],"exact_identifiers":[],"dead_ends":[{"approach","why_failed"}],"open_questions":[],"current_state":"","next_action":""} that stands for it, and call no tool. Results by handle: {results}`
	compactedText = "The conversation up to here was summarised. {pinned}\nResults that are no longer shown; fetch_result brings them back by their handle: {results}"
	unknownText   = "There is no result {handle}. Handles stand in what was elided."
	shownText     = "The result {handle} of {tool} stands above in full."
	tooLongText   = "The result {handle} has {tokens} tokens; {max} is the most that is brought back at once. Search in it instead."
)

// fill replaces {name} in a text, or in its default, by the value that follows the name in pairs.
func (ContextTexts) fill(text, standard string, pairs ...any) string {
	if text == "" {
		text = standard
	}
	oldnew := make([]string, len(pairs))
	for i := 0; i+1 < len(pairs); i += 2 {
		oldnew[i], oldnew[i+1] = fmt.Sprintf("{%v}", pairs[i]), fmt.Sprint(pairs[i+1])
	}
	return strings.TrimSpace(strings.NewReplacer(oldnew...).Replace(text))
}

// Texts are what the loop says to the model. Each is a prompt, reviewed as one; empty fields take the defaults.
type Texts struct {
	Closing string // asks for the answer; %s is why
	Stalled string // says that nothing new came; {steps} in a row
}

const closingText = `No more tool calls are possible: %s. Answer now from what you have. Say plainly what you could not establish, and do not guess.`

const stalledText = `The last {steps} steps brought no new source, no new finding and no change of the plan. Take a different angle, or answer from what you have.`

func (t Texts) stalled(steps int) string {
	return strings.ReplaceAll(cmp.Or(t.Stalled, stalledText), "{steps}", fmt.Sprint(steps))
}

func (t Texts) closing(stop Stop) string {
	text := t.Closing
	if text == "" {
		text = closingText
	}
	why := "the work is over"
	switch currency, over := strings.CutPrefix(string(stop), "budget:"); {
	case over:
		why = "the run's budget of " + currency + " is spent"
	case stop == StopAsked:
		why = "the user wants the answer now"
	case stop == StopStalled:
		why = "the last steps brought nothing new"
	}
	return fmt.Sprintf(text, why)
}

// budgetLine tells what is left of the soft currencies that a call used, where the next decision is made (BUDGET-4),
// with a nudge when it runs out. The last steps are told as well.
func budgetLine(cost, left budget.Amount) string {
	var parts []string
	low := false
	for _, c := range []budget.Currency{budget.Searches, budget.Reads} {
		if n := c.In(left); c.In(cost) > 0 && n < budget.Unlimited {
			parts = append(parts, c.Count(n))
			low = low || n <= 2
		}
	}
	if left.Steps <= 2 {
		parts = append(parts, budget.Steps.Count(left.Steps))
		low = true
	}
	if len(parts) == 0 {
		return ""
	}
	line := "\n[" + strings.Join(parts, "; ") + " left]"
	if low {
		line += " Consolidate: record what you have, and choose what is still missing most."
	}
	return line
}

// count writes "1 result" and "3 results".
func count(n int64, plural string) string {
	if n == 1 {
		plural = strings.TrimSuffix(plural, "s")
	}
	return fmt.Sprintf("%d %s", n, plural)
}
