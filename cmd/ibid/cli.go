package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ibid/internal/lazyregexp"
	"ibid/journal"
	"ibid/runs"
	"ibid/store"
)

// Exit codes, told in the help.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitIncomplete = 3
	exitConfig     = 4
	exitIntegrity  = 5
	exitGate       = 6
	exitAborted    = 130
)

// cli is the command line. The first sentence of each command's help is a line of the help of all; chapters has their order.
type cli struct {
	Home       string `help:"Folder in which runs are kept." env:"IBID_HOME" placeholder:"DIR" type:"path"`
	Database   string `help:"Database of the runs: a file, or a PostgreSQL server." env:"IBID_DATABASE" placeholder:"URL"`
	Server     string `help:"Work with the runs of this server; IBID_TOKEN has the token." env:"IBID_SERVER" placeholder:"URL"`
	Config     string `help:"Configuration file (TOML)." env:"IBID_CONFIG" placeholder:"FILE" type:"path"`
	MaxWorking int    `help:"Runs of a user at work at once; others wait (0: any number)." default:"3" placeholder:"N" env:"IBID_MAX_WORKING"`
	MaxQueued  int    `help:"Runs of a user that may wait for a worker (0: any number)." default:"100" placeholder:"N" env:"IBID_MAX_QUEUED"`
	JSON       bool   `help:"Machine-readable output: JSON, or a line of JSON an event."`
	Quiet      bool   `short:"q" help:"No progress on stderr." env:"IBID_QUIET"`
	Color      string `help:"Colour on stderr: auto, always, never (NO_COLOR counts)." placeholder:"WHEN" enum:"auto,always,never" default:"auto" env:"IBID_COLOR"`

	Research   researchCmd   `cmd:"" help:"Research a question and print the report."`
	Watch      watchCmd      `cmd:"" help:"Show what a run does, and then its report."`
	Resume     resumeCmd     `cmd:"" help:"Go on with a run that was interrupted or parked."`
	Replay     replayCmd     `cmd:"" help:"Run a recorded run again, with no network, and compare."`
	Fork       forkCmd       `cmd:"" help:"Run again over recorded evidence, with another prompt or budget."`
	Extract    extractCmd    `cmd:"" help:"Show what ibid reads in a file or page, with its locators."`
	Report     reportCmd     `cmd:"" help:"Print a report in another form: HTML, PDF, DOCX, JSON, BibTeX …"`
	Verify     verifyCmd     `cmd:"" help:"Check a run's report once more, a report in a file, or a bundle."`
	Bundle     bundleCmd     `cmd:"" help:"Write a run as one file that anybody can check by itself."`
	Recheck    recheckCmd    `cmd:"" help:"Ask a run's sources again: do they still say so?"`
	Check      checkCmd      `cmd:"" help:"Check a report that ibid did not write against its sources."`
	Keys       keysCmd       `cmd:"" help:"Print the public key of your bundles; make one where there is none."`
	Runs       runsCmd       `cmd:"" help:"List, show, stop, compare, export, import and delete runs."`
	Gate       gateCmd       `cmd:"" help:"List, approve and deny what waits for a person."`
	KB         kbCmd         `cmd:"" name:"kb" help:"Knowledge bases: what is remembered across runs."`
	Workspace  workspaceCmd  `cmd:"" help:"Take back what a run changed in your folder."`
	GC         gcCmd         `cmd:"" name:"gc" help:"Delete what nobody needs any more, and compact the database."`
	Serve      serveCmd      `cmd:"" help:"Serve the API, and work on the runs that are asked for there."`
	Worker     workerCmd     `cmd:"" help:"Work on background runs, until it is stopped."`
	Token      tokenCmd      `cmd:"" help:"Make, list and revoke the tokens that open the API."`
	Quota      quotaCmd      `cmd:"" help:"How many runs a user may have at once."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Speak the Model Context Protocol: serve tools, list others'."`
	Doctor     doctorCmd     `cmd:"" help:"Say what is set up, what is not, and what to set."`
	ConfigShow configCmd     `cmd:"" name:"config" help:"Show the configuration and where it comes from."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
	Audit      auditCmd      `cmd:"" help:"Hold claims against evidence, by rules, with no network."`
	Eval       evalCmd       `cmd:"" help:"Measure ibid on sets of documents and questions."`
}

// env is what a command works with: the outside world, handed down.
type env struct {
	ctx     context.Context
	in      io.Reader
	out     io.Writer // the result, and nothing else
	err     io.Writer // everything else
	cli     *cli
	origin  *origins
	stopped chan struct{}    // closed at the first interrupt of a run
	db      *store.DB        // set when the store is opened
	journal *journal.Journal // likewise
}

// exit ends a command with a code and no further message.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the program, with everything it touches as an argument.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	if len(args) == 1 && args[0] == pdfWorkerArg {
		return servePDFs(in, out, errw)
	}
	if err := checkArguments(args); err != nil {
		fmt.Fprintf(errw, "ibid: %v\n", err)
		return exitUsage
	}
	var c cli
	origin := &origins{}
	code := -1
	parser, err := kong.New(&c, kong.Name("ibid"), kong.Writers(out, errw), kong.Exit(func(n int) { code = n; panic(exit(n)) }),
		kong.Help(printHelp), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Resolvers(origin))
	if err != nil {
		fmt.Fprintln(errw, "ibid:", err)
		return exitFailed
	}
	arrange(parser.Model)
	args = familiar(args)
	kctx, err := parse(parser, args, origin)
	if code >= 0 { // help was printed
		return code
	}
	if err != nil {
		if from := origin.blame(err); from != "" {
			fmt.Fprintf(errw, "ibid: the configuration %s: %v\n", from, err)
			return exitConfig
		}
		if runs.CodeOf(err) == runs.Unready {
			fmt.Fprintf(errw, "ibid: %v\n", err)
			return exitConfig
		}
		var command *kong.Node
		if wrong := (*kong.ParseError)(nil); errors.As(err, &wrong) {
			command = wrong.Context.Selected()
		}
		fmt.Fprintf(errw, "ibid: %v\n%s\n", err, usageHint(args, command))
		return exitUsage
	}
	if err := c.reaches(kctx.Selected().FullPath()); err != nil {
		fmt.Fprintf(errw, "ibid: %v\n", err)
		return exitCode(err)
	}
	taken := &result{Writer: out}
	err = kctx.Run(&env{ctx: ctx, in: in, out: taken, err: errw, cli: &c, origin: origin, stopped: make(chan struct{})})
	if err == nil && taken.err != nil {
		err = fmt.Errorf("writing the result: %w", taken.err)
	}
	var ended exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ended):
		return int(ended)
	}
	fmt.Fprintf(errw, "ibid: %s\n", told(err))
	return exitCode(err)
}

// rooms are the packages' names that errors begin with, which say nothing to a person at a terminal.
var rooms = lazyregexp.New(`(^|: )(?:(?:journal|store|report|knowledge|runs|research|agent|corpus|recheck|bundle|audit|eval): )+`)

// told is an error in the words that are for people.
func told(err error) string { return rooms.ReplaceAllString(strings.TrimSpace(err.Error()), "$1") }

// parse reads the configuration file and then the arguments; help ends it through kong's exit, which is caught here.
func parse(parser *kong.Kong, args []string, origin *origins) (kctx *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(exit); !ok {
				panic(p)
			}
		}
	}()
	if err := origin.load(args, os.Getenv); err != nil && !slices.Contains(args, "--help") {
		return nil, err
	}
	return parser.Parse(args)
}

// exitCode maps a failure to the program's exit status.
func exitCode(err error) int {
	switch runs.CodeOf(err) {
	case runs.Invalid, runs.NotFound:
		return exitUsage
	case runs.Unready:
		return exitConfig
	case runs.Integrity:
		return exitIntegrity
	case runs.Unattended:
		return exitGate
	}
	return exitFailed
}
