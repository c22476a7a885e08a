package server

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"ibid/runs"
	"ibid/store"
)

// A Scope is a part of what a user may do, which a token covers or not.
type Scope string

const (
	Read  Scope = "runs:read"  // lists, events, reports, sources, checks
	Write Scope = "runs:write" // starting, stopping, forking, rejecting, deleting; webhooks
	Gates Scope = "gates"      // deciding where a person is needed
	Admin Scope = "admin"      // what concerns the server and no user's runs: metrics
)

// Scopes are all of them.
var Scopes = []Scope{Read, Write, Gates, Admin}

// Tokens are the tokens that a database knows. Of each it keeps the hash.
type Tokens struct {
	DB  *store.DB
	Now func() time.Time // nil: the database's

	mu   sync.Mutex
	used map[string]time.Time // when it was last written
}

// A Token is what is shown of one.
type Token struct {
	ID      string    `json:"id"`
	User    string    `json:"user"`
	Name    string    `json:"name"`
	Scopes  []Scope   `json:"scopes"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
	Revoked time.Time `json:"revoked,omitzero"`
	Used    time.Time `json:"used,omitzero"` // last, to the minute
}

// A secret scanner finds tokens by their form. The first part is the id, the second 256 random bits.
var tokenForm = regexp.MustCompile(`^ibid_([a-z2-7]{12})_([a-z2-7]{52})$`)

var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func random(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return letters.EncodeToString(b)
}

func (t *Tokens) now() time.Time {
	if t.Now != nil {
		return t.Now()
	}
	return t.DB.Now()
}

// Create makes a token for a user and returns it: it is told this once. expires may be zero: never.
func (t *Tokens) Create(ctx context.Context, user, name string, scopes []Scope, expires time.Time) (string, Token, error) {
	switch {
	case user == "" || name == "":
		return "", Token{}, &runs.Error{Code: runs.Invalid, Message: "a token is of a user and has a name"}
	case !plain(user) || !plain(name):
		return "", Token{}, &runs.Error{Code: runs.Invalid, Message: "the user or the name of a token has more than 100 characters, such as cannot be printed, or a space at its beginning or end"}
	case len(scopes) == 0:
		return "", Token{}, &runs.Error{Code: runs.Invalid, Message: "a token without scopes opens nothing", Hint: "Name some of: " + joined(Scopes)}
	}
	for _, s := range scopes {
		if !slices.Contains(Scopes, s) {
			return "", Token{}, &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("there is no scope %q", s), Hint: "The scopes are: " + joined(Scopes)}
		}
	}
	id := random(8)[:12]
	secret := "ibid_" + id + "_" + random(32)
	k := Token{ID: id, User: user, Name: name, Scopes: scopes, Created: t.now().UTC().Truncate(time.Millisecond), Expires: expires}
	_, err := t.DB.ExecContext(ctx, `INSERT INTO token (id, sha256, user_name, name, scopes, created, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		id, store.Hash([]byte(secret)), user, name, joined(scopes), k.Created.UnixMilli(), millis(expires))
	if err != nil {
		return "", Token{}, fmt.Errorf("server: keeping a token: %w", err)
	}
	return secret, k, nil
}

