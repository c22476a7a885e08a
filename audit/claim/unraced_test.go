//go:build !race

package claim

const raced = false
