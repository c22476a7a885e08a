//go:build !race

package index

const raced = false
