package research

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/llm"
	"ibid/workspace"
)

// fileTool reads a file of the workspace: a source like any other, unless the run wrote it itself (WORK-2).
type fileTool struct{ folderTool }

// fileView is what the model reads of a file.
type fileView struct {
	Path    string         `json:"path"`
	Source  string         `json:"source,omitempty"`
	Title   string         `json:"title,omitempty"`
	Kind    string         `json:"kind,omitempty"`
	SameAs  string         `json:"same_as,omitempty"`
	Flags   []string       `json:"flags,omitempty"`
	Note    string         `json:"note,omitempty"`
	Text    []filePassage  `json:"untrusted_text,omitempty"`
	Next    string         `json:"read_on_from,omitempty"`
	Links   []extract.Link `json:"links,omitempty"`
	Outcome fetch.Outcome  `json:"outcome,omitempty"`
	Error   string         `json:"error,omitempty"`
}

// A filePassage is a passage with the line on which it begins, where the file has lines.
type filePassage struct {
	passage
	Line int `json:"line,omitempty"`
}

// names are the ids by which a result of read_file is cited.
func (f *fileView) names() []string {
	if f.Source == "" {
		return nil
	}
	return []string{f.Source}
}

// covered is what the stub of a result of read_file says of it.
func (f *fileView) covered() covered {
	c := covered{Source: f.Source, Site: "file:", Title: gate.Clip(f.Path, 80), Error: gate.Clip(f.Error, 80)}
	if n := len(f.Text); n > 0 {
		c.Passages = f.Text[0].At + " to " + f.Text[n-1].At
	}
	return c
}

func (t *fileTool) Spec() llm.Tool {
	return t.spec(property{"path", `{"type":"string"}`, true}, property{"from", `{"type":"string"}`, false}, property{"line", `{"type":"integer","minimum":1}`, false})
}

