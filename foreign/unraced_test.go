//go:build !race

package foreign

const raced = false
