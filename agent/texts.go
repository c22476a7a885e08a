package agent

import (
	"cmp"
	"fmt"
	"strings"

	"ibid/budget"
)

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
			parts = append(parts, count(n, string(c)))
			low = low || n <= 2
		}
	}
	if left.Steps <= 2 {
		parts = append(parts, count(left.Steps, "steps"))
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

// count writes "1 search" and "3 searches".
func count(n int64, plural string) string {
	if n == 1 {
		singular := strings.TrimSuffix(plural, "s")
		if strings.HasSuffix(plural, "ches") {
			singular = strings.TrimSuffix(plural, "es")
		}
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}
