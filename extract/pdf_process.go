package extract

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klippa-app/go-pdfium"
)

// A pdfProcess is a process that reads PDFs, one at a time. It is killed in the middle of whatever it does, and ends by
// itself when this process does.
type pdfProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *gob.Encoder
	dec *gob.Decoder
}

// process returns a process that waits, or starts one and waits until its engine is ready.
func (e *pdfEngine) process(ctx context.Context, command func() *exec.Cmd) (*pdfProcess, error) {
	e.mu.Lock()
	if n := len(e.idle); n > 0 {
		p := e.idle[n-1]
		e.idle = e.idle[:n-1]
		e.mu.Unlock()
		return p, nil
	}
	e.mu.Unlock()
	cmd := command()
	if cmd == nil {
		return nil, errors.New("there is no command for it")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &pdfProcess{cmd: cmd, in: in, enc: gob.NewEncoder(in), dec: gob.NewDecoder(out)}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	var ready pdfAnswer
	if err := p.dec.Decode(&ready); err != nil || ready.Failed != "" {
		p.kill()
		return nil, errors.Join(ctx.Err(), err, errors.New("the process that reads PDFs does not start: "+ready.Failed))
	}
	return p, nil
}

// keep holds a process for the next document.
func (e *pdfEngine) keep(p *pdfProcess) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = append(e.idle, p)
}

// kill ends the process now.
func (p *pdfProcess) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	_ = p.cmd.Wait() // says that it was killed
}

// ask makes one call.
func (p *pdfProcess) ask(c pdfCall) (a pdfAnswer, err error) {
	if err = p.enc.Encode(c); err == nil {
		err = p.dec.Decode(&a)
	}
	switch {
	case err != nil:
		return a, fmt.Errorf("the process that reads PDFs ended: %w", err)
	case a.Failed != "":
		return a, &pdfFailure{a.Failed, a.Reason}
	}
	return a, nil
}

// inProcess has do ask the process about a document, and keeps the process for the next one if all went well.
func (e *pdfEngine) inProcess(ctx context.Context, limit time.Duration, p *pdfProcess, body []byte, do func(context.Context, asker) error) error {
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	ask := timed(limit, kill, p.ask)
	_, err := ask(pdfCall{Open: body, Limit: limit})
	if err == nil {
		err = do(ctx, ask)
	}
	var failed *pdfFailure
	if alive := stop(); alive && (err == nil || errors.As(err, &failed)) {
		if _, closed := p.ask(pdfCall{Close: true}); closed == nil {
			e.keep(p)
			return err
		}
	}
	p.kill()
	return joinCause(ctx, err)
}

// ServePDF is the work of a process that reads PDFs for an Extractor whose Worker starts it: it answers calls from in on
// out until in ends. Its time and its life are in the hands of the process that started it.
func ServePDF(in io.Reader, out io.Writer, cacheDir string) error {
	// PDFium cannot be interrupted here, and the collector would wait for it, and with the collector what watches in: so
	// it runs between documents, and one processor is left for the watch.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(400 << 20)
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	enc, calls, ended := gob.NewEncoder(out), make(chan pdfCall), make(chan error, 1)
	go func() {
		dec := gob.NewDecoder(in)
		for {
			var c pdfCall
			if err := dec.Decode(&c); err != nil {
				ended <- err
				return
			}
			calls <- c
		}
	}()
	done := make(chan error, 1)
	go func() { done <- serve(enc, calls, cacheDir) }()
	select {
	case err := <-done:
		return err
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

func serve(enc *gob.Encoder, calls <-chan pdfCall, cacheDir string) error {
	pool, err := startPDFium(cacheDir, false)
	if err != nil {
		return errors.Join(err, enc.Encode(pdfAnswer{Failed: err.Error()}))
	}
	if err := enc.Encode(pdfAnswer{}); err != nil {
		return err
	}
	var d servedDocument
	for c := range calls {
		a, err := d.answer(pool, c)
		if err != nil {
			a = pdfAnswer{Failed: err.Error(), Reason: pdfReason(err)}
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	return nil
}

// A servedDocument is the one that is open.
type servedDocument struct {
	lib    pdfium.Pdfium
	reader *pdfReader
}

func (d *servedDocument) answer(pool pdfium.Pool, c pdfCall) (a pdfAnswer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PDFium: %v", r)
		}
	}()
	if c.Close || c.Open != nil {
		if d.lib != nil {
			_ = d.lib.Kill()
		}
		d.lib, d.reader = nil, nil
		runtime.GC()
	}
	switch {
	case c.Close:
		return a, nil
	case c.Open != nil:
		if d.lib, err = pool.GetInstance(time.Minute); err != nil {
			return a, err
		}
		d.reader = &pdfReader{lib: d.lib, until: patience(c.Limit)}
	case d.reader == nil:
		return a, errors.New("no document is open")
	}
	return d.reader.answer(context.Background(), c)
}
