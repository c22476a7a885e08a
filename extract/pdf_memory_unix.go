//go:build unix

package extract

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// mappedMemory reserves a document's memory at its largest, so that it grows without being copied: what counts is only
// what is used. It must not be freed while PDFium runs, so it is not for calls that are killed.
func mappedMemory(_, largest uint64) experimental.LinearMemory {
	b, err := syscall.Mmap(-1, 0, int(largest), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return &sliceMemory{}
	}
	return mapped(b)
}

type mapped []byte

func (m mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m)) {
		return nil
	}
	return m[:size]
}

func (m mapped) Free() { _ = syscall.Munmap(m) }
