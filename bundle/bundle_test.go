package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"ibid/audit"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
	"ibid/internal/testset"
	"ibid/journal"
	"ibid/report"
	"ibid/store"
)

// web is what the run of these tests reads: a page with an exchange, and a file of the reader's own.
var web = map[string]*fetch.Document{
	"https://ferry.example/log?year=2024": {ContentType: "text/html; charset=utf-8", Fetched: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		Body: []byte("<!doctype html><html lang=en><title>The ferry's log</title><main><h1>The ferry's log</h1><p>The ferry carried 412 wagons in 2024, and none was lost.</p><p>Its engine was changed in May.</p></main></html>"),
		Exchange: &fetch.Exchange{Status: 200, Asked: http.Header{"User-Agent": {"ibid/test"}, "Accept": {"*/*"}},
			Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Etag": {`"7"`}, "Link": {"</a>; rel=next", "broken\r\nX: y"}}}},
	"file:///home/reader/notes.txt": {ContentType: "text/plain", Fetched: time.Date(2026, 2, 3, 4, 5, 7, 0, time.UTC),
		Body: []byte("The harbour was dredged twice that year.\n\nThe pilots asked for a third time, and got none.\n")},
}

func (w webOf) Fetch(_ context.Context, url string) (*fetch.Document, error) {
	d := *w[url]
	d.Requested, d.URL = url, url
	return &d, nil
}

type webOf map[string]*fetch.Document

// input makes a run: its journal and the machine form of its report.
func input(t testing.TB) Input {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "ibid.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	j := journal.Open(db, journal.Options{NewID: func() string { return "0123456789ab" }, Owner: "h/1/n", Now: func() time.Time { return time.Date(2026, 2, 3, 4, 5, 8, 0, time.UTC) }})
	id, err := j.Create(ctx, journal.Spec{Question: "How many wagons did the ferry carry?"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := j.Claim(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	c := corpus.New()
	reader := &corpus.Reader{Fetcher: webOf(web), Extract: extract.Extract}
	for i, url := range []string{"https://ferry.example/log?year=2024", "file:///home/reader/notes.txt"} {
		d, err := journal.Do(ctx, run, journal.Effect{Key: journal.Key("lead/1/tool.0/fetch." + string(rune('0'+i))), Kind: "fetch"}, url,
			func(ctx context.Context) (fetched, journal.Amount, error) {
				r, err := reader.Read(ctx, url)
				if err == nil {
					_, err = run.PutBlob(ctx, r.Raw)
				}
				return fetched{r}, journal.Amount{Reads: 1}, err
			})
		if err != nil {
			t.Fatal(err)
		}
		c.Ingest(*d.Value.Reading)
	}
	if err := run.Finish(ctx, journal.StateDone, "done"); err != nil {
		t.Fatal(err)
	}
	var exported bytes.Buffer
	if err := j.Export(ctx, id, &exported); err != nil {
		t.Fatal(err)
	}
	data, err := report.JSON(reportOf(t, c, id))
	if err != nil {
		t.Fatal(err)
	}
	return Input{Report: data, Journal: exported.Bytes(), Program: "v1.2.3"}
}

type fetched struct {
	Reading *corpus.Reading `json:"reading"`
}

func reportOf(t testing.TB, c *corpus.Corpus, run string) ([]byte, report.Input) {
	t.Helper()
	rec := audit.Record{Question: "How many wagons did the ferry carry?", Sources: c.Sources(), Spans: map[string][]evidence.Span{},
		Facts: &audit.Facts{Run: run, Reads: 2, Steps: 2, Stop: "done", Finished: time.Date(2026, 2, 3, 4, 5, 7, 0, time.UTC), Queries: []string{}}}
	for _, s := range rec.Sources {
		rec.Spans[s.ID] = c.Spans(s.ID)
	}
	for i, quote := range []string{"The ferry carried 412 wagons in 2024, and none was lost.", "The harbour was dredged twice that year."} {
		key, m := c.Quote(evidence.SourceID(i+1), quote)
		if !m.OK() {
			t.Fatalf("%q is not in its source", quote)
		}
		rec.Findings = append(rec.Findings, evidence.Finding{ID: evidence.FindingID(i + 1), Claim: quote, Quote: m.Quote, Source: key.Source, Locator: key.Locator, Match: m.Kind, Subquestion: "q1"})
	}
	in := report.Input{Record: rec, Sections: []report.Section{{Question: "How many wagons?", Findings: []string{"F1", "F2"}}}}
	return report.Assemble(in), in
}

func options() Options {
	return Options{Program: "v1.2.3", Extract: extract.Extract}
}

func verify(t testing.TB, data []byte, o Options) Result {
	t.Helper()
	r, err := Verify(context.Background(), data, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func made(t testing.TB) []byte {
	t.Helper()
	data, err := Make(input(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestBundleVerifies(t *testing.T) {
	in := input(t)
	data, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Make(in); err != nil || !bytes.Equal(again, data) {
		t.Errorf("two forms of one run: %v", err)
	}
	r := verify(t, data, options())
	if !r.OK || r.Sources != 2 || r.Run != "0123456789ab" || r.Root == "" || len(r.Notes) > 0 || r.Signer != "" || r.Trusted || r.Check.Citations == 0 {
		t.Errorf("%+v", r)
	}
	replayed := 0
	o := options()
	o.Replay = func(_ context.Context, run string, text []byte) ([]byte, error) {
		if replayed++; run != r.Run || !bytes.Equal(text, in.Journal) {
			t.Errorf("run %s with %d bytes", run, len(text))
		}
		return bytes.Replace(in.Report, []byte("412"), []byte("413"), 1), nil
	}
	if r := verify(t, data, o); r.OK || r.Problems[0].Code != Replay || replayed != 1 {
		t.Errorf("another report of the replayed run is not told: %+v", r)
	}
	o.Program = "v9"
	if r := verify(t, data, o); !r.OK || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "v1.2.3") {
		t.Errorf("another version: %+v", r)
	}
}

// Any byte that is changed, dropped or added is noticed: of the files, of the archive around them, of what lists them.
func TestEveryFlipIsNoticed(t *testing.T) {
	data := made(t)
	r := rand.New(rand.NewPCG(5, 9))
	for range 1000 {
		at, bit := r.IntN(len(data)), byte(1)<<r.IntN(8)
		forged := bytes.Clone(data)
		forged[at] ^= bit
		if verify(t, forged, options()).OK {
			t.Errorf("byte %d with bit %#x turned is not noticed", at, bit)
		}
	}
	for i := range 300 { // what surrounds the files, whole: their heads, the directory, its end
		at := len(data) - 1 - i
		forged := bytes.Clone(data)
		forged[at] ^= 0xff
		if verify(t, forged, options()).OK {
			t.Errorf("byte %d from the end is not noticed", i)
		}
	}
	for name, forged := range map[string][]byte{"a byte in front": append([]byte{0}, data...), "a byte behind": append(bytes.Clone(data), 0), "cut": data[:len(data)-1], "nothing": nil,
		"twice": append(bytes.Clone(data), data...)} {
		if verify(t, forged, options()).OK {
			t.Errorf("%s: not noticed", name)
		}
	}
}

// The archive is written in one form for good: bundles of today must be written again by the programs of later years.
func TestTheArchivesFormStands(t *testing.T) {
	files := map[string][]byte{}
	for i, name := range names {
		files[name] = bytes.Repeat([]byte{byte('a' + i)}, i)
	}
	data, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != archiveForm {
		t.Errorf("the archive has another form than bundles that are in the world: %s", got)
	}
	if got, err := unpack(data); err != nil || !bytes.Equal(got[treeFile], files[treeFile]) {
		t.Error(err)
	}
	if out, err := exec.Command("unzip", "-tqq", write(t, data)).CombinedOutput(); err != nil && !strings.Contains(err.Error(), "not found") {
		t.Errorf("unzip: %v %s", err, out)
	}
}

const archiveForm = "e293969cdde2e8ffd638c6274368c8a6c2f8c208fe36f5a8524d74eaa62950b2"

func write(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.wacz")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSignature(t *testing.T) {
	key := func(name string) (note.Signer, note.Verifier) {
		secret, public, err := note.GenerateKey(nil, name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := note.NewSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		v, err := note.NewVerifier(public)
		if err != nil {
			t.Fatal(err)
		}
		return s, v
	}
	in := input(t)
	unsigned, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	signer, verifier := key("research.example")
	_, stranger := key("research.example")
	in.Signer = signer
	signed, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, data []byte, v note.Verifier, ok, trusted bool, by string) {
		o := options()
		o.Verifier = v
		r := verify(t, data, o)
		if r.OK != ok || r.Trusted != trusted || ok && r.Signer != by {
			t.Errorf("%s: %+v", name, r)
		}
		if !ok && r.Problems[0].Code != Signature {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
	check("signed", signed, verifier, true, true, "research.example")
	check("signed, nobody is asked for", signed, nil, true, false, "research.example")
	check("by another key of that name", signed, stranger, false, false, "")
	check("not signed", unsigned, verifier, false, false, "")
}

// TestThirdPartyReader: warcio, which has nothing to do with ibid, reads the records and finds their digests right.
func TestThirdPartyReader(t *testing.T) {
	python := "python3"
	if p := os.Getenv("IBID_TEST_PYTHON"); p != "" {
		python = p
	}
	if err := exec.Command(python, "-c", "import warcio").Run(); err != nil {
		testset.Lacks(t, "warcio", "python3 -m venv venv && venv/bin/pip install warcio && IBID_TEST_PYTHON=$PWD/venv/bin/python go test ./bundle")
	}
	files, err := unpack(made(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	warc := filepath.Join(dir, "data.warc.gz")
	if err := os.WriteFile(warc, files[warcFile], 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", `
import sys, json, hashlib
from warcio.archiveiterator import ArchiveIterator
with open(sys.argv[1], "rb") as f:
    for r in ArchiveIterator(f, check_digests="raise"):
        body = r.content_stream().read()
        print(json.dumps({"type": r.rec_type, "uri": r.rec_headers.get_header("WARC-Target-URI"), "sha256": hashlib.sha256(body).hexdigest(),
            "status": r.http_headers.get_statuscode() if r.http_headers and r.rec_type == "response" else "", "digest": r.digest_checker.passed}))
`, warc).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var kinds []string
	found := map[string]bool{}
	for line := range bytes.Lines(out) {
		var r struct {
			Type, URI, SHA256, Status string
			Digest                    bool
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if !r.Digest || r.Type == "response" && r.Status != "200" {
			t.Errorf("%s", line)
		}
		kinds = append(kinds, r.Type)
		if d := web[r.URI]; d != nil && (r.Type == "response" || r.Type == "resource") {
			found[r.URI] = r.SHA256 == hexSHA256(d.Body)
		}
	}
	if got := strings.Join(kinds, " "); got != "warcinfo request response conversion resource conversion" {
		t.Errorf("the records are: %s", got)
	}
	for url := range web {
		if !found[url] {
			t.Errorf("%s is not in the archive, or not byte by byte", url)
		}
	}
}

func textHash(r *corpus.Reading) string { return evidence.TextHash(extract.Spans("", r.Blocks)) }
