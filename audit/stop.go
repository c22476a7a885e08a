package audit

import (
	"strings"
)

// StopSentence says why a run stopped, for the stop reason as recorded (LOOP-7). It is the only sentence about it that
// passes.
func StopSentence(stop string) string {
	switch kind, which, _ := strings.Cut(stop, ":"); kind {
	case "done", "":
		return "The run stopped because it was done."
	case "budget":
		switch which {
		case "":
			which = "whole"
		case "context":
			return "The run stopped because the model had no room left for the conversation."
		}
		return "The run stopped because its budget of " + which + " was spent."
	case "cancelled":
		return "The run was cancelled before it was done."
	case "stopped":
		return "The run was stopped early by a person."
	case "stalled":
		return "The run stopped because its last steps brought nothing new."
	case "failed":
		return "The run stopped because the model gave no answer any more."
	case "refused":
		return "The run stopped because the model declined to answer."
	case "parked":
		return "The run is waiting for a person."
	default:
		return "The run stopped for another reason: " + kind + "."
	}
}

// stopSentence reports whether a text says why the run stopped, and whether it says so rightly.
func (c *checker) stopSentence(text string) (right, is bool) {
	low := strings.ToLower(text)
	if !strings.HasPrefix(low, "the run stopped") && !strings.HasPrefix(low, "the run was") && !strings.HasPrefix(low, "the run is") && !strings.HasPrefix(low, "it stopped") {
		return false, false
	}
	if c.rec.Facts == nil {
		return false, false
	}
	if plain(text) == plain(StopSentence(c.rec.Facts.Stop)) {
		return true, true
	}
	return false, strings.Contains(low, "stopped") || strings.Contains(low, "cancelled") || strings.Contains(low, "waiting")
}
