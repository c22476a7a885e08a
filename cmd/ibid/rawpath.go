package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"ibid/runs"
)

// A rawPath is a file's name as the shell gave it, byte by byte: on some disks it is no UTF-8, which the parser of the
// command line would replace.
type rawPath string

// Decode takes the argument as it is.
func (p *rawPath) Decode(ctx *kong.DecodeContext) error {
	token, err := ctx.Scan.PopValue("file")
	if err != nil {
		return err
	}
	s, ok := token.Value.(string)
	if !ok {
		return fmt.Errorf("expected the name of a file, not %v", token.Value)
	}
	*p = rawPath(s)
	return nil
}

// checkArguments refuses arguments that could not be recorded as they are: all but the files that are only read once.
func checkArguments(args []string) error {
	if len(args) > 0 && args[0] == "extract" {
		return nil
	}
	for _, arg := range args {
		if err := checkName(arg); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses a text that is no UTF-8, which a run could not record.
func checkName(name string) error {
	if utf8.ValidString(name) {
		return nil
	}
	return &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%+q is not in UTF-8", name), Hint: "Rename it, or link to it by another name."}
}
