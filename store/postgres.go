package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// IsPostgres says whether an address is that of a PostgreSQL server.
func IsPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// Password returns the password in the address of a database, "" if there is none.
func Password(address string) string {
	if !IsPostgres(address) {
		return ""
	}
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return ""
	}
	return c.ConnConfig.Password
}

// Redact returns an address without its password and without what its parameters may hold.
func Redact(address string) string {
	if !IsPostgres(address) {
		return address
	}
	c, err := pgxpool.ParseConfig(address)
	if err != nil {
		return "postgres://…"
	}
	return shown(c.ConnConfig)
}

func shown(c *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Host: c.Host, Path: "/" + c.Database}
	if strings.HasPrefix(c.Host, "/") { // the folder of a socket
		return "postgres://" + u.User.String() + "@" + c.Host + u.Path
	}
	if c.Port != 5432 {
		u.Host = net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	}
	return u.String()
}

// session is what every connection is set to. No transaction is held over I/O: one that stands still is of a process that
// was stopped, and lets go of what others wait for. They wait as long as on SQLite. A commit is on the disk when it is
// acknowledged, also where the server is set to be faster than that.
const session = `SELECT set_config('idle_in_transaction_session_timeout', '10s', FALSE), set_config('lock_timeout', '10s', FALSE),
	set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, FALSE)`

// openPostgres opens a database on a server. Nothing that it says holds the password.
func openPostgres(ctx context.Context, address string) (*DB, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("store: the address of the database cannot be read%s; its form is postgres://user:password@host:5432/name?sslmode=require, with / # ? @ and %% in a password written as %%2F %%23 %%3F %%40 and %%25", why(address))
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = 16
	}
	config.MaxConns = max(config.MaxConns, 4) // an export's, a heartbeat's, and those that migrate
	if !strings.Contains(address, "connect_timeout") && os.Getenv("PGCONNECT_TIMEOUT") == "" {
		config.ConnConfig.ConnectTimeout = patience
	}
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, session)
		return err
	}
	where := shown(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", where, explain(err))
	}
	db := &DB{DB: stdlib.OpenDBFromPool(pool), Path: where, ForUpdate: " FOR NO KEY UPDATE", UnlessHeld: " FOR NO KEY UPDATE SKIP LOCKED", pool: pool, marks: newMarks(rand.Text(), int(config.MaxConns))}
	err = db.Sync(ctx)
	if err == nil {
		err = db.migratePostgres(ctx)
	}
	if err == nil { // those of programs that are gone
		_, err = db.ExecContext(ctx, `DELETE FROM committed WHERE at < $1`, db.Now().Add(-24*time.Hour).UnixMilli())
	}
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", where, errors.Join(explain(err), db.Close()))
	}
	return db, nil
}

// why tells what is wrong with an address, as far as that can be told without what might be a password.
func why(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	if q, err := url.ParseQuery(u.RawQuery); err == nil {
		q.Del("password")
		q.Del("sslpassword")
		u.RawQuery = q.Encode()
	}
	rest := u.String()
	var wrong *pgconn.ParseConfigError
	if strings.ContainsAny(rest, "@#") {
		return ""
	}
	if _, err := pgxpool.ParseConfig(rest); errors.As(err, &wrong) && errors.Unwrap(wrong) != nil {
		return " (" + errors.Unwrap(wrong).Error() + ")"
	}
	return ""
}

// migratePostgres brings the schema up to date: one process at a time, the others wait and find it made.
func (db *DB) migratePostgres(ctx context.Context) error {
	provider, err := migrations(goose.DialectPostgres, db.DB)
	if err != nil {
		return err
	}
	var made, may bool
	var schema, readOnly sql.NullString
	err = db.QueryRowContext(ctx, `SELECT current_schema(), to_regclass('goose_db_version') IS NOT NULL, COALESCE(has_schema_privilege(current_schema(), 'CREATE'), FALSE), current_setting('transaction_read_only')`).
		Scan(&schema, &made, &may, &readOnly)
	switch {
	case err != nil:
		return err
	case made:
	case !schema.Valid:
		return errors.New("there is no schema to make tables in: look at search_path")
	case readOnly.String == "on":
		return errors.New("the database may not be written: is the server a standby?")
	case !may:
		return fmt.Errorf("the database user may not make tables in the schema %s: let it own the database or the schema", schema.String)
	}
	if made { // the usual case: look, and lock nothing
		if done, err := current(ctx, provider, db.DB); done || err != nil {
			return err
		}
	}
	lock, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer lock.Rollback() // it wrote nothing
	// Those who wait here may wait for as long as a migration takes, and who holds it does nothing else on this connection.
	for _, query := range []string{`SET LOCAL lock_timeout = 0`, `SET LOCAL idle_in_transaction_session_timeout = 0`,
		`SELECT pg_advisory_xact_lock(hashtext('ibid migrations'), hashtext(current_schema()))`} {
		if _, err := lock.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	if done, err := current(ctx, provider, db.DB); done || err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// postgresSays names what lies behind an error of PostgreSQL, "" if there is nothing to add.
func postgresSays(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if unreachable(err) {
			return "the database server cannot be reached"
		}
		return ""
	}
	switch e.Code {
	case "28P01", "28000":
		return "the database server refuses this user or password"
	case "3D000":
		return "there is no such database on the server: make it with createdb"
	case "42501":
		return "the database user may not do this: let it own the database or schema"
	case "22021":
		return "it holds text that PostgreSQL cannot keep"
	case "25006":
		return "the database may not be written: is the server a standby?"
	case "53100":
		return "the server's disk is full"
	case "53300":
		return "the database server has no connection left: fewer workers, pool_max_conns in the address, or max_connections on the server"
	case "55P03":
		return "another program holds the database"
	case "57P01", "57P02", "57P03":
		return "the database server is going down or coming up"
	case "XX001", "XX002":
		return "the database is damaged; restore it from a backup"
	}
	return ""
}
