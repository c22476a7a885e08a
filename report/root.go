package report

import (
	"encoding/hex"
	"fmt"

	"ibid/audit"
	"ibid/evidence"
	"ibid/merkle"
)

// Root is the root of the Merkle tree over sources and findings, in hex: what a report rests on, whole. A report prints it
// at its end, so that its evidence cannot be exchanged behind it. The report itself cannot be a leaf of a tree whose root it
// holds; a bundle's tree goes on from these leaves and covers it (docs/bundles.md).
func Root(sources []evidence.Source, findings []evidence.Finding) (string, error) {
	var leaves [][]byte
	for _, s := range sources {
		leaf, err := merkle.LeafOf("source", s)
		if err != nil {
			return "", fmt.Errorf("report: the root: %w", err)
		}
		leaves = append(leaves, leaf)
	}
	for _, f := range findings {
		leaf, err := merkle.LeafOf("finding", f)
		if err != nil {
			return "", fmt.Errorf("report: the root: %w", err)
		}
		leaves = append(leaves, leaf)
	}
	tree, err := merkle.New(leaves)
	if err != nil {
		return "", fmt.Errorf("report: the root: %w", err)
	}
	return hex.EncodeToString(tree.Root[:]), nil
}

// checkRoot adds to a result what is wrong with the root that a bundle states. Reports of before have none.
func (b Bundle) checkRoot(r audit.Result) audit.Result {
	if b.Facts == nil || b.Facts.Root == "" {
		return r
	}
	if root, err := Root(b.Sources, b.Findings); err != nil || root != b.Facts.Root {
		r.OK = false
		r.Failures = append(r.Failures, audit.Failure{Code: audit.RunStatement, Severity: audit.Block, Text: b.Facts.Root,
			Message: "The sources and findings are not those over which this root was computed."})
	}
	return r
}
