package main

import (
	"encoding/json"
	"fmt"
	"os/user"
	"strings"
	"time"

	"ibid/runs"
	"ibid/server"
)

type tokenCmd struct {
	Create tokenCreateCmd `cmd:"" help:"Make a token for the API and print it, this once."`
	List   tokenListCmd   `cmd:"" help:"List tokens, without what opens anything."`
	Revoke tokenRevokeCmd `cmd:"" help:"End a token."`
}

type tokenCreateCmd struct {
	Name    string        `arg:"" help:"What it is for."`
	User    string        `help:"Whose runs it opens; you, if left out." placeholder:"NAME"`
	Scope   []string      `help:"What it opens: runs:read, runs:write, gates, admin." default:"runs:read,runs:write,gates" placeholder:"SCOPE"`
	Expires time.Duration `help:"For how long it holds, as 720h (0: for ever)." default:"0s"`
}

// Run makes a token.
func (c *tokenCreateCmd) Run(e *env) error {
	if c.Expires < 0 {
		return &runs.Error{Code: runs.Invalid, Message: "--expires: a token that has expired opens nothing"}
	}
	if c.User == "" {
		u, err := user.Current()
		if err != nil {
			return &runs.Error{Code: runs.Invalid, Message: "finding out who you are", Err: err, Hint: "Name the user with --user."}
		}
		c.User = u.Username
	}
	var scopes []server.Scope
	for _, s := range c.Scope {
		scopes = append(scopes, server.Scope(s))
	}
	return e.withTokens(func(t *server.Tokens) error {
		var until time.Time
		if c.Expires > 0 {
			until = t.DB.Now().Add(c.Expires).UTC()
		}
		secret, k, err := t.Create(e.ctx, c.User, c.Name, scopes, until)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(struct {
				Secret string `json:"secret"`
				server.Token
			}{secret, k})
		}
		fmt.Fprintln(e.out, secret)
		fmt.Fprintf(e.err, "token %s of %s; it is shown this once\n", k.ID, k.User)
		return nil
	})
}

type tokenListCmd struct{}

// Run lists tokens.
func (c *tokenListCmd) Run(e *env) error {
	return e.withTokens(func(t *server.Tokens) error {
		list, err := t.List(e.ctx)
		if err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(list)
		}
		for _, k := range list {
			fmt.Fprintf(e.out, "%s  %s  %s  %s  %s\n", k.ID, k.User, k.Name, scopes(k), tokenStanding(k, t.DB.Now()))
		}
		return nil
	})
}

func scopes(k server.Token) string {
	list := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		list[i] = string(s)
	}
	return strings.Join(list, ",")
}

// tokenStanding says whether a token holds, and when it was used.
func tokenStanding(k server.Token, now time.Time) string {
	s := "holds"
	switch {
	case !k.Revoked.IsZero():
		s = "revoked " + k.Revoked.Format(time.DateTime)
	case k.Expires.IsZero():
	case !now.Before(k.Expires):
		s = "expired " + k.Expires.Format(time.DateTime)
	default:
		s = "holds until " + k.Expires.Format(time.DateTime)
	}
	if k.Used.IsZero() {
		return s + ", never used"
	}
	return s + ", last used " + k.Used.Format("2006-01-02 15:04")
}

type tokenRevokeCmd struct {
	ID string `arg:"" help:"The token's id, as 'ibid token list' shows it."`
}

// Run ends a token.
func (c *tokenRevokeCmd) Run(e *env) error {
	return e.withTokens(func(t *server.Tokens) error {
		if err := t.Revoke(e.ctx, c.ID); err != nil {
			return err
		}
		if e.cli.JSON {
			return json.NewEncoder(e.out).Encode(map[string]string{"revoked": c.ID})
		}
		fmt.Fprintf(e.err, "token %s is revoked\n", c.ID)
		return nil
	})
}

func (e *env) withTokens(f func(*server.Tokens) error) error {
	return e.withDesk(func(d *desk) error { return f(&server.Tokens{DB: d.db}) })
}
