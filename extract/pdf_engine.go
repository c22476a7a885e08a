package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	maxPDFPages   = 8192 // 512 MiB of memory for one PDF, in WebAssembly pages of 64 KiB
	maxPDFWorkers = 2    // PDFs read at the same time
)

// A pdfEngine is PDFium in a WebAssembly sandbox: no files, no network, bounded memory, and every call ends when its
// document is killed. It starts with the first PDF. Compiling takes seconds of CPU; the result is kept on disk.
type pdfEngine struct {
	mu   sync.Mutex
	pool pdfium.Pool
	err  error // starting failed; tried once
}

// start returns the running pool.
func (e *pdfEngine) start(cacheDir string) (pdfium.Pool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pool == nil && e.err == nil {
		e.pool, e.err = startPDFium(cacheDir)
	}
	return e.pool, e.err
}

// Close ends the PDF engine, if it was started. A later PDF starts it again.
func (x *Extractor) Close() error {
	x.pdf.mu.Lock()
	defer x.pdf.mu.Unlock()
	pool := x.pdf.pool
	x.pdf.pool, x.pdf.err = nil, nil
	if pool == nil {
		return nil
	}
	return pool.Close()
}

func startPDFium(cacheDir string) (pdfium.Pool, error) {
	if cacheDir == "" {
		if dir, err := os.UserCacheDir(); err == nil {
			cacheDir = filepath.Join(dir, "ibid", "wazero")
		}
	}
	if cacheDir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(cacheDir); err == nil {
			if pool, err := initPDFium(cache); err == nil {
				return pool, nil
			} // a damaged or unwritable cache must not cost the document
		}
	}
	return initPDFium(nil)
}

func initPDFium(cache wazero.CompilationCache) (pool pdfium.Pool, err error) {
	defer func() { // wazero panics where the system forbids executable memory
		if r := recover(); r != nil {
			err = fmt.Errorf("start PDFium: %v", r)
		}
	}()
	config := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithMemoryLimitPages(maxPDFPages).
		WithCloseOnContextDone(os.Getenv("NOCLOSE") == "")
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	pool, err = webassembly.Init(webassembly.Config{
		Context: context.Background(), MaxTotal: maxPDFWorkers, RuntimeConfig: config,
		FSConfig: wazero.NewFSConfig(), // no folder at all: the default is the whole disk
		Stdout:   io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, fmt.Errorf("start PDFium: %w", err)
	}
	return pool, nil
}

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
