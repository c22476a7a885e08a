package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"ibid/runs"
)

type keysCmd struct {
	Name string `arg:"" optional:"" help:"Name in the signatures, as a host of yours: research.example.org." default:"ibid"`
}

// signingKey is the variable with a key to sign bundles with, and the file in the folder for runs.
const (
	signingKey     = "IBID_SIGNING_KEY"
	signingKeyFile = "signing.key"
)

// Run makes a key where there is none, and prints the public one.
func (c *keysCmd) Run(e *env) error {
	secret, err := e.signingKey()
	if err != nil {
		return err
	}
	if secret == "" {
		if secret, err = e.newKey(c.Name); err != nil {
			return err
		}
	}
	public, err := publicKey(secret)
	if err != nil {
		return err
	}
	if e.cli.JSON {
		name, _, _ := strings.Cut(public, "+")
		return json.NewEncoder(e.out).Encode(map[string]string{"name": name, "key": public})
	}
	fmt.Fprintln(e.out, public)
	return nil
}

// newKey makes a key and keeps it where only its owner reads it.
func (e *env) newKey(name string) (string, error) {
	secret, _, err := note.GenerateKey(nil, name)
	if err != nil {
		return "", &runs.Error{Code: runs.Invalid, Message: "making a key", Err: err}
	}
	if _, err := note.NewSigner(secret); err != nil {
		return "", &runs.Error{Code: runs.Invalid, Message: fmt.Sprintf("%q is no name for a key", name), Hint: "It may hold no space and no +."}
	}
	home, err := e.home()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", &runs.Error{Code: runs.Unready, Message: "making the folder for the key", Err: err}
	}
	path := filepath.Join(home, signingKeyFile)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", &runs.Error{Code: runs.Unready, Message: "keeping the key", Err: err}
	}
	_, err = f.WriteString(secret + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("keeping the key: %w", err)
	}
	fmt.Fprintf(e.err, "a new key is in %s; bundles are signed with it. Give the line below to those who check them: ibid verify FILE --key …\n", path)
	return secret, nil
}

// signingKey is the key that bundles are signed with, or "".
func (e *env) signingKey() (string, error) {
	if secret := strings.TrimSpace(os.Getenv(signingKey)); secret != "" {
		return secret, nil
	}
	home, err := e.home()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(home, signingKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", &runs.Error{Code: runs.Unready, Message: "reading the signing key", Err: err}
	}
	return strings.TrimSpace(string(text)), nil
}

// signer is what signs bundles and what checks that; nil where there is no key.
func (e *env) signer() (note.Signer, note.Verifier, error) {
	secret, err := e.signingKey()
	if secret == "" || err != nil {
		return nil, nil, err
	}
	public, err := publicKey(secret)
	if err != nil {
		return nil, nil, err
	}
	s, err := note.NewSigner(secret)
	if err != nil {
		return nil, nil, errNoKey
	}
	v, err := note.NewVerifier(public)
	return s, v, err
}

// publicKey is the key that checks what a key signs.
func publicKey(secret string) (string, error) {
	if _, err := note.NewSigner(secret); err != nil {
		return "", errNoKey
	}
	parts := strings.SplitN(secret, "+", 5) // PRIVATE+KEY+name+hash+seed, the seed with a byte before it that says of what kind it is
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil {
		return "", errNoKey
	}
	public, ok := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey)
	if !ok {
		return "", errNoKey
	}
	return note.NewEd25519VerifierKey(parts[2], public)
}

// errNoKey does not repeat the key.
var errNoKey = &runs.Error{Code: runs.Unready, Message: "the signing key is not one", Hint: "Make one with: ibid keys (it is kept in the folder for runs; " + signingKey + " comes before it)"}
