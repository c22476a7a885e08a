//go:build race

package extract

// raced says whether the race detector is in, which makes reading several times as slow.
const raced = true
