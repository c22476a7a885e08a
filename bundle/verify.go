package bundle

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"ibid/audit"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/report"
)

// What a check finds, by code.
const (
	Container = "container" // the archive is not written as a bundle is
	FileHash  = "file_hash" // a file is not the one that was bundled
	Journal   = "journal"   // the journal is not whole, or does not hold what the report is made of
	Record    = "record"    // files contradict each other
	Archive   = "archive"   // the records of the sources are not what they should be
	Text      = "text"      // a source's bytes say something else than its recorded text
	Quote     = "quote"     // a finding's quote does not stand at its place
	Claim     = "claim"     // a rule says that a quote does not carry its claim
	Report    = "report"    // the report is not true to its sources
	Root      = "root"      // the tree
	Signature = "signature"
	Replay    = "replay" // the recorded run, run again, gives another report
)

// A Problem is one thing that does not hold.
type Problem struct {
	Code    string `json:"code"`
	Where   string `json:"where"` // a file, source or finding
	Message string `json:"message"`
}

// A Result is what a check of a bundle found.
type Result struct {
	OK       bool         `json:"ok"`
	Run      string       `json:"run,omitempty"`
	Question string       `json:"question,omitempty"`
	Program  string       `json:"program,omitempty"` // the version that made the bundle
	Root     string       `json:"root,omitempty"`    // of the tree, in base64
	Leaves   int64        `json:"leaves,omitempty"`
	Signer   string       `json:"signer,omitempty"` // the name in the signature; "" where there is none
	Trusted  bool         `json:"trusted"`          // the signature is by the key that was given
	Sources  int          `json:"sources"`
	Problems []Problem    `json:"problems"`
	Notes    []string     `json:"notes"` // what to know, though nothing is wrong
	Check    audit.Result `json:"check"` // of the report
}

// Options are what a check works with. It touches no network.
type Options struct {
	Program   string           // version of this program
	Extract   corpus.Extractor // reads the sources again
	Recognise corpus.Extractor // likewise, where text was recognised from pictures; nil: the recorded text stands
	Verifier  note.Verifier    // who must have signed; nil: nobody
	Markdown  []byte           // another report of the same run, checked over the same sources; nil: the bundle's own alone
	// Replay runs a journal again and returns the machine form of its report; nil: it is not done.
	Replay func(ctx context.Context, run string, journal []byte) ([]byte, error)
}

// verifier is one check.
type verifier struct {
	*contents
	o      Options
	data   []byte
	files  map[string][]byte
	result Result
	read   map[string][]evidence.Span // by source: what its bytes say
	other  map[string]bool            // sources that another reader read, with another text
	left   int64                      // bytes that may still be unpacked
}

