package client

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// grace is how long a process has to end by itself when its input ends.
const grace = 500 * time.Millisecond

// run starts a process in a group of its own, so that it can be ended with all that it starts.
func (c *connection) run(config Config) error {
	cmd := exec.Command(config.Command[0], config.Command[1:]...)
	cmd.Dir, cmd.Env = config.Dir, config.Env
	alone(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	c.silent = ended
	go func() {
		defer close(ended)
		c.listen(said, config)
	}()
	c.halt = func() {
		_ = in.Close()
		select {
		case <-ended:
		case <-time.After(grace):
		}
		kill(cmd)
		_ = cmd.Wait() // says that it was killed
	}
	c.speak(config, out, in)
	return nil
}

// hidden is a line as it may be told.
func (c Config) hidden(line string) string {
	if c.Hide != nil {
		line = c.Hide(line)
	}
	return strings.TrimSpace(line)
}

// listen logs what a process says on stderr, as much of it as anybody would read, and takes the rest.
func (c *connection) listen(said io.Reader, config Config) {
	r := bufio.NewReaderSize(said, 4<<10)
	for n, whole := 0, true; ; {
		part, err := r.ReadSlice('\n')
		if text := config.hidden(string(part)); whole && text != "" { // of a line that is longer than the buffer the beginning
			c.mu.Lock()
			c.last = clip(text)
			c.mu.Unlock()
			if n++; config.Log != nil && n <= maxLines {
				config.Log(clip(text))
			}
			if n == maxLines+1 && config.Log != nil {
				config.Log(fmt.Sprintf("(more than %d lines: the rest is not shown)", maxLines))
			}
		}
		if whole = err == nil; err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}
