package catalog

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/BurntSushi/toml"
)

//go:embed prices.toml
var prices []byte

//go:embed providers.toml
var providers []byte

// Limits of a user's file and of the figures in it.
const (
	maxFile   = 256 << 10 // bytes
	maxRows   = 4096
	maxDepth  = 8   // of brackets in brackets; the tables need 3
	maxDots   = 64  // outside of strings in one line; the tables need a dozen
	maxRate   = 1e6 // dollars per million tokens, or per search: beyond any price, within exact arithmetic
	maxFactor = 1e3
	maxTokens = int64(1e12)
)

// A FileError says what is wrong with a table, and where: it never quotes a value, which might be a key.
type FileError struct {
	Key    string // price."openai/gpt-5".input; empty: the file as a whole
	Reason string
}

func (e *FileError) Error() string {
	if e.Key == "" {
		return "the table of providers and prices: " + e.Reason
	}
	return fmt.Sprintf("the table of providers and prices: %s: %s", e.Key, e.Reason)
}

func wrong(key, format string, args ...any) error {
	return &FileError{Key: key, Reason: fmt.Sprintf(format, args...)}
}

// A file is a table as it is written; prices.toml and providers.toml tell its form.
type file struct {
	Date     string               `toml:"date"`
	Price    map[string]priceRow  `toml:"price"`
	Search   map[string]searchRow `toml:"search"`
	Provider []toml.Primitive     `toml:"provider"`
}

// Load reads the built-in tables and lays a user's file of the same form over them; nil is no file. A row of prices
// replaces the built-in row whole, so that no figure of an old price stays; of a provider only the keys that the file
// has are replaced. The error is a *FileError; keys that mean nothing are named in it.
func Load(user []byte) (*Catalog, error) {
	c := &Catalog{prices: map[string]Price{}, aliases: map[string]string{}, searches: map[string]SearchPrice{}}
	for _, table := range [][]byte{prices, providers} {
		if err := c.lay(table, ""); err != nil {
			return nil, fmt.Errorf("built in: %w", err)
		}
	}
	if err := c.overlay(user); err != nil {
		return nil, err
	}
	return c, nil
}

// overlay lays a user's file over the built-in tables.
func (c *Catalog) overlay(user []byte) error {
	if len(user) > maxFile {
		return wrong("", "it has more than %d bytes", maxFile)
	}
	if line := tangled(user); line > 0 {
		return wrong(fmt.Sprintf("line %d", line), "it is nested deeper than a table of this kind can be")
	}
	if err := c.lay(user, "the user's file"); err != nil {
		return err
	}
	for _, alias := range slices.Sorted(maps.Keys(c.aliases)) {
		if _, ok := c.prices[alias]; ok {
			return wrong(priceKey(c.aliases[alias]), "%.200q is among its aliases and has a row of its own", alias)
		}
	}
	return nil
}

// lay lays a table over what c has. source stands for the source of a row that names none; if it is empty, all must.
func (c *Catalog) lay(table []byte, source string) error {
	var f file
	meta, err := toml.Decode(string(table), &f)
	if err != nil {
		var at toml.ParseError
		if errors.As(err, &at) { // not its message, which quotes the file
			return wrong(fmt.Sprintf("line %d", at.Position.Line), "it is no TOML, or a value is of another type than it should be (last key: %.200q)", at.LastKey)
		}
		return wrong("", "%.500s", mistyped(err))
	}
	if len(f.Price)+len(f.Search)+len(f.Provider) > maxRows {
		return wrong("", "it has more than %d rows", maxRows)
	}
	if err := checkDate("date", f.Date, false); err != nil {
		return err
	}
	if f.Date != "" {
		c.date = f.Date
	}
	for _, name := range slices.Sorted(maps.Keys(f.Price)) {
		if err := c.layPrice(name, f.Price[name], source); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Search)) {
		if err := c.laySearch(name, f.Search[name], source); err != nil {
			return err
		}
	}
	if err := c.layProviders(meta, f.Provider); err != nil {
		return err
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		names := make([]string, len(extra))
		for i, key := range extra {
			names[i] = fmt.Sprintf("%.200s", key)
		}
		return wrong("", "it sets what does not exist: %.2000s", strings.Join(names, ", "))
	}
	return nil
}

// mistyped is what package toml says of a value of another type than it should be: the key and both types.
func mistyped(err error) string { return strings.TrimPrefix(err.Error(), "toml: ") }

// tangled returns the first line in which brackets are nested, or keys are strung together, beyond all need, and 0 if there is
// none: for such a file the time and the memory that package toml takes grow with the square of its length.
func tangled(table []byte) (line int) {
	depth, dots, quote := 0, 0, ""
	line = 1
	for i := 0; i < len(table); i++ {
		rest := table[i:]
		switch b := table[i]; {
		case b == '\n':
			line, dots = line+1, 0
			if len(quote) == 1 { // the end of a comment, or of a string that should have ended: package toml says so
				quote = ""
			}
		case quote == "#":
		case quote != "" && bytes.HasPrefix(rest, []byte(quote)):
			i += len(quote) - 1
			quote = ""
		case quote != "":
			if b == '\\' && quote[0] == '"' && !bytes.HasPrefix(rest[1:], []byte("\n")) {
				i++
			}
		case bytes.HasPrefix(rest, []byte(`"""`)), bytes.HasPrefix(rest, []byte("'''")):
			quote = string(rest[:3])
			i += 2
		case b == '"', b == '\'', b == '#':
			quote = string(b)
		case b == '[', b == '{':
			depth++
		case b == ']', b == '}':
			depth--
		case b == '.':
			dots++
		}
		if depth > maxDepth || dots > maxDots {
			return line
		}
	}
	return 0
}

// plain says whether s can be a name: not empty, not long, nothing in it that cannot be seen.
func plain(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool {
		return r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r)
	})
}

func checkDate(key, date string, must bool) error {
	if date == "" && !must {
		return nil
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return wrong(key, "it must be a day, as YYYY-MM-DD")
	}
	return nil
}
