//go:build !race

package conflict

const raced = false
