package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ibid/audit"
	"ibid/merkle"
	"ibid/report"
)

// A forger knows the form, and makes all hashes right again after a change. What does not hold then is found by reading
// the sources again, by the rules, or by what contradicts each other.
func TestForgeries(t *testing.T) {
	in := input(t)
	files := func() map[string][]byte {
		data, err := Make(in)
		if err != nil {
			t.Fatal(err)
		}
		files, err := unpack(data)
		if err != nil {
			t.Fatal(err)
		}
		return maps.Clone(files)
	}
	swap := func(name, a, b string) func(map[string][]byte) {
		return func(f map[string][]byte) {
			if !bytes.Contains(f[name], []byte(a)) {
				t.Fatalf("%s does not hold %q", name, a)
			}
			f[name] = bytes.Replace(f[name], []byte(a), []byte(b), 1)
		}
	}
	packed := func(name, a, b string) func(map[string][]byte) {
		return func(f map[string][]byte) {
			v := &verifier{left: maxArchive}
			members, err := v.members(f[name])
			if err != nil {
				t.Fatal(err)
			}
			var out []byte
			done := false
			for _, m := range members {
				if !done && bytes.Contains(m.data, []byte(a)) {
					m.data, done = bytes.Replace(m.data, []byte(a), []byte(b), 1), true
				}
				gz, err := compress(m.data)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, gz...)
			}
			if !done {
				t.Fatalf("%s does not hold %q", name, a)
			}
			f[name] = out
		}
	}
	for name, c := range map[string]struct {
		change func(map[string][]byte)
		code   string
	}{
		"a figure in the report":                {swap(reportFile, "412", "413"), Record},
		"a figure in the report's record":       {swap(recordFile, "412 wagons in 2024, and none was lost. [S1", "413 wagons in 2024, and none was lost. [S1"), Report},
		"a quote":                               {swap(recordFile, `"quote": "The ferry carried 412`, `"quote": "The ferry carried 413`), Quote},
		"a claim":                               {swap(recordFile, `"claim": "The ferry carried 412`, `"claim": "The ferry carried 413`), Claim},
		"a place":                               {swap(recordFile, `"locator": "para.2"`, `"locator": "para.3"`), Quote},
		"the bytes of a source":                 {packed(warcFile, "412 wagons", "413 wagons"), Archive},
		"a header of an answer":                 {packed(warcFile, `Etag: "7"`, `Etag: "8"`), Archive},
		"a field of a record":                   {packed(warcFile, "WARC-Date: 2026-02-03T04:05:06Z", "WARC-Date: 2026-02-03T04:05:05Z"), Archive},
		"the journal":                           {packed(journalFile, "412 wagons", "413 wagons"), Journal},
		"the index":                             {swap(indexFile, "\"offset\":\"", "\"offset\":\"1"), Archive},
		"a title in the list of pages":          {swap(pagesFile, "The ferry's log", "The ferrys' log"), Record},
		"a finding's list":                      {swap(findingsFile, `"match":"exact"`, `"match":"loose"`), Record},
		"a span's list":                         {swap(spansFile, "dredged twice", "dredged once"), Record},
		"a source's list":                       {swap(sourcesFile, "2026-02-03T04:05:06Z", "2026-02-03T04:05:05Z"), Record},
		"a verdict":                             {swap(verdictsFile, `"verdict":"pass"`, `"verdict":"flag"`), Report},
		"the root":                              {swap(treeFile, "\n", "\n1"), Root},
		"something behind the checkpoint":       {func(f map[string][]byte) { f[treeFile] = append(f[treeFile], "more\n"...) }, Root},
		"something behind the records":          {func(f map[string][]byte) { f[warcFile] = append(bytes.Clone(f[warcFile]), f[warcFile]...) }, Archive},
		"something behind the journal":          {func(f map[string][]byte) { f[journalFile] = append(bytes.Clone(f[journalFile]), 0) }, Journal},
		"records in place of a report's record": {func(f map[string][]byte) { f[recordFile] = []byte("{}") }, Record},
	} {
		t.Run(name, func(t *testing.T) {
			f := files()
			c.change(f)
			r := verify(t, sealed(t, in, f), options())
			if r.OK || !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == c.code }) {
				t.Errorf("want %s: %+v", c.code, r.Problems)
			}
		})
	}
}

