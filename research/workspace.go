package research

import (
	"encoding/json"
	"sync"

	"ibid/agent"
	"ibid/corpus"
	"ibid/fetch"
	"ibid/journal"
	"ibid/llm"
	"ibid/research/prompts"
	"ibid/workspace"
)

// How changes of the workspace are decided, as Config.Changes says.
const (
	ChangesAsk   = "ask"   // a person sees each and says yes or no
	ChangesAllow = "allow" // the user has said yes to all
	ChangesNever = "never" // the tools are not offered
)

// A Workspace is the user's folder, as a run works with it.
type Workspace struct {
	Root    *workspace.Root
	Reader  Reader          // reads one of its files, by its address
	Library *corpus.Library // over its documents, kept up to date
}

// Bounds of what the finders answer.
const (
	defaultFound = 20
	maxFound     = 100
)

// workspaceTools are the tools over the user's folder, where there is one. Files are changed by the lead alone.
func workspaceTools(s *state, c Config, w *Workspace, blobs keeper) []agent.Tool {
	if c.Workspace == "" {
		return nil
	}
	if w == nil {
		w = &Workspace{} // of a replay: nothing is performed
	}
	tool := func(name string) folderTool {
		return folderTool{state: s, name: name, text: c.Prompts.Text(name), dir: c.Workspace, at: w, blobs: blobs}
	}
	tools := []agent.Tool{
		&fileTool{tool("read_file")}, &nameTool{tool("find_by_name")}, &termTool{tool("find_by_term")}, &filterTool{tool("filter_files")}, &aboutTool{tool("search_files")},
	}
	if s.lane != leadLane || c.Changes == ChangesNever {
		return tools
	}
	return append(tools, &createTool{tool("create_file")}, &moveTool{tool("move_files")}, &deleteTool{tool("delete_files")})
}

// folderTool is what the tools over the workspace have in common.
type folderTool struct {
	*state
	name  string
	text  prompts.Text
	dir   string // the workspace
	at    *Workspace
	blobs keeper
}

// A file is what a run knows of a file of the workspace. It is not changed.
type file struct {
	sha256 string // of the version that the run has read or written, hex
	own    bool   // the run wrote it
	lines  []int  // on which the blocks of its reading begin
}

// address is the URL of a file of the workspace, canonical, by its clean path.
func (t *folderTool) address(path string) string {
	canonical, err := fetch.CanonicalURL(fetch.FileURL(t.dir, path))
	if err != nil {
		return fetch.FileURL(t.dir, path)
	}
	return canonical
}

// writings are the versions of files that a run has written, by SHA-256: what it wrote is no source, for then it would cite
// itself. What is read is held against them inside of effects, and what came of that is recorded. A nil one holds nothing.
type writings struct {
	mu       sync.Mutex
	versions map[string]bool
}

// newWritings knows what is on record, so that a run that is resumed knows what it has written.
func newWritings(run *journal.Run, c Config) (*writings, error) {
	if c.Workspace == "" {
		return nil, nil
	}
	w := &writings{versions: map[string]bool{}}
	return w, run.Outcomes("change", func(_ journal.Key, body []byte) error {
		var out changed
		if json.Unmarshal(body, &out) == nil {
			w.add(out.Written...)
		}
		return nil
	})
}

func (w *writings) add(versions ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range versions {
		w.versions[v] = true
	}
}

func (w *writings) holds(version string) bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions[version]
}

// Markers are what the user has before them in the workspace (CONTEXT-1): paths and numbers, never content. The run asks if
// it wants more.
type Markers struct {
	Open      string   `json:"open_file,omitempty"`
	Recent    []string `json:"recent_files,omitempty"`
	Folder    string   `json:"folder,omitempty"`
	Cursor    *Span    `json:"cursor,omitempty"`
	Selection *Span    `json:"selection,omitempty"`
}

// A Span is lines of a file, from 1; a cursor has only the first.
type Span struct {
	File string `json:"file"`
	From int    `json:"line"`
	To   int    `json:"to,omitempty"`
}

// aboutWorkspace tells the model of the workspace and of what the user has before them. Names of files are text from
// outside.
func aboutWorkspace(c Config) string {
	if c.Workspace == "" {
		return ""
	}
	about := c.Prompts.Text("workspace")
	text := "\n" + about.Description
	if c.Markers != nil {
		text += " " + about.Note("markers") + "\n" + fence(c.Boundary).reply(c.Markers).Content
	}
	return text
}

func (t *folderTool) spec(properties ...property) llm.Tool {
	return spec(t.name, t.text, properties...)
}
