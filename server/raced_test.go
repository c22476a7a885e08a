//go:build race

package server

// raced says that the race detector watches, which makes everything many times slower.
const raced = true
