//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// alone puts a process into a group of its own. An interrupt at the terminal is for this program and not for it.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
