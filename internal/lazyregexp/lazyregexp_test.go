package lazyregexp

import (
	"os"
	"testing"
)

// TestCompiledWhenUsed: a program compiles an expression at its first use, and a test at once, so that one that does not parse
// never waits for somebody to meet it.
func TestCompiledWhenUsed(t *testing.T) {
	panics := func(f func()) (did bool) {
		defer func() { did = recover() != nil }()
		f()
		return false
	}
	if !panics(func() { New(`(`) }) {
		t.Error("a broken expression is let through in a test")
	}
	name := os.Args[0]
	defer func() { os.Args[0] = name }()
	os.Args[0] = "ibid"
	var broken *Regexp
	if panics(func() { broken = New(`(`) }) {
		t.Fatal("an expression is compiled before it is used")
	}
	if !panics(func() { broken.MatchString("") }) {
		t.Error("a broken expression matches")
	}
	if r := New(`(\d+)-(?P<to>\d+)`); r.FindStringSubmatch("see 12-15")[r.SubexpIndex("to")] != "15" {
		t.Error("it does not do what a regular expression does")
	}
}
