//go:build !unix

package extract

import "github.com/tetratelabs/wazero/experimental"

func mappedMemory(_, _ uint64) experimental.LinearMemory { return &sliceMemory{} }
