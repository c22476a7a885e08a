//go:build race

package research

// raced says whether the race detector is in: it makes a thousand runs take many minutes, and looks for something else.
const raced = true
