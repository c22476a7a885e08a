package server

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"ibid/audit"
	"ibid/bundle"
)

// Checked is the form in which a report is handed in to be checked.
type Checked string

const (
	CheckedJSON     Checked = "json"
	CheckedMarkdown Checked = "markdown" // against its run
	CheckedBundle   Checked = "bundle"   // a WACZ file
)

// A Verdict is what a check found. OK says whether the report holds.
type Verdict struct {
	OK     bool           `json:"ok"`
	Check  *audit.Result  `json:"check,omitempty"`
	Bundle *bundle.Result `json:"bundle,omitempty"` // of a bundle, with the check of its report
}

// maxReport is of a report in JSON or Markdown, maxBundle of a bundle: both are held in memory while they are checked.
const (
	maxReport = 64 << 20
	maxBundle = 128 << 20
	maxPairs  = 256 << 20
)

// checkedTypes are the types of a body that is checked.
var checkedTypes = map[string]Checked{"application/json": CheckedJSON, "text/markdown": CheckedMarkdown,
	"application/wacz": CheckedBundle, "application/zip": CheckedBundle}

// verify checks a report. That it does not hold is an answer, and no failure.
func (c *call) verify() (Verdict, error) {
	kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	form, known := checkedTypes[kind]
	if err != nil || !known {
		return Verdict{}, refuse(problemMedia, "Send application/json, text/markdown (with ?run=) or application/wacz.", "a body of type %q is no report", printable(kind))
	}
	run := c.param("run")
	if (form == CheckedMarkdown) != (run != "") {
		return Verdict{}, invalid("run: a report in Markdown is checked against its run, the other forms by themselves")
	}
	if run != "" {
		if _, err := c.desk.Info(c.ctx, run); err != nil {
			return Verdict{}, err
		}
	}
	if c.limit = maxReport; form == CheckedBundle {
		c.limit = maxBundle
	}
	body, err := c.body(kind)
	if err != nil {
		return Verdict{}, err
	}
	return c.config.Verify(c.ctx, c.desk, form, run, body)
}

// pairs holds claims against evidence, line by line: what comes in is answered while more comes in.
func (c *call) pairs() error {
	if err := c.type_([]string{"application/jsonl", "application/x-ndjson"}); err != nil {
		return err
	}
	rc := http.NewResponseController(c.w)
	if err := rc.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	c.w.Header().Set("Content-Type", "application/jsonl")
	out := &lines{w: c.w, rc: rc}
	in := &unbroken{r: http.MaxBytesReader(c.w, c.r.Body, maxPairs)}
	err := c.config.Pairs(c.ctx, in, out, func(line int, err error) { out.problem(line, err) })
	switch {
	case in.err != nil:
		out.problem(0, unread(in.err))
	case err != nil && c.ctx.Err() == nil:
		c.log.Error("pairs", "error", err.Error())
		out.problem(0, errors.New("an internal error"))
	}
	return nil
}

// unbroken reads a body and keeps why it ended early.
type unbroken struct {
	r   io.Reader
	err error
}

func (u *unbroken) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		u.err = err
	}
	return n, err
}

// lines writes an answer, each part at once: whoever waits for it before the next line gets it.
type lines struct {
	w  io.Writer
	rc *http.ResponseController
}

func (l *lines) Write(p []byte) (int, error) {
	n, err := l.w.Write(p)
	if err == nil {
		err = l.rc.Flush()
	}
	return n, err
}

// problem tells of a line that was left out; 0: of what ended the answer.
func (l *lines) problem(line int, err error) {
	body, _ := json.Marshal(struct { // of plain text
		Line  int    `json:"line,omitempty"`
		Error string `json:"error"`
	}{line, printable(err.Error())})
	_, _ = l.Write(append(body, '\n'))
}
