package agent

import "ibid/llm"

// Guard bounds a loop that goes round in circles (LOOP-9). Zero values mean the defaults.
type Guard struct {
	Repeats int // the same call with the same result this often is refused from then on; 0 means 3
	Stall   int // steps in a row without anything new before the run must answer; 0 means 6
	Tell    int // steps in a row without anything new after which the model is told so, once; 0: it is not told
	Bad     int // steps in a row without one usable call before the run must answer; 0 means 3
}

func (g Guard) repeats() int {
	if g.Repeats == 0 {
		return 3
	}
	return g.Repeats
}

func (g Guard) stall() int {
	if g.Stall == 0 {
		return 6
	}
	return g.Stall
}

func (g Guard) bad() int {
	if g.Bad == 0 {
		return 3
	}
	return g.Bad
}

// guardState counts what came back the same.
type guardState struct {
	bad   int // steps in a row without a usable call
	calls map[string]*sameCall
	last  string // fingerprint of the last step
	still int    // steps since it changed
	told  bool   // the model knows that nothing new comes
}

type sameCall struct {
	result string
	times  int
}

// turn notes whether a step had nothing but calls that no tool could be asked with.
func (s *guardState) turn(bad bool) {
	if !bad {
		s.bad = 0
		return
	}
	s.bad++
}

// stalled notes the fingerprint of what is known and says whether it has not changed for long. A step that only reads
// counts as progress through its sources, so the fingerprint has to hold all that can be new.
func (s *guardState) stalled(g Guard, progress func() string) bool {
	if s.bad >= g.bad() {
		return true
	}
	if progress == nil {
		return false
	}
	now := progress()
	if now != s.last {
		s.last, s.still = now, 0
		return false
	}
	s.still++
	return s.still >= g.stall()
}

// tells says whether the model is to be told now that the last steps brought nothing new. It is told once in a run: who goes
// on as before is closed the next time without another word.
func (s *guardState) tells(g Guard) bool {
	if g.Tell == 0 || s.told || s.still < g.Tell {
		return false
	}
	s.told = true
	return true
}

// repeated says how often this call has given its result in a row.
func (s *guardState) repeated(c llm.ToolCall) int {
	if same := s.calls[c.Name+"\x00"+c.Args]; same != nil {
		return same.times
	}
	return 0
}

// met notes a call's result.
func (s *guardState) met(c llm.ToolCall, result string) {
	if s.calls == nil {
		s.calls = map[string]*sameCall{}
	}
	id := c.Name + "\x00" + c.Args
	same := s.calls[id]
	if same == nil || same.result != result {
		s.calls[id] = &sameCall{result: result, times: 1}
		return
	}
	same.times++
}