func (t *fileTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Path string `json:"path"`
		From string `json:"from"`
		Line int    `json:"line"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	path, err := workspace.Clean(args.Path)
	if err != nil {
		return agent.Action{}, t.text.Error("bad_path", "reason", err)
	}
	address, from := t.address(path), start{args.From, args.Line}
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.files[path]
	if known != nil && !known.own && t.corpus.ByURL(address) != "" || t.reading[address] {
		return now(func() agent.Result { return t.again(path, address, from) }), nil
	}
	t.reading[address] = true
	return agent.Action{
		Effects: []agent.Effect{{Kind: "fetch", Cost: budget.Amount{Reads: 1}, Input: map[string]string{"path": path, "url": address},
			Run: func(ctx context.Context) ([]byte, budget.Amount, error) { return t.run(ctx, address) }}},
		Then: func(outcomes []agent.Outcome) agent.Result { return t.conclude(path, address, from, outcomes[0]) },
	}, nil
}

// run reads and extracts a file.
func (t *fileTool) run(ctx context.Context, address string) ([]byte, budget.Amount, error) {
	spent := budget.Amount{Reads: 1}
	reading, err := t.at.Reader.Read(ctx, address)
	var unavailable *fetch.Unavailable
	if err != nil && !errors.As(err, &unavailable) {
		return nil, spent, err
	}
	out := fetched{Reading: reading, Unavailable: unavailable}
	if reading != nil {
		if _, err := t.blobs.PutBlob(ctx, reading.Raw); err != nil {
			return nil, spent, err
		}
		out.Own, out.Lines = t.written.holds(reading.Source.SHA256), linesOf(reading)
	}
	return toJSON(out), spent, nil
}

// linesOf says on which line each block of a reading begins, as far as the file is text with lines.
func linesOf(r *corpus.Reading) []int {
	switch r.Source.Kind {
	case evidence.Text, evidence.Markdown, evidence.HTML, evidence.Data:
	default:
		return nil
	}
	if !utf8.Valid(r.Raw) {
		return nil
	}
	lines := make([]int, len(r.Blocks))
	line, at, some := 1, 0, false
	for i, b := range r.Blocks {
		if b.End <= b.Start || b.End > len(r.Raw) {
			continue
		}
		if b.Start < at {
			line, at = 1, 0
		}
		line += strings.Count(string(r.Raw[at:b.Start]), "\n")
		at, lines[i], some = b.Start, line, true
	}
	if !some {
		return nil
	}
	return lines
}

// conclude takes a file in as a source and shows it.
func (t *fileTool) conclude(path, address string, from start, o agent.Outcome) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.reading, address)
	v := fileView{Path: path}
	var over *budget.Exhausted
	var denied *agent.Denied
	var out fetched
	switch {
	case errors.As(o.Err, &over), errors.As(o.Err, &denied):
		return refuse(o.Err)
	case o.Err != nil:
		out.Unavailable = &fetch.Unavailable{URL: address, Outcome: fetch.Failed, Reason: o.Err.Error()}
	default:
		if err := json.Unmarshal(o.Body, &out); err != nil || out.Reading == nil && out.Unavailable == nil {
			out.Unavailable = &fetch.Unavailable{URL: address, Outcome: fetch.Failed, Reason: "its record cannot be read"}
		}
	}
	t.unread, t.tainted = 0, true
	t.reads++
	if u := out.Unavailable; u != nil {
		if t.failed[address] = u; t.corpus.ByURL(address) != "" {
			delete(t.failed, address)
		}
		return refuse(t.text.Error("unreadable", "reason", u.Reason))
	}
	delete(t.failed, address)
	known := &file{sha256: out.Reading.Source.SHA256, own: out.Own, lines: out.Lines}
	t.files[path] = known
	if out.Own {
		v.Title, v.Kind, v.Note = out.Reading.Source.Title, string(out.Reading.Source.Kind), t.text.Note("own")
		return t.show(v, out.Reading, out.Lines, from)
	}
	id, fresh := t.ingest(out.Reading)
	if source, _ := t.corpus.Source(id); !fresh {
		v.SameAs = id
		if source.TextSHA256 != out.Reading.Source.TextSHA256 { // what is shown, and may be replaced, is what was read first
			known.sha256, known.lines, v.Note = source.SHA256, nil, t.text.Note("stale")
		}
	}
	for _, l := range out.Reading.Links {
		t.allow(l.URL, fromPage)
	}
	v.Source = id
	return t.show(v, t.corpus.Reading(id), known.lines, from)
}

// again shows a file that was read before, which costs nothing.
func (t *fileTool) again(path, address string, from start) agent.Result {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.corpus.ByURL(address)
	if id == "" {
		return refuse(t.text.Error("twice"))
	}
	var lines []int
	if f := t.files[path]; f != nil {
		lines = f.lines
	}
	return t.show(fileView{Path: path, Source: id}, t.corpus.Reading(id), lines, from)
}

// A start is where reading begins: at a passage, at a line, or at the beginning.
type start struct {
	at   string
	line int
}

// in returns the block to begin with, or -1.
func (s start) in(blocks []extract.Block, lines []int) int {
	if s.at == "" && s.line == 0 {
		return 0
	}
	best := -1
	for i, b := range blocks {
		switch {
		case s.at != "" && b.Main && b.Locator.String() == strings.TrimSpace(s.at):
			return i
		case s.at == "" && b.Main && i < len(lines) && lines[i] > 0 && lines[i] <= s.line:
			best = i
		}
	}
	if s.at == "" && best < 0 && len(lines) > 0 {
		return 0
	}
	return best
}

// show fills in what the model reads of a file, from somewhere on, and where to read on.
func (t *fileTool) show(v fileView, reading *corpus.Reading, lines []int, from start) agent.Result {
	v.Kind, v.Flags = string(reading.Source.Kind), reading.Source.Flags
	if v.Source != "" {
		source, _ := t.corpus.Source(v.Source)
		v.Title = source.Title
	}
	if len(lines) != len(reading.Blocks) {
		lines = nil
	}
	begin := from.in(reading.Blocks, lines)
	switch {
	case begin < 0 && from.at != "":
		return refuse(t.text.Error("no_passage", "at", from.at))
	case begin < 0:
		return refuse(t.text.Error("no_lines"))
	}
	passages, cut := beginning(reading.Blocks[begin:], shownCharacters)
	i := begin
	for _, p := range passages {
		for ; i < len(reading.Blocks) && (!reading.Blocks[i].Main || reading.Blocks[i].Locator.String() != p.At); i++ {
		}
		f := filePassage{passage: p}
		if i < len(lines) {
			f.Line = lines[i]
		}
		v.Text = append(v.Text, f)
		i++
	}
	if cut {
		for ; i < len(reading.Blocks) && !reading.Blocks[i].Main; i++ {
		}
		if i < len(reading.Blocks) {
			v.Next = reading.Blocks[i].Locator.String()
		}
		v.Note = strings.TrimSpace(v.Note + " " + t.text.Note("cut"))
	}
	if begin == 0 && v.Source != "" {
		v.Links = (&readTool{state: t.state}).bestLinks(reading.Links)
	}
	return t.fence.reply(struct {
		File fileView `json:"file"`
	}{v})
}
