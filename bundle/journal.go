package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"ibid/corpus"
	"ibid/evidence"
	"ibid/extract"
	"ibid/fetch"
)

// journalText is an exported journal, line by line. Only what a bundle needs of it is read; whether it is whole, its
// import decides.
type journalText struct {
	text  []byte
	lines [][]byte // events, gates and the run: what the tree holds
	reads []*corpus.Reading
	blobs map[string][]byte
}

// exported is what is read of a line.
type exported struct {
	Run   *json.RawMessage `json:"run"`
	Event *struct {
		Kind    string `json:"kind"`
		State   string `json:"state"`
		Outcome body   `json:"outcome"`
	} `json:"event"`
	Blob *struct {
		Data body `json:"data"`
	} `json:"blob"`
	End *struct {
		Lines int    `json:"lines"`
		SHA   string `json:"sha256"`
	} `json:"end"`
}

// body is bytes in JSON: a string, or {"base64": "…"}.
type body []byte

func (b *body) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		var text string
		err := json.Unmarshal(data, &text)
		*b = []byte(text)
		return err
	}
	var binary struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(data, &binary)
	*b = binary.Base64
	return err
}

func readJournal(text []byte) (*journalText, error) {
	if len(text) > maxJournal {
		return nil, fmt.Errorf("the journal has %d bytes; %d is the limit", len(text), maxJournal)
	}
	j := &journalText{text: text, blobs: map[string][]byte{}}
	sum, n, ended := sha256.New(), 0, false
	for line := range bytes.Lines(text) {
		if ended || !bytes.HasSuffix(line, []byte("\n")) {
			return nil, errors.New("the journal goes on after its end")
		}
		var l exported
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fmt.Errorf("line %d of the journal: %w", n+1, err)
		}
		if ended = l.End != nil; ended && (l.End.Lines != n || l.End.SHA != hex.EncodeToString(sum.Sum(nil))) {
			return nil, errors.New("the journal's end does not match its lines")
		}
		sum.Write(line)
		n++
		j.add(l, line)
	}
	if !ended {
		return nil, errors.New("the journal has no end")
	}
	return j, nil
}

func (j *journalText) add(l exported, line []byte) {
	switch {
	case l.Blob != nil:
		sum := sha256.Sum256(l.Blob.Data)
		j.blobs[hex.EncodeToString(sum[:])] = l.Blob.Data
		return
	case l.Event != nil && (l.Event.Kind == "fetch" || l.Event.Kind == "render" || l.Event.Kind == "mcp") && l.Event.State == "done":
		var outcome struct {
			Reading *corpus.Reading `json:"reading"`
		}
		if json.Unmarshal(l.Event.Outcome, &outcome) == nil && outcome.Reading != nil {
			j.reads = append(j.reads, outcome.Reading)
		}
	}
	j.lines = append(j.lines, bytes.TrimSuffix(line, []byte("\n")))
}

// blob is what the run kept under a hash, or nil.
func (j *journalText) blob(sha string) []byte { return j.blobs[sha] }

// reading is the first recorded read of a source: the same address, bytes and text.
func (j *journalText) reading(s evidence.Source) *corpus.Reading {
	for _, r := range j.reads {
		if r.Source.SHA256 != s.SHA256 || r.Source.TextSHA256 != s.TextSHA256 || evidence.TextHash(extract.Spans("", r.Blocks)) != s.TextSHA256 {
			continue
		}
		if at, err := fetch.CanonicalURL(r.Source.URL); r.Source.URL == s.URL || err == nil && at == s.URL {
			return r
		}
	}
	return nil
}
