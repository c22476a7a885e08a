//go:build !race

package knowledge

const raced = false
