// Package lazyregexp holds regular expressions that are compiled when they are first used. ibid has some four hundred: to compile
// them all takes longer than to start, and a tenth of what an idle server may hold, for pages and claims that it may never see.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// A Regexp is a regular expression. Its methods are those of regexp.Regexp.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New is for what regexp.MustCompile is for: a variable of a package. An expression that does not parse panics at its first
// use; in tests at once, where a package begins.
func New(expr string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if len(os.Args) > 0 && strings.HasSuffix(os.Args[0], ".test") {
		r.compiled()
	}
	return r
}
