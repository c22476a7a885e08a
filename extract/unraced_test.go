//go:build !race

package extract

const raced = false
