package research

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/agent"
	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/journal"
	"ibid/llm"
	"ibid/search"
	"ibid/workspace"
)

// mixed is a folder as people have them.
var mixed = map[string]string{
	"README.md":                      "# My notes\n\nEverything about the house.\n",
	"house/boiler.md":                "# The boiler\n\nThe boiler was serviced on 3 March 2025 by Ada Holm.\n\nIts pressure is to be 1.5 bar when the water is cold.\n",
	"house/Invoice 2025-118.txt":     "INVOICE 2025-118\n\nServicing of the boiler: 240 euros, paid in cash.\n",
	"house/invoice-2024.csv":         "number,euros\n2024-007,185\n2024-031,90\n",
	"garden/pears.html":              "<html><head><title>Pruning pears</title></head><body><main><h1>Pruning pears</h1><p>Pear trees are cut in winter, when it does not freeze.</p><p>Old wood is taken out first; what grows upright is shortened by a third.</p></main></body></html>",
	"garden/photo.jpg":               "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x00\x00\x00\x00",
	"letters/Relevé de situation.md": "# Relevé\n\nLe solde est de 1 250 euros.\n",
	".secret/key.txt":                "the boiler's hidden key",
	"long.md":                        long(),
}

func long() string {
	var b strings.Builder
	b.WriteString("# Log\n\n")
	for i := range 400 {
		fmt.Fprintf(&b, "On day %d the level of the well stood at %d centimetres, and nothing else was seen.\n\n", i+1, 300-i/2)
	}
	return b.String()
}

// folder makes a workspace, and what a run works with.
func folder(t testing.TB, files map[string]string) (string, *Workspace) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := over(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Root.Close() })
	return dir, w
}

func over(dir string) (*Workspace, error) {
	root, err := workspace.Open(dir)
	if err != nil {
		return nil, err
	}
	f, err := fetch.NewFolder(dir, func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })
	if err != nil {
		return nil, err
	}
	f.ReadWith(root.Read)
	l := corpus.NewLibrary(corpus.LibraryConfig{Name: "workspace", Shelf: f, Extract: extract.Extract,
		Kept: &corpus.Kept{Now: time.Now}})
	return &Workspace{Root: root, Library: l, Reader: &corpus.Reader{Fetcher: f, Extract: extract.Extract, Known: l.Reading}}, nil
}

// everyFile is what a folder holds, hidden files too.
func everyFile(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameFiles(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if other, ok := got[name]; !ok || other != text {
			t.Errorf("%s: %s is %q (there: %t), want %q", what, name, gate.Clip(other, 60), ok, gate.Clip(text, 60))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s should not be there", what, name)
		}
	}
}

