//go:build race

package knowledge

// raced says that the race detector is on, which makes everything slower.
const raced = true
