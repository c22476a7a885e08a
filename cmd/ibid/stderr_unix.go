//go:build unix

package main

import (
	"os"
	"syscall"
)

// stderr is where progress goes. A reader of it that hangs up ends no run, as it would one of the descriptor 2 itself:
// what nobody reads is lost.
func stderr() *os.File {
	fd, err := syscall.Dup(2)
	if err != nil {
		return os.Stderr
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "/dev/stderr")
}
