package merkle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/bits"
	"testing"
)

// rfc6962 is the definition of the standard, word for word (section 2.1).
func rfc6962(leaves [][]byte) [32]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, leaves[0]...))
	}
	k := 1 << (bits.Len(uint(len(leaves)-1)) - 1)
	a, b := rfc6962(leaves[:k]), rfc6962(leaves[k:])
	return sha256.Sum256(append(append([]byte{1}, a[:]...), b[:]...))
}

func TestTreeIsTheStandards(t *testing.T) {
	var leaves [][]byte
	for n := range 40 {
		tree, err := New(leaves)
		if want := rfc6962(leaves); err != nil || tree.Size != int64(n) || hex.EncodeToString(tree.Root[:]) != hex.EncodeToString(want[:]) {
			t.Errorf("of %d leaves: %v %v, want %x", n, tree, err, want)
		}
		leaves = append(leaves, fmt.Appendf(nil, "leaf %d", n))
	}
}

// The order of members, spaces, escapes and the spelling of numbers make no other leaf.
func TestLeavesAreCanonical(t *testing.T) {
	a, err := Leaf("source", []byte(`{"b": 1.0, "a": "\u003c\u00e4"}`))
	if err != nil {
		t.Fatal(err)
	}
	b, err := LeafOf("source", map[string]any{"a": "<ä", "b": 1})
	if err != nil || string(a) != string(b) || string(a) != `{"source":{"a":"<ä","b":1}}` {
		t.Errorf("%s %s %v", a, b, err)
	}
	for _, bad := range []string{"", "{", `{"a":1}{}`, `"\ud800"`} {
		if leaf, err := Leaf("source", []byte(bad)); err == nil {
			t.Errorf("%q is a leaf: %s", bad, leaf)
		}
	}
}
