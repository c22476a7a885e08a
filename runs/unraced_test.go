//go:build !race

package runs

const raced = false