// sealed makes the list of files, its hash and the archive right again.
func sealed(t testing.TB, in Input, files map[string][]byte) []byte {
	t.Helper()
	r, err := report.ParseJSON(in.Report)
	if err != nil {
		t.Fatal(err)
	}
	c := &contents{program: in.Program, report: r}
	files[packageFile], files[digestFile] = c.datapackage(files)
	data, err := pack(files)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Who forges a whole run, so that all that is derived from it agrees, is found by what its bytes say: the bytes of a page
// are what the forger did not make up. (Who makes up the bytes, too, is found by the server, or by the signature.)
func TestForgedRuns(t *testing.T) {
	in := input(t)
	rehash := func(in Input) Input {
		lines := bytes.SplitAfter(in.Journal, []byte("\n"))
		lines = lines[:len(lines)-2] // its end
		text := bytes.Join(lines, nil)
		in.Journal = append(text, fmt.Appendf(nil, "{\"v\":1,\"end\":{\"lines\":%d,\"sha256\":%q}}\n", len(lines), hexSHA256(text))...)
		return in
	}
	r, err := report.ParseJSON(in.Report)
	if err != nil {
		t.Fatal(err)
	}
	// Another text of the page, in the journal, the report and all hashes of texts.
	forged := in
	swapAll := func(data []byte) []byte { return bytes.ReplaceAll(data, []byte("412 wagons"), []byte("999 wagons")) }
	j, err := readJournal(in.Journal)
	if err != nil {
		t.Fatal(err)
	}
	old := r.Sources[0].TextSHA256
	reading := j.reading(r.Sources[0])
	for i := range reading.Blocks {
		reading.Blocks[i].Text = strings.ReplaceAll(reading.Blocks[i].Text, "412 wagons", "999 wagons")
	}
	now := textHash(reading)
	var kept [][]byte
	for line := range bytes.Lines(in.Journal) {
		if !bytes.Contains(line, []byte(`"blob"`)) {
			line = bytes.ReplaceAll(swapAll(line), []byte(old), []byte(now))
		}
		kept = append(kept, line)
	}
	forged.Journal = bytes.Join(kept, nil)
	forged.Report = bytes.ReplaceAll(swapAll(in.Report), []byte(old), []byte(now))
	forged = rehash(forged)
	data, err := Make(forged)
	if err != nil {
		t.Fatal(err)
	}
	got := verify(t, data, options())
	if got.OK || got.Problems[0].Code != Text || got.Problems[0].Where != "S1" {
		t.Errorf("a text that the page does not have: %+v", got.Problems)
	}
	// A run that did not keep what it read.
	var lost [][]byte
	for line := range bytes.Lines(in.Journal) {
		if !bytes.Contains(line, []byte(`"blob"`)) {
			lost = append(lost, line)
		}
	}
	without := rehash(Input{Report: in.Report, Journal: bytes.Join(lost, nil), Program: in.Program})
	if _, err := Make(without); err == nil || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("a bundle without its sources: %v", err)
	}
}

