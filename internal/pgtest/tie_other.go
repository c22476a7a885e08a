//go:build !linux

package pgtest

import "syscall"

// tie does nothing where there is no such bond.
func tie(*syscall.SysProcAttr) {}
