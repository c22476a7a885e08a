//go:build !race

package research

const raced = false
