// Package bundle makes one file of a run that anybody can check without it: a web archive (WACZ 1.1.1) of every source as
// it was fetched, with the report, its findings, the whole journal and a signed Merkle root beside it; and checks such
// files, trusting nothing in them.
package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"ibid/audit"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/report"
)

// The files of a bundle, all of them, in their order in the archive.
const (
	warcFile     = "archive/data.warc.gz"
	indexFile    = "indexes/index.cdxj"
	pagesFile    = "pages/pages.jsonl"
	reportFile   = "evidence/report.md"
	recordFile   = "evidence/report.json" // the report with its findings, sources and facts, as ibid prints it with --json
	sourcesFile  = "evidence/sources.jsonl"
	spansFile    = "evidence/spans.jsonl"
	findingsFile = "evidence/findings.jsonl"
	verdictsFile = "evidence/verdicts.jsonl"
	journalFile  = "evidence/journal.jsonl.gz" // as 'ibid runs export' writes it
	treeFile     = "evidence/checkpoint"
	packageFile  = "datapackage.json"
	digestFile   = "datapackage-digest.json"
)

var names = []string{warcFile, indexFile, pagesFile, reportFile, recordFile, sourcesFile, spansFile, findingsFile, verdictsFile, journalFile, treeFile, packageFile, digestFile}

// Limits of what is made and read, in bytes.
const (
	MaxFile     = 512 << 20 // of a bundle
	maxJournal  = 1 << 30   // of its journal, unpacked
	maxArchive  = 1 << 30   // of its records, unpacked
	maxSources  = 10_000
	maxProgram  = 100
	maxProblems = 200
)

// An Input is what a bundle is made of.
type Input struct {
	Report  []byte      // the machine form of the report: report.JSON
	Journal []byte      // the run's journal, as exported
	Program string      // version of the program
	Signer  note.Signer // nil: the bundle is not signed
	// Raw returns bytes that the run's journal does not hold by their hash: those of a fork are its parent's. May be nil.
	Raw func(sha256 string) ([]byte, error)
}

// Make writes a bundle. The same input gives the same bytes. A source whose bytes the run did not keep as they were
// fetched is an error: such a bundle could not be checked.
func Make(in Input) ([]byte, error) {
	data, err := makeFile(in)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return data, nil
}

func makeFile(in Input) ([]byte, error) {
	r, err := report.ParseJSON(in.Report)
	if err != nil {
		return nil, err
	}
	if in.Program == "" || len(in.Program) > maxProgram || !utf8.ValidString(in.Program) {
		return nil, fmt.Errorf("the program has no version")
	}
	j, err := readJournal(in.Journal)
	if err != nil {
		return nil, err
	}
	c := &contents{program: in.Program, report: r, journal: j, payloads: map[string][]byte{}}
	if err := c.readings(); err != nil {
		return nil, err
	}
	for _, s := range c.sources() {
		raw := j.blob(s.SHA256)
		if raw == nil && in.Raw != nil {
			if raw, err = in.Raw(s.SHA256); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		if raw == nil {
			return nil, fmt.Errorf("the bytes of %s (%s) are not kept as they were fetched", s.ID, s.URL)
		}
		c.payloads[s.ID] = raw
	}
	files := map[string][]byte{recordFile: in.Report}
	if files[journalFile], err = compress(in.Journal); err != nil {
		return nil, err
	}
	var entries []entry
	if files[warcFile], entries, err = c.archive(); err != nil {
		return nil, err
	}
	files[indexFile] = index(entries)
	if err := c.derive(files); err != nil {
		return nil, err
	}
	if files[verdictsFile], err = verdicts([]byte(r.Report), c.check(c.spans)); err != nil {
		return nil, err
	}
	t, err := c.tree(files)
	if err != nil {
		return nil, err
	}
	if files[treeFile], err = checkpoint(t, r.Run, in.Signer); err != nil {
		return nil, err
	}
	files[packageFile], files[digestFile] = c.datapackage(files)
	return pack(files)
}

// contents are what a bundle says, read.
type contents struct {
	program  string
	report   report.Bundle
	journal  *journalText
	reading  map[string]*corpus.Reading // by source id
	spans    map[string][]evidence.Span // likewise, as recorded
	payloads map[string][]byte          // likewise, as fetched
}

// sources are those that were read.
func (c *contents) sources() []evidence.Source {
	var list []evidence.Source
	for _, s := range c.report.Sources {
		if !s.Fetched.IsZero() {
			list = append(list, s)
		}
	}
	return list
}

// readings finds for each source the recorded read that it was made of, and its spans.
func (c *contents) readings() error {
	c.reading, c.spans = map[string]*corpus.Reading{}, map[string][]evidence.Span{}
	if len(c.report.Sources) > maxSources {
		return fmt.Errorf("the report has %d sources; %d is the limit", len(c.report.Sources), maxSources)
	}
	for _, s := range c.sources() {
		r := c.journal.reading(s)
		if r == nil {
			return fmt.Errorf("the journal holds no read of %s (%s) with its text", s.ID, s.URL)
		}
		c.reading[s.ID] = r
		c.spans[s.ID] = extract.Spans(s.ID, r.Blocks)
	}
	return nil
}

// check audits the report over the whole text of its sources.
func (c *contents) check(spans map[string][]evidence.Span) audit.Result {
	b := c.report
	b.Spans = spans
	return audited(b)
}

// audited is the check of a report by itself.
func audited(b report.Bundle) audit.Result {
	return audit.Report([]byte(b.Report), b.Record())
}

// ErrNotBundle says that a file is none.
var ErrNotBundle = errors.New("this is no bundle of ibid")

// IsBundle tells by its first bytes whether a file is an archive, and so perhaps a bundle.
func IsBundle(data []byte) bool { return len(data) > 4 && string(data[:4]) == "PK\x03\x04" }
