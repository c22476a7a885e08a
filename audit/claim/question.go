package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Question is a claim and the words that it rests on, for a judge to look at: what rules flag and cannot decide.
type Question struct {
	Claim, Quote string
	Context      Context
}

// ID names a question by its content: SHA-256, in hex.
func (q Question) ID() string {
	h := sha256.New()
	c := q.Context
	for _, s := range []string{q.Claim, q.Quote, c.Title, c.Heading, c.Table, c.Before, c.After, c.Voice} {
		fmt.Fprintf(h, "%d %s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Judgeable reports whether a judge may clear a flag of this code. That a source gives orders to its readers, or that the
// words are somebody else's, is a fact about the source and no matter of what follows from it.
func (c Code) Judgeable() bool {
	_, known := weights[c]
	return known && c != Injected && c != OtherVoice
}
