package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// errNewer says that a newer program made the schema.
var errNewer = errors.New("use a newer ibid")

// migrations is the one set for both engines.
func migrations(d goose.Dialect, db *sql.DB) (*goose.Provider, error) {
	set, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return nil, err
	}
	if d == goose.DialectPostgres {
		set = forPostgres{set}
	}
	return goose.NewProvider(d, db, set, goose.WithDisableGlobalRegistry(true))
}

// current says whether the schema is that of this program. A newer one is errNewer.
func current(ctx context.Context, p *goose.Provider) (bool, error) {
	sources := p.ListSources()
	newest := sources[len(sources)-1].Version
	version, err := p.GetDBVersion(ctx)
	if err == nil && version > newest {
		err = fmt.Errorf("the database has schema %d and this program knows %d: %w", version, newest, errNewer)
	}
	return err == nil && version == newest, err
}

// forPostgres translates the migrations: text is compared by its bytes, so that rows come in the same order whatever the
// server's language, and lines that begin with "-- postgres:" count.
type forPostgres struct{ fs.FS }

var text = regexp.MustCompile(`\bTEXT\b`)

func (f forPostgres) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil || !strings.HasSuffix(name, ".sql") {
		return file, err
	}
	defer file.Close()
	source, err := fs.ReadFile(f.FS, name)
	if err != nil {
		return nil, err
	}
	return &translated{strings.NewReader(text.ReplaceAllString(strings.ReplaceAll(string(source), "-- postgres:", ""), `TEXT COLLATE "C"`)), name}, nil
}

// translated is a file in memory, and what is to be known of it.
type translated struct {
	*strings.Reader
	name string
}

func (t *translated) Stat() (fs.FileInfo, error) { return t, nil }
func (t *translated) Close() error               { return nil }
func (t *translated) Name() string               { return t.name }
func (t *translated) Mode() fs.FileMode          { return 0o444 }
func (t *translated) ModTime() time.Time         { return time.Time{} }
func (t *translated) IsDir() bool                { return false }
func (t *translated) Sys() any                   { return nil }
