//go:build race

package conflict

// raced says whether the race detector is in, which makes the shared sets take half a minute.
const raced = true
