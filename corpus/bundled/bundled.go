// Package bundled is the corpus that ibid carries with it, so that its first command works without a network: some
// twenty invented documents about what agent runs cost, with neighbours that are about something else and with the traps
// that real sources set. See index.json.
package bundled

import "embed"

// FS holds index.json, which maps URLs to files, and the files.
//
//go:embed index.json pages papers talks repos
var FS embed.FS
