//go:build unix

package render

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// apart gives a command a process group of its own, so that it can be killed with all its children.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// home is where profiles are made. Chromium puts a socket into it, and the path of a socket has 104 bytes at most.
func home() string {
	if dir := os.TempDir(); len(dir) <= 40 {
		return dir
	}
	return "/tmp"
}

// kill ends the group of a process.
func kill(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

// reap kills what left the group but still works in the profile: helpers of the browser carry its path as an argument.
// Where there is no /proc it does nothing.
func reap(dir string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		if line, err := os.ReadFile(name); err == nil && bytes.Contains(line, []byte(dir)) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && pid != os.Getpid() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	}
}
