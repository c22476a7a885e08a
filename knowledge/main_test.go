package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ibid/evidence"
	"ibid/extract"
	"ibid/internal/pgtest"
	"ibid/store"
)

// The children of the kill test are this test binary, told by the environment what to do.
func TestMain(m *testing.M) {
	if what := os.Getenv("KNOWLEDGE_TEST_CHILD"); what != "" {
		if err := child(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// address is the place of a new database: a file, or on the server of TestPostgres.
func address(t testing.TB) string {
	t.Helper()
	if server := os.Getenv("KNOWLEDGE_TEST_POSTGRES"); server != "" {
		return pgtest.Schema(t, server)
	}
	return filepath.Join(t.TempDir(), "ibid.db")
}

// What holds over SQLite holds over PostgreSQL.
func TestPostgres(t *testing.T) {
	t.Setenv("KNOWLEDGE_TEST_POSTGRES", pgtest.Start(t).URL())
	for _, test := range []struct {
		name string
		f    func(*testing.T)
	}{
		{"merge", TestFactsAreMerged}, {"query", TestQuery}, {"limits", TestWhatIsAccepted}, {"queue", TestOneWorker}, {"fence", TestFencedWorker},
		{"kept", TestKeptSources}, {"model", TestModelReadsTheQueue}, {"export", TestExport}, {"kill", TestKill}, {"reports", TestReports},
	} {
		t.Run(test.name, test.f)
	}
}

const me = "reader"

func open(t testing.TB, at string) *Base {
	t.Helper()
	db, err := store.Open(context.Background(), at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &Base{DB: db}
}

// original is a source of paragraphs, as it was read.
func original(t testing.TB, url, title string, paragraphs ...string) *Original {
	t.Helper()
	raw := []byte(title + "\n" + fmt.Sprint(paragraphs))
	var blocks []extract.Block
	for i, p := range paragraphs {
		blocks = append(blocks, extract.Block{Locator: evidence.Locator{Unit: evidence.Para, A: i + 1}, Text: p, Main: true, Quotable: true})
	}
	source := evidence.Source{URL: url, Title: title, Kind: evidence.HTML, SHA256: store.Hash(raw), Fetched: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		TextSHA256: evidence.TextHash(extract.Spans("", blocks))}
	reading, err := json.Marshal(struct {
		Source evidence.Source `json:"source"`
		Blocks []extract.Block `json:"blocks"`
	}{source, blocks})
	if err != nil {
		t.Fatal(err)
	}
	return &Original{reading, raw}
}

// remember remembers the text of a source, at once.
func (b *Base) mustRemember(t testing.TB, s Snippet) Receipt {
	t.Helper()
	r, err := b.Remember(t.Context(), me, "notes", s, true)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (b *Base) mustQuery(t testing.TB, question string) Answer {
	t.Helper()
	a, err := b.Query(t.Context(), me, "notes", question)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
