//go:build race

package report

// raced says whether the race detector is in, which makes a check several times as slow.
const raced = true
