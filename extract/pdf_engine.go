package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	maxPDFMemory  = 6144 // 384 MiB for one PDF, in WebAssembly pages of 64 KiB
	maxPDFWorkers = 2    // PDFs read at the same time
)

// A pdfEngine is PDFium in a WebAssembly sandbox: no files, no network, bounded memory, and every call ends when its
// document is killed. It starts with the first PDF. Compiling takes seconds of CPU; the result is kept on disk.
//
// It runs in processes of its own, where the Extractor has a command for them, and else in this one. Code that can be
// stopped within the process looks at every turn of every loop whether it is to stop, and takes two to three times as
// long; code that cannot, in turn, would hold up this process's collector of garbage, and with it everything.
type pdfEngine struct {
	mu    sync.Mutex
	slots chan struct{} // PDFs that are being read
	idle  []*pdfProcess
	pool  pdfium.Pool // in this process
	err   error       // starting that failed; tried once
	told  sync.Once   // that it is compiled
}

// acquire waits for a turn to read a PDF.
func (e *pdfEngine) acquire(ctx context.Context) (release func(), err error) {
	e.mu.Lock()
	if e.slots == nil {
		e.slots = make(chan struct{}, maxPDFWorkers)
	}
	slots := e.slots
	e.mu.Unlock()
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// start returns the pool that runs in this process.
func (e *pdfEngine) start(cacheDir string) (pdfium.Pool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool == nil && e.err == nil {
		e.pool, e.err = startPDFium(cacheDir, true)
	}
	return e.pool, e.err
}

// Close ends the PDF engine, if it was started. A later PDF starts it again.
func (x *Extractor) Close() error {
	x.pdf.mu.Lock()
	defer x.pdf.mu.Unlock()
	pool, idle := x.pdf.pool, x.pdf.idle
	x.pdf.pool, x.pdf.idle, x.pdf.err = nil, nil, nil
	for _, p := range idle {
		p.kill()
	}
	if pool == nil {
		return nil
	}
	return pool.Close()
}

// Ready starts what reads PDFs, so that the first one does not wait: compiling it, once on a machine, takes seconds.
func (x *Extractor) Ready(ctx context.Context) error {
	release, err := x.pdf.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	x.tell()
	if x.Worker != nil {
		p, err := x.pdf.process(ctx, x.Worker)
		if err == nil {
			x.pdf.keep(p)
		}
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	_, err = x.pdf.start(x.CacheDir)
	return err
}

// tell says that the engine is about to be compiled, if nothing compiled is kept.
func (x *Extractor) tell() {
	if x.Compiling == nil {
		return
	}
	x.pdf.told.Do(func() {
		kept, err := filepath.Glob(filepath.Join(pdfCacheDir(x.CacheDir), "*", "*"))
		if err == nil && len(kept) == 0 {
			x.Compiling()
		}
	})
}

// An engineError says that PDFs cannot be read here at all.
type engineError struct{ err error }

func (e *engineError) Error() string { return e.err.Error() }

func (e *engineError) Unwrap() error { return e.err }

// withPDF opens a document and has do ask about it; each call may take limit. The time that the engine takes to start is
// not the document's.
func (x *Extractor) withPDF(ctx context.Context, limit time.Duration, body []byte, do func(context.Context, asker) error) error {
	release, err := x.pdf.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	x.tell()
	if x.Worker != nil {
		if p, err := x.pdf.process(ctx, x.Worker); err == nil {
			return x.pdf.inProcess(ctx, limit, p, body, do)
		} else if ctx.Err() != nil {
			return ctx.Err()
		} // a system without processes, or out of them, reads here
	}
	pool, err := x.pdf.start(x.CacheDir)
	if err != nil {
		return &engineError{err}
	}
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	err = withWorker(ctx, pool, func(lib pdfium.Pdfium) error {
		r := &pdfReader{lib: lib, until: patience(limit)}
		ask := timed(limit, kill, func(c pdfCall) (pdfAnswer, error) { return r.answer(ctx, c) })
		if _, err := ask(pdfCall{Open: body}); err != nil {
			return err
		}
		return do(ctx, ask)
	})
	return joinCause(ctx, err)
}

// errPDFTime is the cause where a document took more than its time.
var errPDFTime = errors.New("out of time")

// timed gives every call the same limit; one that takes longer is killed, and the document with it.
func timed(limit time.Duration, kill context.CancelCauseFunc, ask asker) asker {
	return func(c pdfCall) (pdfAnswer, error) {
		late := time.Now().Add(limit)
		timer := time.AfterFunc(limit, func() { kill(errPDFTime) })
		defer timer.Stop()
		a, err := ask(c)
		if time.Now().After(late) {
			kill(errPDFTime)
			err = errors.Join(errPDFTime, err)
		}
		return a, err
	}
}

// joinCause adds to an error why its context ended.
func joinCause(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return errors.Join(context.Cause(ctx), err)
}

// pdfCacheDir is where the compiled engine is kept; "" if nowhere.
func pdfCacheDir(dir string) string {
	if dir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			return filepath.Join(dir, "ibid", "wazero")
		}
	}
	return dir
}

// startPDFium loads PDFium, or compiles it first. Calls can be killed in their middle only if killable.
func startPDFium(cacheDir string, killable bool) (pdfium.Pool, error) {
	if cacheDir = pdfCacheDir(cacheDir); cacheDir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(cacheDir); err == nil {
			if pool, err := initPDFium(cache, killable); err == nil {
				return pool, nil
			} // a damaged or unwritable cache must not cost the document
		}
	}
	return initPDFium(nil, killable)
}

func initPDFium(cache wazero.CompilationCache, killable bool) (pool pdfium.Pool, err error) {
	defer func() { // wazero panics where the system forbids executable memory
		if r := recover(); r != nil {
			err = fmt.Errorf("start PDFium: %v", r)
		}
	}()
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxPDFMemory).
		WithCloseOnContextDone(killable)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	if !killable {
		ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(mappedMemory))
	}
	pool, err = webassembly.Init(webassembly.Config{
		Context: ctx, MaxTotal: maxPDFWorkers, RuntimeConfig: config,
		FSConfig: wazero.NewFSConfig(), // no folder at all: the default is the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}

// patience is when a reader stops to begin further pages, so that those that were read are not lost when the time is up.
func patience(limit time.Duration) time.Time { return time.Now().Add(limit * 3 / 4) }

// withWorker runs do with a worker of its own, which is killed when ctx ends, in the middle of whatever it does.
func withWorker(ctx context.Context, pool pdfium.Pool, do func(pdfium.Pdfium) error) (err error) {
	worker, err := pool.GetInstanceWithContext(ctx)
	if err != nil {
		return err
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		worker.Kill()
	})
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("PDFium: %v", r)
		}
		switch {
		case !stop():
			<-killed
			err = errors.Join(ctx.Err(), err)
		case err != nil:
			worker.Kill() // what failed may not close cleanly
		default:
			worker.Close()
		}
	}()
	return do(worker)
}
