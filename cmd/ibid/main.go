// Command ibid researches a question in sources and writes a report whose every claim can be traced to a span of a
// source, in the source's own words.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, stderr()))
}