// Verify checks a bundle by itself. An error is that of ctx; whatever is wrong with the file is in the Result.
func Verify(ctx context.Context, data []byte, o Options) (Result, error) {
	v := &verifier{contents: &contents{payloads: map[string][]byte{}}, o: o, data: data, left: maxArchive, read: map[string][]evidence.Span{}, other: map[string]bool{}}
	v.result.Problems, v.result.Notes, v.result.Check.Failures = []Problem{}, []string{}, []audit.Failure{}
	for _, step := range []func(context.Context) bool{v.container, v.hashes, v.record, v.records, v.derived, v.sourceTexts, v.findings, v.reportText, v.root, v.replay} {
		if err := ctx.Err(); err != nil {
			return v.result, context.Cause(ctx)
		}
		if !step(ctx) {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return v.result, context.Cause(ctx)
	}
	v.result.OK = len(v.result.Problems) == 0
	return v.result, nil
}

// fail notes a problem; it is false, so that a step can end with it.
func (v *verifier) fail(code, where, format string, args ...any) bool {
	if len(v.result.Problems) < maxProblems {
		v.result.Problems = append(v.result.Problems, Problem{code, where, fmt.Sprintf(format, args...)})
	}
	return false
}

func (v *verifier) note(format string, args ...any) {
	if len(v.result.Notes) < maxProblems {
		v.result.Notes = append(v.result.Notes, fmt.Sprintf(format, args...))
	}
}

// container checks that the archive is made of its files and of nothing else.
func (v *verifier) container(context.Context) (ok bool) {
	files, err := unpack(v.data)
	if err != nil {
		return v.fail(Container, "", "%v", err)
	}
	v.files = files
	return true
}

// hashes holds each file against the list of files, and the list against its own hash.
func (v *verifier) hashes(context.Context) bool {
	var d struct {
		Software  string `json:"software"`
		Resources []struct {
			Path  string `json:"path"`
			Hash  string `json:"hash"`
			Bytes int    `json:"bytes"`
		} `json:"resources"`
	}
	if err := json.Unmarshal(v.files[packageFile], &d); err != nil {
		return v.fail(FileHash, packageFile, "it is not JSON: %v", err)
	}
	listed := map[string]bool{}
	for _, r := range d.Resources {
		data, ok := v.files[r.Path]
		switch {
		case !ok || listed[r.Path]:
			v.fail(FileHash, r.Path, "it is listed and not there, or listed twice")
		case r.Hash != "sha256:"+hexSHA256(data) || r.Bytes != len(data):
			v.fail(FileHash, r.Path, "it is not the file that was bundled: its hash differs")
		}
		listed[r.Path] = true
	}
	for _, name := range names {
		if !listed[name] && name != packageFile && name != digestFile {
			v.fail(FileHash, name, "it is not in the list of files")
		}
	}
	program, ok := strings.CutPrefix(d.Software, softwarePrefix)
	if !ok || len(program) > maxProgram {
		v.fail(FileHash, packageFile, "it does not say which ibid made it")
	}
	v.program, v.result.Program = program, program
	if len(v.result.Problems) == 0 && !bytes.Contains(v.files[digestFile], []byte(`"sha256:`+hexSHA256(v.files[packageFile])+`"`)) {
		v.fail(FileHash, packageFile, "it is not the list that was bundled: its hash differs")
	}
	return len(v.result.Problems) == 0
}

// record reads the report and the journal.
func (v *verifier) record(context.Context) bool {
	r, err := report.ParseJSON(v.files[recordFile])
	if err != nil {
		return v.fail(Record, recordFile, "%v", err)
	}
	v.report = r
	v.result.Run, v.result.Question = r.Run, r.Question
	text, took, err := decompress(v.files[journalFile], maxJournal)
	if err == nil && took != len(v.files[journalFile]) {
		err = fmt.Errorf("something stands behind it")
	}
	if err != nil {
		return v.fail(Journal, journalFile, "%v", err)
	}
	if v.journal, err = readJournal(text); err != nil {
		return v.fail(Journal, journalFile, "%v", err)
	}
	if err := v.readings(); err != nil {
		return v.fail(Journal, journalFile, "%v", err)
	}
	for id, spans := range r.Spans {
		if !slices.EqualFunc(spans, v.spans[id], func(a, b evidence.Span) bool { return reflect.DeepEqual(a, b) }) {
			v.fail(Record, id, "its text in the report's record is not the one in the journal")
		}
	}
	v.result.Sources = len(v.sources())
	return true
}

// records reads the sources' bytes from the archive, and checks that it holds them and nothing else.
func (v *verifier) records(context.Context) bool {
	members, err := v.members(v.files[warcFile])
	if err != nil {
		return v.fail(Archive, warcFile, "%v", err)
	}
	sources := v.sources()
	n := 0
	for _, m := range members {
		if raw, is := payload(m.data); is && n < len(sources) {
			v.payloads[sources[n].ID] = raw
			n++
		}
	}
	var entries []entry
	i := 0
	for r := range v.contents.records {
		if i == len(members) || !bytes.Equal(r.bytes(), members[i].data) {
			return v.fail(Archive, warcFile, "record %d is not the one that belongs there, %s", i+1, r.id())
		}
		if r.target != "" {
			entries = append(entries, entry{r, members[i].at, members[i].length})
		}
		i++
	}
	if i != len(members) {
		return v.fail(Archive, warcFile, "it holds %d records more than belong there", len(members)-i)
	}
	if !bytes.Equal(index(entries), v.files[indexFile]) {
		v.fail(Archive, indexFile, "it is not the index of the archive")
	}
	return true
}

// derived writes all files again that follow from others.
func (v *verifier) derived(context.Context) bool {
	again := map[string][]byte{}
	if err := v.derive(again); err != nil {
		return v.fail(Record, recordFile, "%v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(again)) {
		if !bytes.Equal(again[name], v.files[name]) {
			v.fail(Record, name, "it is not what the report's record and the journal say: %s", firstDifference(again[name], v.files[name]))
		}
	}
	pkg, sum := v.datapackage(v.files)
	if !bytes.Equal(pkg, v.files[packageFile]) {
		v.fail(Record, packageFile, "it says more or other than it should: %s", firstDifference(pkg, v.files[packageFile]))
	} else if !bytes.Equal(sum, v.files[digestFile]) {
		v.fail(Record, digestFile, "it says more or other than it should")
	}
	return true
}

// root computes the tree again, and looks at its signature.
func (v *verifier) root(context.Context) bool {
	t, err := v.tree(v.files)
	if err != nil {
		return v.fail(Root, treeFile, "%v", err)
	}
	v.result.Root, v.result.Leaves = base64.StdEncoding.EncodeToString(t.Root[:]), t.Size
	by, signed, err := openCheckpoint(t, v.files[treeFile], v.report.Run, v.o.Verifier)
	switch {
	case err != nil && v.o.Verifier != nil:
		v.fail(Signature, treeFile, "%v", err)
	case err != nil:
		v.fail(Root, treeFile, "%v", err)
	}
	if signed {
		v.result.Signer, v.result.Trusted = by, err == nil && v.o.Verifier != nil
	}
	return true
}

// replay runs the journal again: its report must be this one.
func (v *verifier) replay(ctx context.Context) bool {
	if v.o.Replay == nil {
		return true
	}
	got, err := v.o.Replay(ctx, v.report.Run, v.journal.text)
	switch {
	case err == nil && bytes.Equal(got, v.files[recordFile]):
	case v.program != v.o.Program:
		v.note("the recorded run, run again by this ibid (%s), does not give the same report as with the one that made it (%s)", v.o.Program, v.program)
	case err != nil:
		v.fail(Replay, journalFile, "%v", err)
	default:
		v.fail(Replay, journalFile, "the recorded run gives another report: %s", firstDifference(got, v.files[recordFile]))
	}
	return true
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(want, got []byte) string {
	a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return fmt.Sprintf("line %d, %.100q, is too much", i+1, b[i])
		case i >= len(b):
			return fmt.Sprintf("line %d, %.100q, is missing", i+1, a[i])
		case a[i] != b[i]:
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			at = max(0, at-20)
			return fmt.Sprintf("line %d has %.100q, not %.100q", i+1, b[i][min(at, len(b[i])):], a[i][min(at, len(a[i])):])
		}
	}
	return "nothing"
}
