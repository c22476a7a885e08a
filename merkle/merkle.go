// Package merkle makes Merkle trees (RFC 6962) over canonical JSON (RFC 8785): the same values give the same root, to
// whoever computes it.
package merkle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gowebpki/jcs"
	"golang.org/x/mod/sumdb/tlog"
)

// A Tree is a tree's size, in leaves, and its root.
type Tree struct {
	Size int64
	Root tlog.Hash
}

// Leaf is a JSON value as a leaf: the canonical form of an object with one member, named for what the value is.
func Leaf(kind string, text []byte) ([]byte, error) {
	if !json.Valid(text) { // bounds how deep it nests, too
		return nil, fmt.Errorf("a %s is not JSON", kind)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{%q:%s}`, kind, text)
	leaf, err := jcs.Transform(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("a %s cannot be made canonical: %w", kind, err)
	}
	return leaf, nil
}

// LeafOf is Leaf of the JSON of a value.
func LeafOf(kind string, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("a %s has no JSON: %w", kind, err)
	}
	return Leaf(kind, text)
}

// New makes the tree of leaves, in their order.
func New(leaves [][]byte) (Tree, error) {
	var stored []tlog.Hash
	read := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(at))
		for i, n := range at {
			if n < 0 || n >= int64(len(stored)) {
				return nil, errors.New("the tree has no such hash")
			}
			out[i] = stored[n]
		}
		return out, nil
	})
	for n, leaf := range leaves {
		more, err := tlog.StoredHashes(int64(n), leaf, read)
		if err != nil {
			return Tree{}, err
		}
		stored = append(stored, more...)
	}
	root, err := tlog.TreeHash(int64(len(leaves)), read)
	return Tree{int64(len(leaves)), root}, err
}
