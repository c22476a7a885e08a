package bundle

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"ibid/merkle"
)

// Leaves are canonical JSON, each an object with one member that names its kind, in this order: sources, findings, journal
// (its lines but for the raw bytes it kept, which the sources' hashes cover), lines of the report with their verdicts, and
// last every other file with its hash. So the tree whose root the report prints is the beginning of this one.

// leaves gathers them.
func leaves(j *journalText, files map[string][]byte) ([][]byte, error) {
	var list [][]byte
	add := func(kind string, text []byte) error {
		leaf, err := merkle.Leaf(kind, text)
		if err != nil {
			return err
		}
		list = append(list, leaf)
		return nil
	}
	lines := func(kind, name string) error {
		for line := range bytes.Lines(files[name]) {
			if err := add(kind, line); err != nil {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(lines("source", sourcesFile), lines("finding", findingsFile)); err != nil {
		return nil, err
	}
	for _, line := range j.lines {
		if err := add("journal", line); err != nil {
			return nil, err
		}
	}
	if err := lines("sentence", verdictsFile); err != nil {
		return nil, err
	}
	for _, name := range names {
		if name == treeFile || name == packageFile || name == digestFile {
			continue // they hold the tree, or follow from all others
		}
		if err := add("file", compact(map[string]string{"path": name, "sha256": hexSHA256(files[name])})); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (c *contents) tree(files map[string][]byte) (merkle.Tree, error) {
	list, err := leaves(c.journal, files)
	if err != nil {
		return merkle.Tree{}, err
	}
	return merkle.New(list)
}

// checkpoint writes the root as a checkpoint (c2sp.org/tlog-checkpoint): where it is from, size and root; with a signer as
// a signed note.
func checkpoint(t merkle.Tree, run string, signer note.Signer) ([]byte, error) {
	text := fmt.Sprintf("ibid/run/%s\n%d\n%s\n", oneLine(run), t.Size, base64.StdEncoding.EncodeToString(t.Root[:]))
	if signer == nil {
		return []byte(text), nil
	}
	return note.Sign(&note.Note{Text: text}, signer)
}

// openCheckpoint compares a checkpoint with the tree, and says who signed it. With a verifier it must be theirs.
func openCheckpoint(t merkle.Tree, data []byte, run string, verifier note.Verifier) (by string, signed bool, err error) {
	want, err := checkpoint(t, run, nil)
	if err != nil {
		return "", false, err
	}
	text, signatures, signed := strings.Cut(string(data), "\n\n")
	if signed {
		text += "\n"
	}
	if text != string(want) {
		return "", signed, errors.New("the root of the tree is not the one in the checkpoint")
	}
	if verifier == nil {
		if !signed {
			return "", false, nil
		}
		known, err := note.Open(data, note.VerifierList())
		var unverified *note.UnverifiedNoteError
		if errors.As(err, &unverified) {
			known, err = unverified.Note, nil
		}
		if err != nil {
			return "", true, err
		}
		return known.UnverifiedSigs[0].Name, true, nil
	}
	if !signed {
		return "", false, fmt.Errorf("it is not signed, and should be by %s", verifier.Name())
	}
	known, err := note.Open(data, note.VerifierList(verifier))
	if err != nil {
		return "", true, fmt.Errorf("the signature of %s: %w", verifier.Name(), err)
	}
	if len(known.Sigs) != 1 || len(known.UnverifiedSigs) > 0 || strings.Count(signatures, "\n") != 1 {
		return "", true, errors.New("the checkpoint has more than the one signature")
	}
	return known.Sigs[0].Name, true, nil
}
