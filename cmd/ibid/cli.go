package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"

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

// cli is the command line.
type cli struct {
	Home       string `help:"Where runs are kept." env:"IBID_HOME" placeholder:"DIR" type:"path"`
	Database   string `help:"Database of the runs: a PostgreSQL server (postgres://user@host/name), or a file instead of the one in the folder." env:"IBID_DATABASE" placeholder:"URL"`
	MaxWorking int    `help:"Runs of one user that are worked on at once; the next waits for its turn (0: any number)." default:"3" placeholder:"N" env:"IBID_MAX_WORKING"`
	MaxQueued  int    `help:"Background runs of one user that may wait for a worker (0: any number)." default:"100" placeholder:"N" env:"IBID_MAX_QUEUED"`
	Server     string `help:"Work with the runs of this server instead of this machine's; IBID_TOKEN holds the token, where it wants one." env:"IBID_SERVER" placeholder:"URL"`
	Config     string `help:"Configuration file (TOML)." env:"IBID_CONFIG" placeholder:"FILE" type:"path"`
	JSON       bool   `help:"Machine-readable output: JSON, or JSON Lines of events for research."`
	Quiet      bool   `short:"q" help:"No progress on stderr." env:"IBID_QUIET"`
	Color      string `help:"Colour on stderr: auto, always, never (NO_COLOR is honoured)." enum:"auto,always,never" default:"auto" env:"IBID_COLOR"`

	Research   researchCmd   `cmd:"" help:"Research a question and print the report."`
	Extract    extractCmd    `cmd:"" help:"Show what ibid reads in a file or URL: spans with their locators."`
	Replay     replayCmd     `cmd:"" help:"Run a recorded run again, with no network, and compare."`
	Watch      watchCmd      `cmd:"" help:"Show what a run does until it is over or waits for a person, and then its report."`
	Resume     resumeCmd     `cmd:"" help:"Go on with a run that was interrupted or parked."`
	Fork       forkCmd       `cmd:"" help:"Run again over recorded evidence with another prompt or budget, and compare the two."`
	Report     reportCmd     `cmd:"" help:"Print a report in another form: html, pdf, docx, json, csl, bibtex, ris, annotations."`
	Verify     verifyCmd     `cmd:"" help:"Check a bundle or a JSON report by itself, a run's report, or a Markdown report against its run or bundle."`
	Bundle     bundleCmd     `cmd:"" help:"Write a run as one file that anybody can check: its report, sources as fetched, journal, and a Merkle root."`
	Recheck    recheckCmd    `cmd:"" help:"Ask a run's sources again, and say which still say what they said: unchanged, moved, edited, gone."`
	Check      checkCmd      `cmd:"" help:"Check a report that ibid did not write: read its citations and sources, and hold each claim against them."`
	Keys       keysCmd       `cmd:"" help:"Print the public key that checks the signature of bundles; makes a key to sign with where there is none."`
	Worker     workerCmd     `cmd:"" help:"Work on background runs, until it is stopped."`
	Runs       runsCmd       `cmd:"" help:"List, show, stop, compare, export, import and delete runs."`
	KB         kbCmd         `cmd:"" name:"kb" help:"Knowledge bases: what is remembered across runs."`
	Gate       gateCmd       `cmd:"" help:"List, approve and deny what waits for a person."`
	GC         gcCmd         `cmd:"" name:"gc" help:"Delete what nobody needs any more, and runs that are too old where that is set; compact the database."`
	Workspace  workspaceCmd  `cmd:"" help:"Take back what a run changed in your folder."`
	Serve      serveCmd      `cmd:"" help:"Serve the API, and work on the runs that are asked for there."`
	Token      tokenCmd      `cmd:"" help:"Make, list and revoke the tokens that open the API."`
	Audit      auditCmd      `cmd:"" help:"Hold claims against evidence, by rules, with no network."`
	Eval       evalCmd       `cmd:"" help:"Measure ibid on sets of documents and questions; their own scorers read the result."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Speak the Model Context Protocol: ibid's tools for other programs, and theirs for ibid."`
	Doctor     doctorCmd     `cmd:"" help:"Check that ibid can work here."`
	ConfigShow configCmd     `cmd:"" name:"config" help:"Show the configuration and where it comes from."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`
}

const description = `A research agent whose every claim can be checked: each carries a locator and the source's own words, verified before the report is printed.

Exit status: 0 a verified report; 1 failed; 2 usage; 3 a report that is incomplete, gaps named (budget or stop), or in which nothing was established; 4 configuration; 5 an integrity check failed, nothing on stdout; 6 a person is needed or said no; 130 aborted.`

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
	parser, err := kong.New(&c, kong.Name("ibid"), kong.Description(description), kong.Writers(out, errw),
		kong.Exit(func(n int) { code = n; panic(exit(n)) }), kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}), kong.Resolvers(origin))
	if err != nil {
		fmt.Fprintln(errw, "ibid:", err)
		return exitFailed
	}
	kctx, err := parse(parser, args, origin)
	if code >= 0 { // help was printed
		return code
	}
	if err != nil {
		if from := origin.blame(err); from != "" {
			fmt.Fprintf(errw, "ibid: the configuration %s: %v\n", from, err)
			return exitConfig
		}
		fmt.Fprintf(errw, "ibid: %v\nTry 'ibid --help'.\n", err)
		if runs.CodeOf(err) == runs.Unready {
			return exitConfig
		}
		return exitUsage
	}
	err = kctx.Run(&env{ctx: ctx, in: in, out: out, err: errw, cli: &c, origin: origin, stopped: make(chan struct{})})
	var ended exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ended):
		return int(ended)
	}
	fmt.Fprintf(errw, "ibid: %s\n", strings.TrimSpace(err.Error()))
	return exitCode(err)
}

// parse reads the configuration file and then the arguments; help ends it through kong's exit, which is caught here.
func parse(parser *kong.Kong, args []string, origin *origins) (kctx *kong.Context, err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(exit); !ok {
				panic(p)
			}
		}
	}()
	if err := origin.load(args, os.Getenv); err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = []string{"--help"}
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
