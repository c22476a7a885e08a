//go:build !unix

package render

import (
	"os"
	"os/exec"
)

// The children of the browser end by themselves when it is gone.

func apart(*exec.Cmd) {}

func home() string { return os.TempDir() }

func kill(p *os.Process) { p.Kill() }

func reap(string) {}
