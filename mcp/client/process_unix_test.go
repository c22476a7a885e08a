//go:build unix

package client

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingIsLeft: what a server has started ends with it.
func TestNothingIsLeft(t *testing.T) {
	c := program(t, "spawns")
	s, tool := begin(t, c)
	if _, err := s.Call(t.Context(), "lookup", tool.SHA256, []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimPrefix(c.Env[2], "STATE="), "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil || syscall.Kill(pid, 0) != nil {
		t.Fatalf("the child %s does not run: %v", text, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); ; runtime.Gosched() {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") || syscall.Kill(pid, 0) != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the child of a server that was stopped lives on")
		}
	}
}