// A folder is looked at in four ways, read, cited and changed; the replay needs no folder, and undoing gives it back as it
// was.
func TestWorkspaceRun(t *testing.T) {
	dir, w := folder(t, mixed)
	turns := []turn{
		{calls: []string{"plan", `{"subquestions":["When was the boiler serviced?"],"reason":"one thing"}`}},
		{calls: []string{"find_by_name", `{"pattern":"invoice"}`, "find_by_term", `{"term":"boiler was serviced"}`,
			"filter_files", `{"endings":["html","csv"],"order":"path"}`, "search_files", `{"query":"cutting fruit trees in winter"}`}},
		{calls: []string{"read_file", `{"path":"house/boiler.md"}`, "read_file", `{"path":"long.md"}`, "read_file", `{"path":"letters/Relevé de situation.md"}`}},
		{calls: []string{"read_file", `{"path":"long.md","from":"para.300"}`, "read_file", `{"path":"long.md","line":599}`, "read_file", `{"path":"garden/photo.jpg"}`, "read_file", `{"path":"../x"}`}},
		{calls: []string{"record_finding", `{"claim":"The boiler was serviced on 3 March 2025.","quote":"The boiler was serviced on 3 March 2025","span":"S1:para.2","subquestion":"q1"}`}},
		{calls: []string{"create_file", `{"path":"reports/boiler.md","content":"The boiler was serviced in April by nobody.\n"}`, "move_files", `{"moves":[{"from":"house/boiler.md","to":"house/old/boiler.md"}]}`,
			"delete_files", `{"paths":["house/invoice-2024.csv"]}`}},
		{calls: []string{"create_file", `{"path":"README.md","content":"x"}`, "create_file", `{"path":"README.md","content":"x","replace":true}`, "create_file", `{"path":"long.md","content":"short\n","replace":true}`}},
		{calls: []string{"search_files", `{"query":"boiler serviced April nobody"}`, "read_file", `{"path":"reports/boiler.md"}`, "read_file", `{"path":"long.md"}`, "read_file", `{"path":"house/old/boiler.md"}`}},
		{calls: []string{"search_web", `{"query":"boiler serviced April nobody"}`}},
		{calls: []string{"read_pages", fmt.Sprintf(`{"urls":[%q],"reason":"it looks good"}`, fetch.FileURL(dir, "reports/boiler.md"))}},
		{calls: []string{"record_finding", `{"claim":"The boiler was serviced in April.","quote":"The boiler was serviced in April","span":"S4:para.1","subquestion":"q1"}`}},
	}
	p := Parts{Model: scripted(turns...), Free: true, Search: w.Library, Reader: w.Reader, Workspace: w, Approver: gate.Auto{}}
	config, err := New("When was the boiler serviced?", budget.Standard)
	if err != nil {
		t.Fatal(err)
	}
	config.Workspace, config.Changes, config.Policy.AllowChanges = dir, ChangesAllow, true
	config.Limits.Reads = 30
	config.Markers = &Markers{Open: "house/boiler.md", Cursor: &Span{File: "house/boiler.md", From: 3}}
	j := newJournal(t)
	r, id := runIn(t, j, config, p)
	results := toolResults(t, j, id)
	if len(results) < 26 {
		t.Fatalf("%d results: %s", len(results), strings.Join(results, "\n"))
	}
	for i, want := range [][]string{
		1:  {`"path":"house/Invoice 2025-118.txt"`, `"path":"house/invoice-2024.csv"`, "!boiler.md"},
		2:  {`"path":"house/boiler.md","at":"para.2","line":3,`, "!key.txt", "!Invoice"},
		3:  {`"path":"garden/pears.html"`, `"path":"house/invoice-2024.csv"`, "!boiler.md"},
		4:  {`"path":"garden/pears.html"`, "Pear trees are cut in winter"},
		5:  {`"source":"S1"`, `"at":"para.2"`, `"line":3`, "3 March 2025", "!read_on_from"},
		6:  {`"source":"S2"`, `"read_on_from":"para.`, "On day 1 the"},
		7:  {`"source":"S3"`, "1 250 euros"},
		8:  {`"source":"S2"`, `"at":"para.300"`, "On day 299 the", "!On day 298 the"},
		9:  {`"source":"S2"`, `"line":599`, "On day 299 the", "!On day 298 the"},
		10: {"cannot be read"},
		11: {"cannot be used", `\"..\" is not followed`},
		13: {`"op":"create","path":"reports/boiler.md","done":true`},
		14: {`"to":"house/old/boiler.md","done":true`},
		15: {`"path":"house/invoice-2024.csv","done":true`},
		16: {`"done":false`, "nothing is overwritten"},
		17: {`"done":false`, "not read"},
		18: {`"op":"replace","path":"long.md","done":true`},
		19: {`"path":"reports/boiler.md"`},
		20: {"no source", "April by nobody", `!"source"`},
		21: {"no source", "short", `!"source"`},
		22: {`"source":"S1"`, "3 March 2025"},
		23: {"reports/boiler.md"},
		24: {"this run wrote it"},
		25: {"!finding\":\"F2"},
	} {
		for _, part := range want {
			unwanted, no := strings.CutPrefix(part, "!")
			if no && strings.Contains(results[i], unwanted) || !no && !strings.Contains(results[i], strings.ReplaceAll(part, `\"`, `"`)) && !strings.Contains(results[i], part) {
				t.Errorf("result %d: %s: %s", i, part, gate.Clip(results[i], 600))
			}
		}
	}
	if r.Stop != agent.StopDone || !r.Verified || len(r.Findings) != 1 || !strings.Contains(string(r.Markdown), "[S1 para.2]") || !strings.Contains(string(r.Markdown), "house/boiler.md") {
		t.Errorf("stop %s, verified %t, %d findings\n%s", r.Stop, r.Verified, len(r.Findings), r.Markdown)
	}
	after := map[string]string{}
	for name, text := range mixed {
		after[name] = text
	}
	delete(after, "house/invoice-2024.csv")
	delete(after, "house/boiler.md")
	after["house/old/boiler.md"], after["reports/boiler.md"], after["long.md"] = mixed["house/boiler.md"], "The boiler was serviced in April by nobody.\n", "short\n"
	sameFiles(t, "after the run", everyFile(t, dir), after)

	replayed := replayWithout(t, j, id, turns)
	if string(replayed.Markdown) != string(r.Markdown) || string(replayed.JSON) != string(r.JSON) {
		t.Error("the replay's report differs")
	}
	sameFiles(t, "after the replay", everyFile(t, dir), after)

	info, err := j.Info(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false, false} {
		undone, err := UndoChanges(t.Context(), j, info, w.Root, dry)
		if err != nil || len(undone) != 4 {
			t.Fatalf("undone %+v, %v", undone, err)
		}
		for _, u := range undone {
			if !u.Done {
				t.Errorf("not undone: %+v", u)
			}
		}
		if dry {
			sameFiles(t, "after looking at what would be undone", everyFile(t, dir), after)
		} else {
			sameFiles(t, "after undoing", everyFile(t, dir), mixed)
		}
	}
}

