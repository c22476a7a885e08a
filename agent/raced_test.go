//go:build race

package agent

// raced says whether the race detector is in.
const raced = true
