package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/fetch"
	"ibid/llm"
	"ibid/workspace"
)

// Properties that several finders have.
var (
	folderProperty = property{"folder", `{"type":"string"}`, false}
	limitProperty  = property{"limit", `{"type":"integer","minimum":1,"maximum":100}`, false}
)

// found is what a finder has found: the recorded outcome, and what the model reads.
type found struct {
	Files   []workspace.File      `json:"files,omitempty"`
	Matches []workspace.TermMatch `json:"matches,omitempty"`
	Results []aboutResult         `json:"results,omitempty"`
	More    int                   `json:"more,omitempty"`    // that fit as well
	Cut     bool                  `json:"cut,omitempty"`     // not all of the workspace was looked at
	Note    string                `json:"note,omitempty"`    // of the finder
	Refused string                `json:"refused,omitempty"` // why nothing was looked for
}

// find makes the action of a finder: a look at the folder that is recorded.
func (t *folderTool) find(args any, look func(ctx context.Context) (found, error)) agent.Action {
	return agent.Action{
		Effects: []agent.Effect{{Kind: "find", Input: map[string]any{"tool": t.name, "arguments": args}, Run: func(ctx context.Context) ([]byte, budget.Amount, error) {
			out, err := look(ctx)
			if refused := (*workspace.Refused)(nil); errors.As(err, &refused) {
				out, err = found{Refused: refused.Error()}, nil
			}
			return toJSON(out), budget.Amount{}, err
		}}},
		Then: func(outcomes []agent.Outcome) agent.Result {
			var out found
			switch err := outcomes[0].Err; {
			case err != nil:
				return refuse(err)
			case json.Unmarshal(outcomes[0].Body, &out) != nil:
				return refuse(t.text.Error("unread"))
			case out.Refused != "":
				return refuse(t.text.Error("refused", "reason", out.Refused))
			}
			t.mu.Lock()
			t.tainted = true // names of files are text from outside
			t.mu.Unlock()
			if len(out.Files)+len(out.Matches)+len(out.Results) == 0 {
				out.Note = strings.TrimSpace(out.Note + " " + t.text.Note("nothing"))
			}
			return t.fence.reply(out)
		},
	}
}

// limit is how many a finder lists.
func limit(n int) int {
	if n <= 0 {
		return defaultFound
	}
	return min(n, maxFound)
}

// nameTool finds files by what they are called.
type nameTool struct{ folderTool }

func (t *nameTool) Spec() llm.Tool {
	return t.spec(property{"pattern", `{"type":"string"}`, true}, folderProperty, limitProperty)
}

func (t *nameTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Pattern string `json:"pattern"`
		Folder  string `json:"folder"`
		Limit   int    `json:"limit"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	if strings.TrimSpace(args.Pattern) == "" {
		return agent.Action{}, t.text.Error("empty")
	}
	args.Limit = limit(args.Limit)
	return t.find(args, func(ctx context.Context) (found, error) {
		l, err := t.at.Root.ByName(ctx, args.Pattern, args.Folder, args.Limit)
		return found{Files: l.Files, More: l.More, Cut: l.Cut}, err
	}), nil
}

// filterTool finds files by their ending, their size, and when they were changed.
type filterTool struct{ folderTool }

func (t *filterTool) Spec() llm.Tool {
	return t.spec(property{"endings", `{"type":"array","items":{"type":"string"}}`, false},
		property{"min_bytes", `{"type":"integer","minimum":0}`, false}, property{"max_bytes", `{"type":"integer","minimum":0}`, false},
		property{"changed_after", `{"type":"string"}`, false}, property{"changed_before", `{"type":"string"}`, false},
		property{"order", `{"type":"string","enum":["path","newest","oldest","largest","smallest"]}`, false}, folderProperty, limitProperty)
}

func (t *filterTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Endings []string        `json:"endings"`
		Min     int64           `json:"min_bytes"`
		Max     int64           `json:"max_bytes"`
		After   string          `json:"changed_after"`
		Before  string          `json:"changed_before"`
		Order   workspace.Order `json:"order"`
		Folder  string          `json:"folder"`
		Limit   int             `json:"limit"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	conditions := workspace.Conditions{Endings: args.Endings, AtLeast: args.Min, AtMost: args.Max, Folder: args.Folder, Order: args.Order}
	for _, moment := range []struct {
		text string
		to   *time.Time
	}{{args.After, &conditions.After}, {args.Before, &conditions.Before}} {
		var err error
		if *moment.to, err = day(moment.text); err != nil {
			return agent.Action{}, t.text.Error("bad_time", "time", moment.text)
		}
	}
	if len(args.Endings) == 0 && args.Min == 0 && args.Max == 0 && args.After == "" && args.Before == "" && args.Order == "" {
		return agent.Action{}, t.text.Error("empty")
	}
	args.Limit = limit(args.Limit)
	return t.find(args, func(ctx context.Context) (found, error) {
		l, err := t.at.Root.Filter(ctx, conditions, args.Limit)
		return found{Files: l.Files, More: l.More, Cut: l.Cut}, err
	}), nil
}

