package research

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ibid/budget"
	"ibid/gate"
	"ibid/journal"
	"ibid/store"
)

// The child of the kill test is this test binary, told by the environment to work on a run.
func TestMain(m *testing.M) {
	if id := os.Getenv("IBID_TEST_CHANGES"); id != "" {
		if err := changing(os.Getenv("IBID_TEST_DB"), id, os.Getenv("IBID_TEST_DIR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// changing works on a run of changes, and says when it begins.
func changing(db, id, dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, db)
	if err != nil {
		return err
	}
	defer s.Close()
	run, err := journal.Open(s, journal.Options{}).Claim(ctx, id)
	if err != nil {
		return err
	}
	w, err := over(dir)
	if err != nil {
		return err
	}
	c, err := ParseConfig(run.Info().Config)
	if err != nil {
		return err
	}
	fmt.Println("at work")
	r, err := Run(ctx, run, c, Parts{Model: scripted(changes()...), Free: true, Reader: w.Reader, Workspace: w, Approver: gate.Auto{}})
	if err != nil {
		return err
	}
	return run.Finish(ctx, journal.StateDone, string(r.Stop))
}

// rounds of the script: each makes, reads and replaces, moves and deletes.
const changeRounds = 12

// changes is the script of a run that does much to a folder: some calls of one step at a time.
func changes() (turns []turn) {
	turns = append(turns, turn{calls: []string{"plan", planCall}})
	for i := range changeRounds {
		turns = append(turns, turn{calls: []string{"read_file", fmt.Sprintf(`{"path":"in/%d.md"}`, i)}},
			turn{calls: []string{"create_file", fmt.Sprintf(`{"path":"new/%d/made.md","content":%q}`, i, bulk("made", i)), "create_file", fmt.Sprintf(`{"path":"in/%d.md","replace":true,"content":%q}`, i, bulk("replaced", i)),
				"move_files", fmt.Sprintf(`{"moves":[{"from":"a/%d.md","to":"moved/%d.md"},{"from":"b/%d.md","to":"a/b%d.md"}]}`, i, i, i, i), "delete_files", fmt.Sprintf(`{"paths":["c/%d.md","d/%d.md"]}`, i, i)}})
	}
	return turns
}

func bulk(what string, i int) string { return strings.Repeat(fmt.Sprint(what, " ", i, "\n"), 3000) }

// changeable is a folder for the script, what it holds at the end, every whole file that there may be, and a run of it.
type changeable struct {
	dir, db, id string
	start, want map[string]string
	whole       map[string]bool
	w           *Workspace
	j           *journal.Journal
}

func newChangeable(t *testing.T) *changeable {
	t.Helper()
	k := &changeable{start: map[string]string{}, want: map[string]string{}, whole: map[string]bool{}, db: filepath.Join(t.TempDir(), "ibid.db")}
	for i := range changeRounds {
		for _, folder := range []string{"in", "a", "b", "c", "d"} {
			k.start[fmt.Sprintf("%s/%d.md", folder, i)] = bulk(folder, i)
			k.whole[bulk(folder, i)] = true
		}
		k.want[fmt.Sprintf("new/%d/made.md", i)], k.want[fmt.Sprintf("in/%d.md", i)] = bulk("made", i), bulk("replaced", i)
		k.want[fmt.Sprintf("moved/%d.md", i)], k.want[fmt.Sprintf("a/b%d.md", i)] = bulk("a", i), bulk("b", i)
		k.whole[bulk("made", i)], k.whole[bulk("replaced", i)] = true, true
	}
	k.dir, k.w = folder(t, k.start)
	s, err := store.Open(t.Context(), k.db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	k.j = journal.Open(s, journal.Options{})
	c, err := New("What is there?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	c.Workspace, c.Changes, c.Policy.AllowChanges, c.Team = k.dir, ChangesAllow, true, nil
	c.Limits.Millis, c.Limits.Steps, c.Limits.Reads = 3_600_000, 100, 100
	stored, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if k.id, err = k.j.Create(t.Context(), journal.Spec{Question: c.Question, Config: stored}); err != nil {
		t.Fatal(err)
	}
	return k
}

// work lets another process work on the run, and kills it after a while; 0: never. It says whether the run came to its end.
func (k *changeable) work(t *testing.T, after time.Duration) (ended bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "IBID_TEST_CHANGES="+k.id, "IBID_TEST_DB="+k.db, "IBID_TEST_DIR="+k.dir)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	begun := bufio.NewScanner(out).Scan()
	if after > 0 {
		stop := time.AfterFunc(after, func() { cmd.Process.Kill() })
		defer stop.Stop()
	}
	err = cmd.Wait()
	if err != nil && (!strings.Contains(err.Error(), "killed") || !begun) {
		t.Fatalf("the child failed: %v\n%s", err, said.String())
	}
	for name, text := range everyFile(t, k.dir) {
		if !k.whole[text] && !strings.Contains(name, ".ibid-") {
			t.Fatalf("%s is torn: %d bytes", name, len(text))
		}
	}
	return err == nil
}

// undo takes everything back and compares.
func (k *changeable) undo(t *testing.T) {
	t.Helper()
	info, err := k.j.Info(t.Context(), k.id)
	if err != nil {
		t.Fatal(err)
	}
	results, err := UndoChanges(t.Context(), k.j, info, k.w.Root, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.Done {
			t.Errorf("not undone: %+v", r)
		}
	}
	left := everyFile(t, k.dir)
	for name := range left {
		if strings.Contains(name, ".ibid-") { // of a change that was not made; the next change in its folder takes it away
			delete(left, name)
		}
	}
	sameFiles(t, "undone", left, k.start)
}

// A run that changes a folder and is killed at random moments, again and again, leaves at its end what one leaves that was
// not; at no moment is a file torn; and undoing gives everything back.
func TestKilledChanges(t *testing.T) {
	kills := *kills
	if testing.Short() {
		kills = 5
	}
	k := newChangeable(t)
	rnd := rand.New(rand.NewPCG(9, 26))
	killed := 0
	for ended := false; !ended; {
		var after time.Duration
		if killed < kills {
			after = time.Duration(rnd.IntN(120_000)+1) * time.Microsecond
		}
		if ended = k.work(t, after); !ended {
			killed++
		}
	}
	got := everyFile(t, k.dir)
	for name := range got {
		if strings.Contains(name, ".ibid-") {
			t.Errorf("%s was left", name)
		}
	}
	sameFiles(t, "at the end", got, k.want)
	for _, result := range toolResults(t, k.j, k.id) {
		if strings.Contains(result, `"done":false`) || strings.Contains(result, "was not made") {
			t.Errorf("a change was not made: %s", gate.Clip(result, 300))
		}
	}
	k.undo(t)
	doubts, err := k.j.Doubts(t.Context(), k.id)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("killed %d times, %d effects were in doubt", killed, len(doubts))
}

// What a run did that was killed and never goes on is undone like any other.
func TestKilledAndUndone(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for range max(*kills/5, 2) {
		k := newChangeable(t)
		k.work(t, time.Duration(30_000+rnd.IntN(250_000))*time.Microsecond)
		k.undo(t)
	}
}

var kills = flag.Int("kills", 20, "how often a run of changes is killed")
