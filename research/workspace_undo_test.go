package research

import (
	"errors"
	"testing"

	"ibid/journal"
)

// A run that was asked to stop has not stopped yet.
func TestUndoWaitsForTheRun(t *testing.T) {
	for _, state := range []journal.State{journal.StateWorking, journal.StateStopping} {
		if _, err := UndoChanges(t.Context(), nil, journal.Info{ID: "r1", State: state}, nil, false); !errors.Is(err, ErrAtWork) {
			t.Errorf("%s: %v", state, err)
		}
	}
}
