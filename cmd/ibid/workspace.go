package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/research"
	"ibid/runs"
	"ibid/workspace"
)

// workspaceFlags are the user's own folder, and what they have before them in it. Each is wired by set.
type workspaceFlags struct {
	Workspace  string   `help:"Let the run look into this folder of yours, and with your consent change files in it." placeholder:"DIR" type:"existingdir" env:"IBID_WORKSPACE" group:"Your folder:"`
	Changes    string   `help:"Changes of files in the workspace: ask (each waits for whoever --approve names), allow, never." enum:"ask,allow,never" default:"ask" env:"IBID_CHANGES" group:"Your folder:"`
	OpenFile   string   `help:"The file that you have open, in the workspace." placeholder:"FILE" env:"IBID_OPEN_FILE" group:"Your folder:"`
	RecentFile []string `help:"A file that you used lately, in the workspace; may be repeated." placeholder:"FILE" env:"IBID_RECENT_FILE" group:"Your folder:"`
	Folder     string   `help:"The folder of the workspace that you are in." placeholder:"FOLDER" env:"IBID_FOLDER" group:"Your folder:"`
	Cursor     string   `help:"Where your cursor is: a file of the workspace and a line." placeholder:"FILE:LINE" env:"IBID_CURSOR" group:"Your folder:"`
	Selection  string   `help:"What you have selected: lines of a file of the workspace." placeholder:"FILE:L1-L2" env:"IBID_SELECTION" group:"Your folder:"`
}

// set pins the workspace of a run, and the markers, which have to lie in it.
func (f *workspaceFlags) set(c *research.Config) error {
	invalid := func(what string, err error, hint string) error {
		return &runs.Error{Code: runs.Invalid, Message: what, Err: err, Hint: hint}
	}
	marked := f.OpenFile != "" || len(f.RecentFile) > 0 || f.Folder != "" || f.Cursor != "" || f.Selection != ""
	if f.Workspace == "" {
		if marked {
			return invalid("there is no workspace to find --open-file, --recent-file, --folder, --cursor or --selection in", nil, "Name it with --workspace DIR.")
		}
		return nil
	}
	var err error
	if c.Workspace, err = filepath.Abs(f.Workspace); err != nil {
		return err
	}
	if err := checkName(c.Workspace); err != nil {
		return err
	}
	c.Changes = f.Changes
	c.Policy.AllowChanges = f.Changes == research.ChangesAllow
	if !marked {
		return nil
	}
	root, err := workspace.Open(c.Workspace)
	if err != nil {
		return &runs.Error{Code: runs.Unready, Message: "opening the workspace", Err: err}
	}
	defer root.Close()
	c.Markers = &research.Markers{}
	m := c.Markers
	const inside = "Name files of the workspace, relative to it."
	file := func(flag, path string, to *string) error {
		if path == "" {
			return nil
		}
		got, err := root.Stat(f.relative(c.Workspace, path))
		if err != nil {
			return invalid(flag, err, inside)
		}
		*to = got.Path
		return nil
	}
	lines := func(flag, text string, to **research.Span) error {
		if text == "" {
			return nil
		}
		path, span, err := lineSpan(text)
		if err != nil {
			return invalid(fmt.Sprintf("%s %q: %v", flag, text, err), nil, "Write FILE:LINE, or FILE:L1-L2.")
		}
		*to = &span
		return file(flag, path, &span.File)
	}
	err = errors.Join(file("--open-file", f.OpenFile, &m.Open), lines("--cursor", f.Cursor, &m.Cursor), lines("--selection", f.Selection, &m.Selection))
	for _, path := range f.RecentFile {
		var recent string
		err = errors.Join(err, file("--recent-file", path, &recent))
		m.Recent = append(m.Recent, recent)
	}
	if len(m.Recent) > maxRecent {
		err = errors.Join(err, invalid(fmt.Sprintf("--recent-file was given %d times; %d is the limit", len(m.Recent), maxRecent), nil, ""))
	}
	if f.Folder != "" {
		folder, wrong := root.Folder(f.relative(c.Workspace, f.Folder))
		if m.Folder = folder; wrong != nil {
			err = errors.Join(err, invalid("--folder", wrong, inside))
		}
	}
	return err
}

const maxRecent = 20

// relative makes a path of a name that a person, or their editor, gives in full. What lies outside stays as it is, and is
// refused.
func (f *workspaceFlags) relative(dir, path string) string {
	if filepath.IsAbs(path) {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// lineSpan reads FILE:LINE, FILE:L12-L20 or FILE:12-20.
func lineSpan(text string) (path string, s research.Span, err error) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", s, errors.New("there is no line")
	}
	from, to, isRange := strings.Cut(text[i+1:], "-")
	number := func(text string) int {
		n, wrong := strconv.Atoi(strings.TrimPrefix(strings.ToUpper(text), "L"))
		if wrong != nil || n < 1 {
			err = fmt.Errorf("%q is no line", text)
		}
		return n
	}
	s.From = number(from)
	if isRange {
		if s.To = number(to); err == nil && s.To < s.From {
			err = errors.New("it ends before it begins")
		}
	}
	return text[:i], s, err
}

// openWorkspace opens a workspace, and the documents in it: read through the workspace, which is stricter than a folder.
func openWorkspace(dir string) (*workspace.Root, *fetch.Folder, func() error, error) {
	none := func() error { return nil }
	root, err := workspace.Open(dir)
	if err != nil {
		return nil, nil, none, &runs.Error{Code: runs.Unready, Message: "opening the workspace", Err: err}
	}
	folder, err := fetch.NewFolder(dir, time.Now)
	if err != nil {
		return nil, nil, none, errors.Join(&runs.Error{Code: runs.Unready, Message: "opening the workspace", Err: err}, root.Close())
	}
	folder.ReadWith(root.Read)
	return root, folder, func() error { return errors.Join(folder.Close(), root.Close()) }, nil
}

