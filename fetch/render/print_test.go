package render

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"ibid/fetch"
	"ibid/internal/testset"
)

// TestPrint: what a page shows is in the PDF; what it would load or run is not, and nobody is asked for it.
func TestPrint(t *testing.T) {
	browsers(t)
	elsewhere(t)
	var hits atomic.Int64
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	defer canary.Close()
	page := fmt.Sprintf(`<!DOCTYPE html><title>Tides</title><h1>Tides of Halden</h1><p>High water at noon.<img src="%[1]s/i.png"><link rel="stylesheet" href="%[1]s/s.css">
		<iframe src="%[1]s/f"></iframe><script>document.body.append("scripts ran")</script><script src="%[1]s/s.js"></script>`, canary.URL)
	pdf, err := Print(t.Context(), "", []byte(page))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || hits.Load() > 0 {
		t.Errorf("%.20q, and %d requests", pdf, hits.Load())
	}
	nothingLeft(t)
	if _, err := exec.LookPath("pdftotext"); err != nil {
		testset.Lacks(t, "pdftotext", "apt-get install poppler-utils")
	}
	cmd := exec.Command("pdftotext", "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	text, err := cmd.Output()
	if err != nil || !strings.Contains(string(text), "High water at noon.") || strings.Contains(string(text), "scripts ran") {
		t.Errorf("%v: %s", err, text)
	}
}

// Without a browser it says so, and how to get one.
func TestPrintWithoutBrowser(t *testing.T) {
	var none *fetch.Unavailable
	if pdf, err := Print(t.Context(), "/no/such/browser", nil); pdf != nil || !errors.As(err, &none) || none.Outcome != fetch.JSRequired || !strings.Contains(none.Hint, "apt-get install") {
		t.Errorf("%v, %v", pdf, err)
	}
}