// replayWithout replays a run with nothing but its model's script.
func replayWithout(t *testing.T, j *journal.Journal, id string, turns []turn) *Result {
	t.Helper()
	again, err := j.OpenReplay(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	config, err := ParseConfig(again.Info().Config)
	if err != nil {
		t.Fatal(err)
	}
	_, p := world(t)
	replayed, err := Run(t.Context(), again, config, Parts{Model: scripted(turns...), Free: true, Search: inFolder{p.Search}})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Finish(t.Context(), "", ""); err != nil {
		t.Error(err)
	}
	return replayed
}

// A file that somebody changes while the run goes on stays what was read, and the new version is not replaced: the run has not
// seen it.
func TestFileChangedMeanwhile(t *testing.T) {
	dir, w := folder(t, mixed)
	model := scripted(turn{calls: []string{"plan", `{"subquestions":["When was the boiler serviced?"],"reason":"one thing"}`}},
		turn{calls: []string{"search_web", `{"query":"boiler serviced"}`}},
		turn{calls: []string{"read_pages", fmt.Sprintf(`{"urls":[%q],"reason":"r"}`, fetch.FileURL(dir, "house/boiler.md"))}},
		turn{calls: []string{"read_file", `{"path":"house/boiler.md"}`}},
		turn{calls: []string{"create_file", `{"path":"house/boiler.md","content":"x","replace":true}`, "delete_files", `{"paths":["house/boiler.md"]}`}})
	inner := model.Answer
	model.Answer = func(ctx context.Context, r llm.Request) (llm.Response, error) {
		if last := r.Messages[len(r.Messages)-1].Blocks[0].Result; last != nil && last.Name == "read_pages" {
			if err := os.WriteFile(filepath.Join(dir, "house/boiler.md"), []byte("# The boiler\n\nIt was sold.\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
		return inner(ctx, r)
	}
	config := configured(t)
	config.Workspace, config.Changes, config.Policy.AllowChanges = dir, ChangesAllow, true
	j := newJournal(t)
	_, id := runIn(t, j, config, Parts{Model: model, Free: true, Search: w.Library, Reader: w.Reader, Workspace: w, Approver: gate.Auto{}})
	results := toolResults(t, j, id)
	if len(results) != 6 || !strings.Contains(results[3], "3 March 2025") || !strings.Contains(results[3], "changed this file since") || strings.Contains(results[3], "sold") {
		t.Fatalf("%d results, read again: %s", len(results), results[3])
	}
	for _, result := range results[4:] {
		if !strings.Contains(result, `"done":false`) {
			t.Errorf("a version that was not seen was changed: %s", result)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "house/boiler.md")); !strings.Contains(string(data), "It was sold.") {
		t.Errorf("the file holds %q", data)
	}
}

// inFolder is a provider under the name of the workspace's.
type inFolder struct{ search.Provider }

func (inFolder) Name() string { return "workspace" }

// Nothing is changed that nobody allowed: the automatic approver denies, and a person sees exactly what would be done.
func TestChangesAreAsked(t *testing.T) {
	turns := []turn{{calls: []string{"plan", planCall}},
		{calls: []string{"create_file", `{"path":"a/b.md","content":"text"}`, "delete_files", `{"paths":["README.md","long.md"]}`, "move_files", `{"moves":[{"from":"long.md","to":"x.md"}]}`}}}
	config, err := New("What is there?", budget.Standard)
	if err != nil {
		t.Fatal(err)
	}
	dir, w := folder(t, mixed)
	config.Workspace, config.Changes = dir, ChangesAsk
	p := Parts{Model: scripted(turns...), Free: true, Reader: w.Reader, Workspace: w, Approver: gate.Auto{}}
	j := newJournal(t)
	_, id := runIn(t, j, config, p)
	for _, result := range toolResults(t, j, id)[1:] {
		if !strings.HasPrefix(result, "DENIED:") {
			t.Errorf("not denied: %s", result)
		}
	}
	sameFiles(t, "denied", everyFile(t, dir), mixed)

	p.Approver = journal.Gates{Journal: j}
	stored, _ := json.Marshal(config)
	id, err = j.Create(t.Context(), journal.Spec{Question: config.Question, Config: stored})
	if err != nil {
		t.Fatal(err)
	}
	work := func(state journal.State) *Result {
		run, err := j.Claim(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), run, config, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Finish(t.Context(), state, string(r.Stop)); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := work(journal.StateParked); r.Stop != agent.StopParked {
		t.Fatalf("stop %s", r.Stop)
	}
	sameFiles(t, "waiting", everyFile(t, dir), mixed)
	waiting, err := journal.Gates{Journal: j}.List(t.Context(), id, false)
	if err != nil || len(waiting) != 3 {
		t.Fatalf("waiting: %+v, %v", waiting, err)
	}
	asked := map[string]journal.Pending{} // calls of one turn ask at once, in no order
	for _, g := range waiting {
		asked[string(g.Request.Args)] = g
	}
	for i, want := range []string{`{"changes":[{"op":"create","path":"a/b.md","content":"text"}]}`, `{"changes":[{"op":"delete","path":"README.md"},{"op":"delete","path":"long.md"}]}`, `{"changes":[{"op":"move","path":"long.md","to":"x.md"}]}`} {
		g, ok := asked[want]
		if !ok || g.Request.Policy != gate.PolicyMutation {
			t.Errorf("not asked for %s (%s)", want, g.Request.Policy)
		}
		if _, err := (journal.Gates{Journal: j}).Answer(t.Context(), g.ID, gate.Answer{Allow: i != 1, By: "reader"}); err != nil {
			t.Fatal(err)
		}
	}
	work(journal.StateDone)
	want := map[string]string{"a/b.md": "text", "x.md": mixed["long.md"]}
	for name, text := range mixed {
		if name != "long.md" {
			want[name] = text
		}
	}
	sameFiles(t, "two of three allowed", everyFile(t, dir), want)
}

// What is offered is what was configured: nothing without a workspace, no changes where they are never made, and none to the
// members of a team.
func TestWorkspaceToolsOffered(t *testing.T) {
	_, p := world(t)
	count := func(c Config, lane string) (n int) {
		s := newState("q", corpus.New())
		s.lane = lane
		return len(toolset(s, c, p, nil))
	}
	plain := count(Config{}, leadLane)
	for _, c := range []struct {
		config Config
		lane   string
		more   int
	}{{Config{Workspace: "/w", Changes: ChangesAsk}, leadLane, 8}, {Config{Workspace: "/w", Changes: ChangesNever}, leadLane, 5}, {Config{Workspace: "/w", Changes: ChangesAllow}, "a1", 5}} {
		if got := count(c.config, c.lane); got != plain+c.more {
			t.Errorf("%+v: %d tools more, want %d", c, got-plain, c.more)
		}
	}
	c := Config{Question: "q", Boundary: "abc", Workspace: "/w", Prompts: configured(t).Prompts, Markers: &Markers{Open: "a.md", Recent: []string{"b.md"}, Folder: "notes", Cursor: &Span{File: "a.md", From: 3}, Selection: &Span{File: "a.md", From: 3, To: 9}}}
	text := aboutWorkspace(c)
	if !strings.Contains(text, `{"open_file":"a.md","recent_files":["b.md"],"folder":"notes","cursor":{"file":"a.md","line":3},"selection":{"file":"a.md","line":3,"to":9}}`) || !strings.Contains(text, "[untrusted abc]") {
		t.Errorf("markers: %s", text)
	}
	if aboutWorkspace(Config{}) != "" {
		t.Error("a run without a workspace is told of one")
	}
}

// configured is a configuration with this program's prompts.
func configured(t *testing.T) Config {
	t.Helper()
	c, err := New("q", budget.Standard)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