// plain says whether a name reads as what it is.
func plain(name string) bool {
	return utf8.ValidString(name) && utf8.RuneCountInString(name) <= 100 && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

func joined(scopes []Scope) string {
	list := make([]string, len(scopes))
	for i, s := range scopes {
		list[i] = string(s)
	}
	return strings.Join(list, " ")
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

const tokenColumns = `id, sha256, user_name, name, scopes, created, expires, revoked, used`

func scanToken(row interface{ Scan(...any) error }) (k Token, hash string, err error) {
	var scopes string
	var created, expires, revoked, used int64
	err = row.Scan(&k.ID, &hash, &k.User, &k.Name, &scopes, &created, &expires, &revoked, &used)
	for _, s := range strings.Fields(scopes) {
		k.Scopes = append(k.Scopes, Scope(s))
	}
	k.Created, k.Expires, k.Revoked, k.Used = instant(created), instant(expires), instant(revoked), instant(used)
	return k, hash, err
}

// List lists tokens, the oldest first.
func (t *Tokens) List(ctx context.Context) ([]Token, error) {
	rows, err := t.DB.QueryContext(ctx, `SELECT `+tokenColumns+` FROM token ORDER BY created, id`)
	if err != nil {
		return nil, fmt.Errorf("server: listing tokens: %w", err)
	}
	defer rows.Close()
	list := []Token{}
	for rows.Next() {
		k, _, err := scanToken(rows)
		if err != nil {
			return nil, fmt.Errorf("server: listing tokens: %w", err)
		}
		list = append(list, k)
	}
	return list, rows.Err()
}

// Revoke ends a token.
func (t *Tokens) Revoke(ctx context.Context, id string) error {
	res, err := t.DB.ExecContext(ctx, `UPDATE token SET revoked = $2 WHERE id = $1 AND revoked = 0`, id, t.now().UnixMilli())
	if err != nil {
		return fmt.Errorf("server: revoking a token: %w", err)
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return &runs.Error{Code: runs.NotFound, Message: "there is no token " + id + " that holds", Hint: "See them with: ibid token list"}
	}
	return nil
}

// Any says whether there is a token that opens anything.
func (t *Tokens) Any(ctx context.Context) (bool, error) {
	var n int
	err := t.DB.QueryRowContext(ctx, `SELECT COUNT(*) FROM token WHERE revoked = 0 AND (expires = 0 OR expires > $1)`, t.now().UnixMilli()).Scan(&n)
	return n > 0, err
}

// nobody is compared with where there is no such token, so that it takes as long.
var nobody = store.Hash([]byte("nobody"))

// find is the token with a secret. ok is false where none holds, whatever the reason.
func (t *Tokens) find(ctx context.Context, secret string) (k Token, ok bool, err error) {
	m := tokenForm.FindStringSubmatch(secret)
	if m == nil {
		return Token{}, false, nil
	}
	k, hash, err := scanToken(t.DB.QueryRowContext(ctx, `SELECT `+tokenColumns+` FROM token WHERE id = $1`, m[1]))
	known := err == nil
	switch {
	case errors.Is(err, sql.ErrNoRows):
		hash = nobody
	case err != nil:
		return Token{}, false, fmt.Errorf("server: looking up a token: %w", err)
	}
	same := subtle.ConstantTimeCompare([]byte(hash), []byte(store.Hash([]byte(secret)))) == 1
	now := t.now()
	if !known || !same || !k.Revoked.IsZero() || !k.Expires.IsZero() && !now.Before(k.Expires) {
		return Token{}, false, nil
	}
	return k, true, t.use(ctx, k, now)
}

// use notes that a token was used, once a minute.
func (t *Tokens) use(ctx context.Context, k Token, now time.Time) error {
	t.mu.Lock()
	if t.used == nil {
		t.used = map[string]time.Time{}
	}
	due := now.Sub(t.used[k.ID]) >= time.Minute
	if due {
		t.used[k.ID] = now
	}
	t.mu.Unlock()
	if !due || now.Sub(k.Used) < time.Minute {
		return nil
	}
	_, err := t.DB.ExecContext(ctx, `UPDATE token SET used = $2 WHERE id = $1 AND used < $2`, k.ID, now.Truncate(time.Minute).UnixMilli())
	if err != nil {
		return fmt.Errorf("server: noting the use of a token: %w", err)
	}
	return nil
}

// A caller is who asks, and what they may do.
type caller struct {
	user   string
	token  string // its id; "": none is needed
	scopes []Scope
}

func (c caller) may(s Scope) bool { return slices.Contains(c.scopes, s) }

// name is what a caller is counted under.
func (c caller) name() string { return c.token + "/" + c.user }

// who finds out who asks. Whatever is wrong with a token, the answer is the same.
func (s *Server) who(r *http.Request) (caller, error) {
	no := refuse(problemUnauthorised, "Send it as: Authorization: Bearer ibid_…", "this takes a token that holds")
	given := r.Header.Get("Authorization")
	if given == "" {
		if s.config.User == "" {
			return caller{}, no
		}
		return caller{user: s.config.User, scopes: Scopes}, nil
	}
	scheme, secret, _ := strings.Cut(given, " ")
	if strings.EqualFold(scheme, "Bearer") && s.config.Tokens != nil {
		k, ok, err := s.config.Tokens.find(r.Context(), strings.TrimSpace(secret))
		if err != nil || ok {
			return caller{k.User, k.ID, k.Scopes}, err
		}
	}
	if !s.strikes.get(address(r)).Allow() {
		return caller{}, refuse(problemTooMany, "Wait a minute.", "too many wrong tokens came from this address").after(60)
	}
	return caller{}, no
}
