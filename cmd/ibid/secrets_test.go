package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/internal/city"
	"ibid/journal"
	"ibid/runs"
	"ibid/store"
)

// TestSecretsStayOut: twenty keys are in the environment, right ones and such as are refused with an echo. None of them
// is in what is printed, in what a server answers of a whole run, in the database (as it lies on the disk and as it reads), in an export or in a log (law 10).
func TestSecretsStayOut(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes, one after the other")
	}
	c := city.Start(t, city.Options{Faults: map[int]city.Fault{2: city.ServerError, 4: city.StreamError}, SearchFaults: map[int]city.Fault{3: city.RateLimited, 5: city.ServerError}})
	dir := moveIn(t)
	t.Setenv("ANTHROPIC_BASE_URL", c.Anthropic)
	t.Setenv("OPENAI_BASE_URL", c.OpenAI)
	canaries := map[string]string{"ANTHROPIC_API_KEY": city.Key("anthropic"), "TAVILY_API_KEY": city.Key("tavily")} // right ones
	for i, name := range []string{"OPENAI_API_KEY", "BRAVE_API_KEY", "EXA_API_KEY", "SERPER_API_KEY", "SERPLY_API_KEY", "OPENALEX_API_KEY", "SEMANTIC_SCHOLAR_API_KEY", "CROSSREF_API_KEY",
		"NCBI_API_KEY", "GITHUB_TOKEN", "GEMINI_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "HALDEN_PASS", "HALDEN_TEAM", "SOME_SECRET"} {
		canaries[name] = fmt.Sprintf("canary-%02d-%s-4f9a77c1", i, strings.ToLower(strings.ReplaceAll(name, "_", "")))
	}
	for name, value := range canaries {
		t.Setenv(name, value)
	}
	config := filepath.Join(dir, "ibid.toml")
	text := string(cityConfig(c)) + "\n[[provider]]\nname = \"halden\"\nprotocol = \"openai\"\nurl = \"" + c.OpenAI + "\"\nkey_env = [\"HALDEN_PASS\"]\nheaders = { \"X-Team\" = \"team $HALDEN_TEAM\" }\nmodel = \"gpt-5\"\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	ibid := func(want int, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"--config", config}, args...), strings.NewReader(""), &out, &errs)
		fmt.Fprintf(&said, "%v\n%s\n%s\n", args, out.Bytes(), errs.Bytes())
		if code != want {
			t.Errorf("%v: exit status %d, want %d\n%.2000s", args, code, want, errs.Bytes())
		}
	}
	const question = "What makes agent runs expensive, and what fixes it?"
	ibid(exitOK, "research", "--model", "anthropic/claude-sonnet-5-5", "--search", "tavily,brave,exa,serper,serply,openalex,semanticscholar,crossref,pubmed", question)
	ibid(exitOK, "--json", "replay", "last")
	ibid(exitOK, "runs", "export", "last")
	ibid(exitConfig, "research", "--model", "openai/gpt-6.1-sol", "--search", "brave", question)
	ibid(exitConfig, "research", "--model", "halden/gpt-5", "--search", "serper", question)
	ibid(exitOK, "runs", "export", "last")
	ibid(exitOK, "runs", "show", "last")
	ibid(exitConfig, "doctor")
	ibid(exitConfig, "--json", "doctor")
	served(t, &said, question, "--config", config, "serve", "--listen", "127.0.0.1:0", "--model", "anthropic/claude-sonnet-5-5", "--search", "tavily,brave", "--approve", "auto")
	refused := 0
	for _, r := range c.Requests("api") {
		if strings.Contains(fmt.Sprint(r.Header), city.WrongKey) {
			refused++
		}
	}
	team := false
	for _, r := range c.Requests("api") {
		team = team || r.Header.Get("X-Team") != ""
	}
	if !team {
		t.Error("a provider's own header was not sent")
	}
	if refused < 8 {
		t.Errorf("only %d requests carried a wrong key", refused)
	}
	for name, body := range everything(t, filepath.Join(dir, "home")) {
		said.WriteString(name + "\n")
		said.Write(body)
	}
	if said.Len() < 300_000 {
		t.Errorf("only %d bytes were looked through", said.Len())
	}
	for name, value := range canaries {
		if i := bytes.Index(said.Bytes(), []byte(value)); i >= 0 {
			t.Errorf("%s is in the open: …%.300s…", name, said.Bytes()[max(0, i-200):])
		}
	}
}

// served has a server research a question, and adds to said all that it answers and logs.
func served(t *testing.T, said *bytes.Buffer, question string, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, args, strings.NewReader(""), in, &errs); in.Close() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.Bytes())
	}
	ask := func(method, path, body string) []byte {
		t.Helper()
		req, err := http.NewRequest(method, strings.TrimSpace(address)+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= 400 {
			t.Errorf("%s %s: %d %.500s, %v", method, path, resp.StatusCode, answer, err)
		}
		fmt.Fprintf(said, "%s %v\n%s\n", path, resp.Header, answer)
		return answer
	}
	body, err := json.Marshal(runs.Request{Question: question})
	if err != nil {
		t.Fatal(err)
	}
	var info journal.Info
	if err := json.Unmarshal(ask("POST", "/v1/runs", string(body)), &info); err != nil {
		t.Fatal(err)
	}
	of := "/v1/runs/" + info.ID
	if events := ask("GET", of+"/events", ""); !bytes.Contains(events, []byte("event: end")) {
		t.Errorf("the run did not end: %.500s", events)
	}
	for _, path := range []string{of, of + "/report.md", of + "/report.json", of + "/report.html", of + "/journal", of + "/bundle", of + "/findings", of + "/sources", of + "/sources/S1", of + "/sources/S1/raw",
		"/v1/runs", "/v1/gates?all=true", "/metrics", "/openapi.json"} {
		ask("GET", path, "")
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("the server ended with %d", code)
	}
	said.Write(errs.Bytes())
}

// everything is the files of a folder, and all that its database holds in readable form.
func everything(t *testing.T, home string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(home, "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var shas []string
	err = db.Tx(t.Context(), func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(t.Context(), "SELECT sha256 FROM blob")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var sha string
			if err := rows.Scan(&sha); err != nil {
				return err
			}
			shas = append(shas, sha)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, sha := range shas {
		if all["blob "+sha], err = db.Blob(t.Context(), sha); err != nil {
			t.Fatal(err)
		}
	}
	return all
}
