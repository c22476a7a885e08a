package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ibid/agent"
	"ibid/budget"
	"ibid/llm"
	"ibid/workspace"
)

// changed is the recorded outcome of changes.
type changed struct {
	Results []workspace.Result `json:"results"`
	Written []string           `json:"written,omitempty"` // versions that were written, by SHA-256, hex
}

// A changeRequest is exactly what is asked for, and shown to the person who decides.
type changeRequest struct {
	Changes []workspace.Change `json:"changes"`
}

// change makes the action of changes: what is there is looked at and recorded, with the bytes that would be lost, before
// anything is touched; a crash in between is told from the record.
func (t *folderTool) change(list []workspace.Change) (agent.Action, error) {
	list, err := workspace.Check(list)
	if err != nil {
		return agent.Action{}, t.text.Error("bad_path", "reason", err)
	}
	t.mu.RLock()
	for i, c := range list {
		if f := t.files[c.Path]; f != nil && c.Op != workspace.Create {
			list[i].Was = f.sha256
		}
	}
	t.mu.RUnlock()
	var seen workspace.Seen
	e := agent.Effect{Kind: "change", Input: changeRequest{list}, Mutates: true,
		Look: func(ctx context.Context) ([]byte, error) {
			seen, err := t.at.Root.Look(ctx, list, func(data []byte) (string, error) { return t.blobs.PutBlob(ctx, data) })
			return toJSON(seen), err
		},
		See: func(record []byte) { _ = json.Unmarshal(record, &seen) },
		Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
			out := changed{}
			for _, c := range list {
				if c.Op == workspace.Create || c.Op == workspace.Replace {
					out.Written = append(out.Written, workspace.Sum([]byte(c.Content)))
				}
			}
			t.written.add(out.Written...)
			var err error
			out.Results, err = t.at.Root.Apply(ctx, list, seen)
			return toJSON(out), budget.Amount{}, err
		},
	}
	return agent.Action{Effects: []agent.Effect{e}, Then: func(outcomes []agent.Outcome) agent.Result { return t.changed(list, outcomes[0]) }}, nil
}

// changed keeps in mind what was changed, and tells it.
func (t *folderTool) changed(list []workspace.Change, o agent.Outcome) agent.Result {
	var denied *agent.Denied
	var out changed
	switch {
	case errors.As(o.Err, &denied):
		return refuse(o.Err)
	case o.Err != nil:
		return refuse(t.text.Error("failed", "reason", o.Err))
	case json.Unmarshal(o.Body, &out) != nil || len(out.Results) != len(list):
		return refuse(t.text.Error("failed", "reason", "its record cannot be read"))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	failures := 0
	for i, r := range out.Results {
		if !r.Done {
			failures++
			continue
		}
		t.changes++
		switch c := list[i]; c.Op {
		case workspace.Create, workspace.Replace:
			version := workspace.Sum([]byte(c.Content))
			t.written.add(version)
			t.files[c.Path] = &file{sha256: version, own: true}
		case workspace.Move:
			if f := t.files[c.Path]; f != nil {
				t.files[c.To] = f
			}
			delete(t.files, c.Path)
		case workspace.Delete:
			delete(t.files, c.Path)
		}
	}
	result := t.fence.reply(struct {
		Changes []workspace.Result `json:"changes"`
	}{out.Results})
	result.IsError = failures > 0
	return result
}

// createTool makes a file, or a new version of one that was read.
type createTool struct{ folderTool }

func (t *createTool) Spec() llm.Tool {
	return t.spec(property{"path", `{"type":"string"}`, true}, property{"content", `{"type":"string"}`, true}, property{"replace", `{"type":"boolean"}`, false})
}

func (t *createTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
		Replace bool    `json:"replace"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	if args.Content == nil {
		return agent.Action{}, t.text.Error("no_content")
	}
	op := workspace.Create
	if args.Replace {
		op = workspace.Replace
	}
	return t.change([]workspace.Change{{Op: op, Path: args.Path, Content: *args.Content}})
}

// moveTool moves and renames files.
type moveTool struct{ folderTool }

func (t *moveTool) Spec() llm.Tool {
	return t.spec(property{"moves", fmt.Sprintf(`{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}},"required":["from","to"],"additionalProperties":false}}`, workspace.MaxChanges), true})
}

func (t *moveTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Moves []struct {
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"moves"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	var list []workspace.Change
	for _, m := range args.Moves {
		list = append(list, workspace.Change{Op: workspace.Move, Path: m.From, To: m.To})
	}
	return t.change(list)
}

// deleteTool deletes files.
type deleteTool struct{ folderTool }

func (t *deleteTool) Spec() llm.Tool {
	return t.spec(property{"paths", fmt.Sprintf(`{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"string"}}`, workspace.MaxChanges), true})
}

func (t *deleteTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Paths []string `json:"paths"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	var list []workspace.Change
	for _, path := range args.Paths {
		list = append(list, workspace.Change{Op: workspace.Delete, Path: path})
	}
	return t.change(list)
}
