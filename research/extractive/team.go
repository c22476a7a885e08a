package extractive

import "strings"

const (
	directions = 3   // of a plan that agents are sent in
	scouted    = 2   // pages that one of them reads
	taskSize   = 380 // characters
)

// split sends an agent in the direction of each sub-question, where a team is offered and there are several, and says
// whether it did. They search and read side by side; what is recorded of all that was read is chosen here, since only who
// sees all of it can tell what is said twice. This one's own searches and reads go on from there: what an agent has asked
// costs nothing more.
func (t *turn) split() bool {
	if !t.offered[toolSpawn] || !t.offered[toolWait] || !t.offered[toolSearch] || t.spawned || t.planned != 1 || len(t.parts) < 2 {
		return false
	}
	n := min(len(t.parts), directions)
	tasks := make([]spawnArgs, n)
	for i, p := range t.parts {
		a := &tasks[i%n]
		a.Reason = "It needs evidence of its own."
		if task := strings.TrimSpace(a.Task + " " + p.Question); a.Task == "" || len([]rune(task)) <= taskSize {
			a.Task, a.Subquestions = task, append(a.Subquestions, p.ID)
		}
	}
	for _, a := range tasks {
		if len([]rune(a.Task)) <= taskSize {
			t.call(toolSpawn, a)
		}
	}
	if len(t.calls) == 0 {
		return false
	}
	t.call(toolWait, struct{}{})
	return true
}

// scout is what an agent does that was sent in a direction: it searches, reads the best of what it found, and ends.
func (t *turn) scout() {
	switch {
	case t.turns == 0:
		t.search()
	case t.last[toolSearch]:
		t.readBest(scouted)
	}
}