// workspace opens what a run's tools over its workspace work with. shelf and library are those of the run's documents, and
// serve where these are the workspace itself.
func (e *env) workspace(c research.Config, x *extract.Extractor, shelf corpus.Shelf, library *corpus.Library) (*research.Workspace, func() error, error) {
	root, folder, closed, err := openWorkspace(c.Workspace)
	if err != nil {
		return nil, closed, err
	}
	if library == nil || c.Files != "" || c.Corpus != "" {
		library = corpus.NewLibrary(corpus.LibraryConfig{Name: "workspace", Shelf: folder, Extract: x.Extract, Kept: e.kept(c, folder)})
		readyForPDFs(e.ctx, x, folder)
	}
	return &research.Workspace{Root: root, Library: library, Reader: &corpus.Reader{Fetcher: folder, Extract: x.Extract, Known: library.Reading}}, closed, nil
}

// kept is where the index of a folder of documents is kept: beside the runs. nil for other documents.
func (e *env) kept(c research.Config, shelf corpus.Shelf) *corpus.Kept {
	folder, ok := shelf.(*fetch.Folder)
	if !ok {
		return nil
	}
	kept := &corpus.Kept{Program: programID(), Now: time.Now, Say: func(what string) { fmt.Fprintln(e.err, what) }}
	home, err := e.home()
	if err != nil || e.db == nil {
		return kept
	}
	dir := filepath.Join(home, "index")
	if os.MkdirAll(dir, 0o700) != nil {
		return kept
	}
	name := sha256.Sum256(fmt.Appendf(nil, "%s\x00%t\x00%s", folder.URL(""), folder.Strict(), c.OCR))
	kept.File = filepath.Join(dir, hex.EncodeToString(name[:12]))
	return kept
}

// programID tells this build of the program from others: another one may read documents otherwise.
func programID() string {
	id := programVersion()
	if program, err := os.Executable(); err == nil {
		if info, err := os.Stat(program); err == nil {
			id = fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
		}
	}
	return id
}

// either reads the files of a workspace from there, and everything else as before.
type either struct {
	folder *fetch.Folder
	other  fetch.Fetcher
}

func (f either) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	if _, outside := f.folder.Path(url); outside == nil || f.other == nil {
		return f.folder.Fetch(ctx, url)
	}
	return f.other.Fetch(ctx, url)
}

type workspaceCmd struct {
	Undo workspaceUndoCmd `cmd:"" help:"Take back what a run changed in its workspace, and overwrite nothing that was changed since."`
}

type workspaceUndoCmd struct {
	Run_   string `arg:"" name:"run" help:"The run, or last."`
	DryRun bool   `help:"Only say what would be done."`
}

// Run takes changes back.
func (c *workspaceUndoCmd) Run(e *env) error {
	return e.withRun(c.Run_, func(d *desk, e *env, id string) error {
		info, err := d.journal.Info(e.ctx, id)
		if err != nil {
			return d.notFound(id, err)
		}
		config, err := research.ParseConfig(info.Config)
		if err != nil {
			return err
		}
		if config.Workspace == "" {
			return &runs.Error{Code: runs.Invalid, Message: "run " + id + " had no workspace"}
		}
		root, err := workspace.Open(config.Workspace)
		if err != nil {
			return &runs.Error{Code: runs.Unready, Message: "opening the workspace", Err: err}
		}
		defer root.Close()
		results, err := research.UndoChanges(e.ctx, d.journal, info, root, c.DryRun)
		if errors.Is(err, research.ErrAtWork) {
			return &runs.Error{Code: runs.Invalid, Message: "run " + id + " is at work", Hint: "Stop it first: ibid runs cancel " + id}
		}
		if err != nil {
			return err
		}
		return c.show(e, results)
	})
}

// show prints what was taken back; something that was not is an exit status.
func (c *workspaceUndoCmd) show(e *env, results []workspace.Result) error {
	refused := 0
	for _, r := range results {
		if !r.Done {
			refused++
		}
	}
	if e.cli.JSON {
		if results == nil {
			results = []workspace.Result{}
		}
		if err := json.NewEncoder(e.out).Encode(results); err != nil {
			return err
		}
	} else {
		for _, r := range results {
			fmt.Fprintln(e.out, gate.Printable(undone(r, c.DryRun)))
		}
		if len(results) == 0 {
			fmt.Fprintln(e.out, "the run changed nothing")
		}
	}
	if refused > 0 {
		return exit(exitIncomplete)
	}
	return nil
}

// undone is a line of what was taken back.
func undone(r workspace.Result, dry bool) string {
	what := map[workspace.Op]string{workspace.Delete: "removed", workspace.Create: "put back", workspace.Replace: "put back as it was", workspace.Move: "moved back"}[r.Op]
	switch {
	case !r.Done:
		return fmt.Sprintf("%s: not undone: %s", r.Path, r.Why)
	case r.Why != "":
		return fmt.Sprintf("%s: %s", r.Path, r.Why)
	case dry:
		what = "would be " + what
	}
	if r.To != "" {
		return fmt.Sprintf("%s: %s to %s", r.Path, what, r.To)
	}
	return r.Path + ": " + what
}
