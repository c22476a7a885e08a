//go:build !unix

package client

import "os/exec"

func alone(*exec.Cmd) {}

// kill ends the process; what it has started may live on where there are no groups.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
