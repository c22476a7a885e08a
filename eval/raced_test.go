//go:build race

package eval

// raced says whether the race detector is in.
const raced = true
