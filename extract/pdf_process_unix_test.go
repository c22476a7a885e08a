//go:build unix

package extract

import (
	"syscall"
	"time"
)

// childrenTime is the processor time of the processes that ended and were waited for.
func childrenTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
