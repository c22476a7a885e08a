//go:build race

package server

// raced says whether the race detector is in, which makes a process take many times as long to begin.
const raced = true