// Hostile archives are refused before anything is unpacked.
func TestHostileArchives(t *testing.T) {
	good, err := unpack(made(t))
	if err != nil {
		t.Fatal(err)
	}
	build := func(method uint16, change func(name string) []string) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range names {
			for _, as := range change(name) {
				f, err := w.CreateHeader(&zip.FileHeader{Name: as, Method: method})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.Write(good[name]); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	same := func(name string) []string { return []string{name} }
	for name, data := range map[string][]byte{
		"packed files":     build(zip.Deflate, same),
		"data descriptors": build(zip.Store, same),
		"a file twice":     build(zip.Store, func(n string) []string { return []string{n, n} }),
		"an absolute path": build(zip.Store, func(n string) []string { return []string{"/" + n} }),
		"a path upwards":   build(zip.Store, func(n string) []string { return []string{"../" + n} }),
		"a file more": build(zip.Store, func(n string) []string {
			return append([]string{n}, map[bool][]string{true: {"evidence/more"}}[n == treeFile]...)
		}),
		"no file": build(zip.Store, func(string) []string { return nil }),
	} {
		if r := verify(t, data, options()); r.OK || r.Problems[0].Code != Container {
			t.Errorf("%s: %+v", name, r.Problems)
		}
	}
	// What unpacks to more than it may.
	zeros := make([]byte, 1<<20)
	bomb, err := compress(zeros)
	if err != nil {
		t.Fatal(err)
	}
	v := &verifier{left: 1000}
	if _, err := v.members(bomb); err == nil {
		t.Error("a record that unpacks to a megabyte passes a limit of a thousand bytes")
	}
	empty, err := compress(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&verifier{left: 1000}).members(bytes.Repeat(empty, maxRecords+1)); err == nil {
		t.Error("there is no limit on records")
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Verify(ctx, made(t), options()); err == nil {
		t.Error("a check that was ended is a result")
	}
}

// FuzzVerify puts any bytes in the place of a file, with all hashes right again: nothing panics, and nothing but the
// file itself passes.
func FuzzVerify(f *testing.F) {
	in := input(f)
	data, err := Make(in)
	if err != nil {
		f.Fatal(err)
	}
	files, err := unpack(data)
	if err != nil {
		f.Fatal(err)
	}
	for i, name := range names {
		if len(files[name]) < 6000 {
			f.Add(byte(i), files[name])
		}
	}
	f.Add(byte(200), []byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, at byte, text []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if int(at) >= len(names) {
			if r, err := Verify(ctx, text, options()); err == nil && r.OK {
				t.Error("it passes")
			}
			return
		}
		forged := maps.Clone(files)
		name := names[at]
		forged[name] = text
		out := forged
		var packed []byte
		if name == packageFile || name == digestFile {
			var err error
			if packed, err = pack(out); err != nil {
				t.Skip()
			}
		} else {
			packed = sealed(t, in, out)
		}
		r, err := Verify(ctx, packed, options())
		if err == nil && r.OK && !bytes.Equal(packed, data) && !recompressed(name, text, files[name]) {
			t.Errorf("another %s passes", name)
		}
		if err == nil && json.Valid(compact(r)) == false {
			t.Error("the result is not JSON")
		}
	})
}

// recompressed says whether two packed files hold the same.
func recompressed(name string, a, b []byte) bool {
	if name != journalFile && name != warcFile {
		return false
	}
	x, _, errX := decompress(a, 1<<20)
	y, _, errY := decompress(b, 1<<20)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// The root that a report prints is over its sources and findings: with another one of them the report does not pass, in
// a bundle and as JSON alone; and it is the beginning of the bundle's tree.
func TestPrintedRoot(t *testing.T) {
	in := input(t)
	b, err := report.ParseJSON(in.Report)
	if err != nil {
		t.Fatal(err)
	}
	rooted := func(root string) Input {
		facts := *b.Facts
		facts.Root = root
		b := b
		b.Facts = &facts
		ri := report.Input{Record: audit.Record{Question: b.Question, Sources: b.Sources, Spans: b.Spans, Findings: b.Findings, Facts: b.Facts}, Sections: b.Sections}
		data, err := report.JSON(report.Assemble(ri), ri)
		if err != nil {
			t.Fatal(err)
		}
		return Input{Report: data, Journal: in.Journal, Program: in.Program}
	}
	root, err := report.Root(b.Sources, b.Findings)
	if err != nil {
		t.Fatal(err)
	}
	good := rooted(root)
	data, err := Make(good)
	if err != nil {
		t.Fatal(err)
	}
	if r := verify(t, data, options()); !r.OK {
		t.Errorf("%+v", r.Problems)
	}
	if r, err := report.VerifyJSON(good.Report); err != nil || !r.OK || !bytes.Contains(good.Report, []byte(", root "+root+".")) {
		t.Errorf("as JSON: %+v %v", r.Failures, err)
	}
	files, err := unpack(data)
	if err != nil {
		t.Fatal(err)
	}
	j, err := readJournal(in.Journal)
	if err != nil {
		t.Fatal(err)
	}
	list, err := leaves(j, files)
	if err != nil {
		t.Fatal(err)
	}
	start, err := merkle.New(list[:len(b.Sources)+len(b.Findings)])
	if err != nil || fmt.Sprintf("%x", start.Root[:]) != root {
		t.Errorf("the printed root %s is not the beginning of the tree: %x %v", root, start.Root, err)
	}
	bad := rooted(strings.Repeat("0", 64))
	if r, err := report.VerifyJSON(bad.Report); err != nil || r.OK {
		t.Errorf("another root passes: %v", err)
	}
	if data, err = Make(bad); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, data, options()); r.OK || !slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == Root }) {
		t.Errorf("another root in a bundle: %+v", r.Problems)
	}
	stated := bytes.Replace(good.Report, []byte(", root "+root+"."), []byte(", root "+strings.Repeat("1", 64)+"."), 1)
	if r, err := report.VerifyJSON(stated); err != nil || r.OK {
		t.Errorf("a report that states another root passes: %v", err)
	}
}
