//go:build race

package main

// raced says whether the race detector is in, which makes a run of the program take six times as long: then of each kind of
// run there is one.
const raced = true
