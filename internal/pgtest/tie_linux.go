package pgtest

import "syscall"

// tie lets a process end with the one that started it, however that ends.
func tie(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGQUIT }
