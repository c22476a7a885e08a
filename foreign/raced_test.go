//go:build race

package foreign

const raced = true
