//go:build race

package index

// raced says that the race detector makes everything slow.
const raced = true
