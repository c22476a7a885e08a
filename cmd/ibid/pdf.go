package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"strings"

	"ibid/corpus"
	"ibid/extract"
)

const (
	// pdfWorkerArg makes the program a process that reads PDFs for another one, which talks to it on its standard input
	// and output.
	pdfWorkerArg = "pdf-worker"

	// pdfWorkerMark is set for such a process, which starts none itself.
	pdfWorkerMark = "IBID_PDF_WORKER"
)

// servePDFs is the work of such a process.
func servePDFs(in io.Reader, out, errw io.Writer) int {
	if err := extract.ServePDF(in, out, ""); err != nil {
		fmt.Fprintln(errw, "ibid:", err)
		return exitFailed
	}
	return exitOK
}

// newExtractor reads documents as this program does: PDFs in processes of their own. It must be closed.
func (e *env) newExtractor(ocr bool) *extract.Extractor {
	x := &extract.Extractor{OCR: ocr, Worker: pdfWorker}
	if !e.cli.Quiet {
		x.Compiling = func() {
			fmt.Fprintln(e.err, "what reads PDFs is made ready, once on a machine: this may take a minute …")
		}
	}
	return x
}

// readyForPDFs starts what reads PDFs if there are any among the documents: before the run, whose seconds are counted. What
// goes wrong is told of the first one that is read.
func readyForPDFs(ctx context.Context, x *extract.Extractor, shelf corpus.Shelf) {
	for _, entry := range shelf.Entries() {
		if u, err := url.Parse(entry.URL); err == nil && strings.EqualFold(path.Ext(u.Path), ".pdf") {
			_ = x.Ready(ctx)
			return
		}
	}
}

// pdfWorker is the command of such a process. It sees nothing of the environment, where keys are, but what leads to its
// cache. It is nil where this program is only a part of the one that runs, as in a test of it.
func pdfWorker() *exec.Cmd {
	program, err := os.Executable()
	if err != nil || os.Getenv(pdfWorkerMark) != "" || strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		return nil
	}
	cmd := exec.Command(program, pdfWorkerArg)
	cmd.Args[0] = os.Args[0]
	cmd.Env = []string{pdfWorkerMark + "=1"}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "SystemRoot"} {
		if v, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}
