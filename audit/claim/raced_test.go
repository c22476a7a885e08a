//go:build race

package claim

// raced says whether the race detector is in, which makes twelve thousand pairs take half a minute.
const raced = true
