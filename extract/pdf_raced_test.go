//go:build race

package extract

// raced: the race detector makes calls into PDFium several times as slow.
const raced = true
