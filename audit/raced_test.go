//go:build race

package audit

// raced says whether the race detector is in, which makes a check several times as slow.
const raced = true