// day reads a date or a moment; "" is none.
func day(text string) (time.Time, error) {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04", time.DateTime} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date", text)
}

// termTool finds words in the text of files.
type termTool struct{ folderTool }

func (t *termTool) Spec() llm.Tool {
	return t.spec(property{"term", `{"type":"string"}`, true}, property{"name", `{"type":"string"}`, false}, folderProperty, limitProperty)
}

func (t *termTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Term   string `json:"term"`
		Name   string `json:"name"`
		Folder string `json:"folder"`
		Limit  int    `json:"limit"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	if strings.TrimSpace(args.Term) == "" || len(args.Term) > maxQuery {
		return agent.Action{}, t.text.Error("empty")
	}
	args.Limit = limit(args.Limit)
	return t.find(args, func(ctx context.Context) (found, error) {
		m, err := t.at.Root.ByTerm(ctx, workspace.Term{Words: args.Term, Name: args.Name, Folder: args.Folder, Most: args.Limit}, t.texts())
		out := found{Matches: m.Matches, More: m.More, Cut: m.Cut}
		if m.Unread > 0 {
			out.Note = t.text.Note("unread", "n", m.Unread)
		}
		return out, err
	}), nil
}

// texts is how the workspace reads the text of its files.
func (t *folderTool) texts() workspace.Texts {
	return workspace.Texts{
		Read: func(ctx context.Context, path string) ([]workspace.Passage, error) {
			reading, err := t.at.Reader.Read(ctx, t.address(path))
			if u := (*fetch.Unavailable)(nil); errors.As(err, &u) {
				return nil, &workspace.Refused{Path: path, Reason: u.Reason}
			} else if err != nil {
				return nil, err
			}
			lines := linesOf(reading)
			var passages []workspace.Passage
			for i, b := range reading.Blocks {
				p := workspace.Passage{At: b.Locator.String(), Text: b.Text}
				if lines != nil {
					p.Line = lines[i]
				}
				passages = append(passages, p)
			}
			return passages, nil
		},
		Prepare: t.at.Library.Renew,
		Known:   func(path string) (string, bool) { return t.at.Library.Text(t.address(path)) },
	}
}

// aboutTool finds files by what they are about.
type aboutTool struct{ folderTool }

// aboutResult is a file that is about what was asked for.
type aboutResult struct {
	Path  string `json:"path"`
	Title string `json:"title,omitempty"`
	Text  string `json:"untrusted_text,omitempty"`
}

func (t *aboutTool) Spec() llm.Tool {
	return t.spec(property{"query", `{"type":"string"}`, true}, folderProperty, limitProperty)
}

func (t *aboutTool) Admit(c agent.Call) (agent.Action, error) {
	var args struct {
		Query  string `json:"query"`
		Folder string `json:"folder"`
		Limit  int    `json:"limit"`
	}
	if err := agent.Decode(c.Args, &args); err != nil {
		return agent.Action{}, err
	}
	if strings.TrimSpace(args.Query) == "" || len(args.Query) > maxQuery {
		return agent.Action{}, t.text.Error("empty")
	}
	if args.Limit == 0 {
		args.Limit = maxResults
	}
	args.Limit = limit(args.Limit)
	return t.find(args, func(ctx context.Context) (found, error) {
		folder, err := t.at.Root.Folder(args.Folder)
		if err != nil {
			return found{}, err
		}
		n := args.Limit
		if folder != "" {
			n = 10 * maxFound // of which those in the folder are taken
		}
		answer, err := t.at.Library.Search(ctx, args.Query, n)
		if err != nil {
			return found{}, err
		}
		out := found{}
		for _, r := range answer.Results {
			path, ok := t.path(r.URL)
			if !ok || folder != "" && !strings.HasPrefix(path, folder+"/") || len(out.Results) == args.Limit {
				continue
			}
			out.Results = append(out.Results, aboutResult{path, r.Title, r.Snippet})
		}
		if n := len(t.at.Library.Skipped()); n > 0 {
			out.Note = t.text.Note("skipped", "n", n)
		}
		return out, nil
	}), nil
}

// path is the way back from an address.
func (t *folderTool) path(address string) (path string, ok bool) {
	base := strings.TrimSuffix(fetch.FilePath(t.address("x")), "x")
	path, ok = strings.CutPrefix(fetch.FilePath(address), base)
	return path, ok && path != ""
}
