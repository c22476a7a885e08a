package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var embedded embed.FS

// errNewer says that a newer program made the schema.
var errNewer = errors.New("use a newer ibid")

// migrations is the one set for both engines. One that a database lacks is run, although newer ones were: a build from between
// two releases may have made it.
func migrations(d goose.Dialect, db *sql.DB) (*goose.Provider, error) {
	set, err := fs.Sub(embedded, "migrations")
	if err != nil {
		return nil, err
	}
	if d == goose.DialectPostgres {
		set = forPostgres{set}
	}
	return goose.NewProvider(d, db, set, goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
}

// current says whether the schema is that of this program: all migrations that it knows were run, of whichever age, and no
// other. One that another program ran and this one does not know is errNewer.
func current(ctx context.Context, p *goose.Provider, db *sql.DB) (bool, error) {
	if _, err := p.GetDBVersion(ctx); err != nil { // makes the table of them
		return false, err
	}
	rows, err := db.QueryContext(ctx, `SELECT version_id FROM `+goose.DefaultTablename+` WHERE is_applied AND version_id > 0 ORDER BY version_id DESC`)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	lacking := map[int64]bool{}
	for _, s := range p.ListSources() {
		lacking[s.Version] = true
	}
	newest := p.ListSources()[len(lacking)-1].Version
	known := maps.Clone(lacking)
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return false, err
		}
		if !known[version] {
			return false, fmt.Errorf("the database has schema %d and this program knows those up to %d, without that one: %w", version, newest, errNewer)
		}
		delete(lacking, version)
	}
	return len(lacking) == 0, rows.Err()
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
