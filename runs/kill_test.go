package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"ibid/budget"
	"ibid/corpus"
	"ibid/extract"
	"ibid/fetch"
	"ibid/gate"
	"ibid/internal/pgtest"
	"ibid/journal"
	"ibid/llm"
	"ibid/research"
	"ibid/search"
	"ibid/store"
)

// The child of the kill test is this test binary, told by the environment to work on a run.
func TestMain(m *testing.M) {
	if os.Getenv("IBID_TEST_POOL") != "" {
		if err := poolChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("IBID_TEST_WORK") != "" {
		if err := child(os.Getenv("IBID_TEST_DB"), os.Getenv("IBID_TEST_WORK"), os.Getenv("IBID_TEST_WORLD")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program is this test binary as another process, which starts like ibid does and not like a test.
func program() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Args[0] = "ibid"
	return cmd
}

// child works on one run and writes its report to stdout. Whatever it performs, it asks the world for, which counts.
func child(db, id, world string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, db)
	if err != nil {
		return err
	}
	defer s.Close()
	result, err := engine(journal.Open(s, journal.Options{}), world).Work(ctx, id)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(result.Markdown)
	return err
}

// ask tells the world what is about to be performed, and gets its answer.
func (w remote) ask(ctx context.Context, what, body string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.world+"?what="+what, strings.NewReader(body+w.who))
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	return string(out), err
}

func engine(j *journal.Journal, world string) *Engine {
	return &Engine{Journal: j, Build: func(context.Context, research.Config, bool) (research.Parts, func() error, error) {
		w := remote{world: world}
		model := llm.Local{ID: "remote", Answer: w.answer}
		return research.Parts{Model: &model, Free: true, Search: w, Reader: &corpus.Reader{Fetcher: w, Extract: extract.Extract}, Approver: gate.Auto{}}, func() error { return nil }, nil
	}}
}

// remote is a model, a search engine and a web in another process.
type remote struct{ world, who string }

func (remote) Name() string { return "remote" }

func (w remote) Search(ctx context.Context, query string, _ int) (search.Answer, error) {
	if _, err := w.ask(ctx, "search", query); err != nil {
		return search.Answer{}, err
	}
	n := strings.TrimPrefix(query, "topic ")
	return search.Answer{Results: []search.Result{{Title: "Page " + n, URL: "https://pages.example/" + n}, {Title: "Page 7", URL: "https://pages.example/7"},
		{Title: "Page 7, elsewhere", URL: "https://elsewhere.example/7"}}}, nil
}

func (w remote) Fetch(ctx context.Context, url string) (*fetch.Document, error) {
	if _, err := w.ask(ctx, "fetch", url); err != nil {
		return nil, err
	}
	n := url[strings.LastIndexByte(url, '/')+1:]
	body := fmt.Sprintf("<html><title>Page %s</title><body><p>The station at mile %s recorded %s hundred litres of rain in the spring.</p></body></html>", n, n, n)
	return &fetch.Document{Requested: url, URL: url, ContentType: "text/html", Body: []byte(body), Fetched: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil
}

const rounds = 10 // searches, reads and findings; with the model's turns 50 effects

// answer asks the world, which counts, and says what this step of the script is.
func (w remote) answer(ctx context.Context, r llm.Request) (llm.Response, error) {
	step := 0
	for _, m := range r.Messages {
		if m.Role == llm.Assistant {
			step++
		}
	}
	lane := laneOf(r)
	if _, err := w.ask(ctx, "model", fmt.Sprint(lane, " ", step)); err != nil {
		return llm.Response{}, err
	}
	if strings.Contains(r.Messages[0].Blocks[0].Text, threePlaces) {
		return inTeam(lane, step, w.who != ""), nil
	}
	resp := llm.Response{Stop: llm.StopTools, Usage: llm.Usage{Known: true}}
	call := func(name, args string) {
		resp.Blocks = append(resp.Blocks, llm.Block{Call: &llm.ToolCall{ID: fmt.Sprintf("c%d", step), Name: name, Args: args}})
	}
	switch n := (step-1)/3 + 1; {
	case step == 0:
		call("plan", `{"subquestions":["How much rain fell?"],"reason":"one thing"}`)
	case n > rounds:
		resp.Stop = llm.StopEnd
	case step%3 == 1:
		call("search_web", fmt.Sprintf(`{"query":"topic %d"}`, n))
	case step%3 == 2:
		call("read_pages", fmt.Sprintf(`{"urls":["https://pages.example/%d"],"reason":"r"}`, n))
	default:
		call("record_finding", fmt.Sprintf(`{"claim":"The station at mile %d recorded %d hundred litres of rain in the spring.","quote":"The station at mile %d recorded %d hundred litres of rain in the spring.","span":"S%d:para.1","subquestion":"q1"}`, n, n, n, n, n))
	}
	return resp, nil
}

// A run that is killed at random moments, again and again, ends with the report of one that was not, and nothing that is
// on record was performed twice (law 4).
func TestKilledRunsResume(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	kills := 100
	config, err := research.New("How much rain fell?", budget.Deep)
	if err != nil {
		t.Fatal(err)
	}
	config.Limits = budget.Limits{Steps: 200}
	killing{config: config, kills: kills, sources: rounds}.test(t)
	t.Run("postgres", func(t *testing.T) {
		killing{config: config, kills: (kills + 2) / 3, sources: rounds, database: pgtest.Start(t).Schema(t)}.test(t)
	})
}

// A killing is a run that is killed, again and again.
type killing struct {
	config  research.Config
	kills   int
	sources int // in the report
	agents  int // that it spawns

	database string // where; "" is a file
}

func (k killing) test(t *testing.T) {
	ctx := context.Background()
	var mu sync.Mutex
	performed := map[string]int{}
	world := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		mu.Lock()
		performed[r.URL.Query().Get("what")+" "+string(body)]++
		mu.Unlock()
	}))
	defer world.Close()
	path := k.database
	if path == "" {
		path = filepath.Join(t.TempDir(), "ibid.db")
	}
	db, err := store.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{})
	start := func() string {
		id, err := engine(j, world.URL).Start(ctx, k.config)
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		clear(performed)
		mu.Unlock()
		return id
	}
	work := func(id string, killAfter time.Duration) (report []byte, killed bool) {
		cmd := program()
		cmd.Env = append(os.Environ(), "IBID_TEST_WORK="+id, "IBID_TEST_DB="+path, "IBID_TEST_WORLD="+world.URL)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		if killAfter > 0 {
			select {
			case err := <-done:
				if err != nil {
					t.Fatalf("%v\n%s", err, errs.String())
				}
				return out.Bytes(), false
			case <-time.After(killAfter):
				if err := cmd.Process.Kill(); err != nil {
					t.Log(err)
				}
				<-done
				return nil, true
			}
		}
		if err := <-done; err != nil {
			t.Fatalf("%v\n%s", err, errs.String())
		}
		return out.Bytes(), false
	}
	began := time.Now()
	want, _ := work(start(), 0)
	whole := time.Since(began)
	if n := bytes.Count(want, []byte("\n- **S")); n != k.sources {
		t.Fatalf("the report of the undisturbed run has %d sources, want %d:\n%s", n, k.sources, want)
	}
	killed, resumed, doubted := 0, 0, 0
	for killed < k.kills {
		id := start()
		for {
			// Up to the time of a whole run, so that every moment is hit; the run gets further each time.
			report, was := work(id, time.Duration(rand.Int64N(int64(whole)))+time.Millisecond)
			if was {
				killed++
				info, err := j.Info(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				if !info.State.Over() {
					continue
				}
				result, err := engine(j, world.URL).Result(ctx, id) // killed between its end and its last word
				if err != nil {
					t.Fatal(err)
				}
				report = result.Markdown
			}
			resumed++
			if got, want := withoutIDs(report), withoutIDs(want); got != want {
				t.Fatalf("after kills the report differs:\n%s\n--- want\n%s", got, want)
			}
			break
		}
		events, err := j.Events(ctx, id, 0, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		effects, doubts := 0, map[string]int64{}
		for _, e := range events {
			if e.State == "note" {
				continue
			}
			effects++
			request, err := j.Request(ctx, id, e.Seq)
			if err != nil {
				t.Fatal(err)
			}
			doubts[what(t, e.Kind, request)] += e.Doubts
			doubted += int(e.Doubts)
		}
		if effects < 30 {
			t.Fatalf("%d effects; the test wants at least 30", effects)
		}
		if n, err := j.Count(ctx, id, "spawn"); err != nil || n != k.agents {
			t.Errorf("%d agents were spawned, want %d: %v", n, k.agents, err)
		}
		mu.Lock()
		for what, n := range performed {
			if int64(n) > 1+doubts[what] {
				t.Errorf("%q was performed %d times, and only %d of them were in doubt", what, n, doubts[what])
			}
		}
		mu.Unlock()
	}
	t.Logf("%d kills, %d runs resumed to the same report, %d effects in doubt", killed, resumed, doubted)
}

// what names an effect as the world does.
func what(t testing.TB, kind string, request []byte) string {
	switch kind {
	case "model":
		var r llm.Request
		if err := json.Unmarshal(request, &r); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, m := range r.Messages {
			if m.Role == llm.Assistant {
				n++
			}
		}
		return fmt.Sprint("model ", laneOf(r), " ", n)
	case "search":
		var r struct{ Query string }
		if err := json.Unmarshal(request, &r); err != nil {
			t.Fatal(err)
		}
		return "search " + r.Query
	}
	var r struct{ URL string }
	if err := json.Unmarshal(request, &r); err != nil {
		t.Fatal(err)
	}
	return kind + " " + r.URL
}

var volatile = regexp.MustCompile(`(?mi)^.*(\brun [0-9a-z]{12}\b|seconds|\d s\b).*$`)

// withoutIDs drops the lines that name the run or its time: two runs differ there, a replay does not.
func withoutIDs(report []byte) string { return volatile.ReplaceAllString(string(report), "") }
