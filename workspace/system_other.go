//go:build !unix

package workspace

import (
	"io/fs"
	"os"
)

// links is how many names a file has; where the system does not say, one.
func links(fs.FileInfo) uint64 { return 1 }

// claim takes the lock of a folder against other programs. Here there is none: changes of one program take turns.
func claim(*os.File) error { return nil }

// settled makes the names in a folder last; here that is the system's to do.
func settled(*os.File) error { return nil }
