//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// claim takes the lock of a folder against other programs, or returns syscall.EWOULDBLOCK. Closing the folder gives it back.
func claim(dir *os.File) error { return syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// settled makes the names in a folder last.
func settled(dir *os.File) error { return dir.Sync() }
