package journal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"

	"ibid/gate"
	"ibid/store"
)

// Limits of an import, in bytes: a line, which holds at most two bodies; the file; its packed form, which is what is held
// in memory; and all requests as they were sent, since a short line can stand for a long one.
const (
	maxLine     = 3 * MaxBody
	maxImport   = 4 << 30
	maxPacked   = 512 << 20
	maxRequests = 16 << 30
)

// Import reads an exported journal and returns the run's id. All of it is kept or nothing: every hash is checked, and a
// file that was cut or changed is refused, as is one that holds a secret of this journal. A run that is here already is
// left as it is, and the import refused. A run that was being worked on comes in as interrupted.
func (j *Journal) Import(ctx context.Context, r io.Reader) (string, error) {
	im := &importer{j: j, hash: sha256.New(), depths: map[int64]int{}}
	im.requests = chain{find: im.find}
	err := im.read(ctx, r)
	if err == nil {
		err = j.db.Tx(ctx, func(tx *sql.Tx) error { return im.store(ctx, tx) })
	}
	if err != nil {
		return "", fmt.Errorf("journal: import: %w", err)
	}
	j.wake.one(im.run.ID)
	return im.run.ID, nil
}

// importer holds a file that is being read: its bodies packed as they will be stored, so that nothing waits for the
// database, and the database for nothing, while the file comes in.
type importer struct {
	j        *Journal
	hash     hash.Hash
	lines    int
	run      *runLine
	events   []importedEvent
	gates    []*gateLine
	blobs    []store.Packed
	ended    bool
	requests chain
	depths   map[int64]int
	packed   int64 // bytes in memory
	sent     int64 // bytes of requests
}

type importedEvent struct {
	*eventLine
	request packedRequest
	outcome record
}

func (im *importer) read(ctx context.Context, r io.Reader) error {
	limited := &io.LimitedReader{R: r, N: maxImport + 1}
	in := bufio.NewScanner(limited)
	in.Buffer(make([]byte, 64<<10), maxLine)
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if err := im.line(in.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", im.lines+1, err)
		}
		if im.packed > maxPacked || im.sent > maxRequests || limited.N <= 0 {
			return fmt.Errorf("line %d: the file holds more than can be imported", im.lines)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("line %d: %w", im.lines+1, err)
	}
	if !im.ended {
		return errors.New("its end is missing: this is no exported run, or it was cut")
	}
	return nil
}

func (im *importer) line(text []byte) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("this is not a line of a journal: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind it")
	}
	if l.V != 1 {
		return fmt.Errorf("version %d; this program reads version 1", l.V)
	}
	if im.ended {
		return errors.New("it stands after the end")
	}
	if (l.Run != nil) != (im.run == nil) {
		return errors.New("the run comes first, and once")
	}
	if name := im.j.redact.holds(text); name != "" {
		return fmt.Errorf("it holds the value of %s", name)
	}
	var err error
	switch {
	case l.Run != nil:
		err = im.addRun(l.Run)
	case l.Event != nil:
		err = im.addEvent(l.Event)
	case l.Gate != nil:
		err = im.addGate(l.Gate)
	case l.Blob != nil:
		err = im.addBlob(l.Blob)
	case l.End != nil:
		if l.End.Lines != im.lines || l.End.SHA != hex.EncodeToString(im.hash.Sum(nil)) {
			return errors.New("the file is not the one that was exported: its end does not match")
		}
		im.ended = true
	default:
		err = errors.New("it holds nothing")
	}
	im.hash.Write(text)
	im.hash.Write([]byte("\n"))
	im.lines++
	return err
}

var plainID = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$`)

func (im *importer) addRun(l *runLine) error {
	switch l.State {
	case StateQueued, StateWorking, StateParked, StateDone, StatePartial, StateFailed, StateCancelled:
	default:
		return fmt.Errorf("the run has no state %q", l.State)
	}
	if !plainID.MatchString(l.ID) || l.Parent != "" && !plainID.MatchString(l.Parent) {
		return errors.New("the run's id is not one")
	}
	if l.NextSeq < 1 || l.Epoch < 0 || !json.Valid(l.Config) {
		return errors.New("the run's row makes no sense")
	}
	im.run = l
	return nil
}

func (im *importer) addEvent(l *eventLine) error {
	var last int64
	if n := len(im.events); n > 0 {
		last = im.events[n-1].Seq
	}
	switch {
	case l.Seq <= last || l.Seq >= im.run.NextSeq:
		return fmt.Errorf("event %d is out of order", l.Seq)
	case l.Key == "" || l.Kind == "" || len(l.Key) > 1000 || len(l.Kind) > 100:
		return fmt.Errorf("event %d has no key or no kind", l.Seq)
	case l.Doubts < 0 || l.Doubts > 1<<20 || l.Took < 0 || !sane(l.Reserved) || !sane(l.Spent):
		return fmt.Errorf("event %d has figures that make no sense", l.Seq)
	}
	hasRequest, hasOutcome := l.State != noted, l.State != intent
	switch l.State {
	case intent, done, failed, noted:
	default:
		return fmt.Errorf("event %d has no state %q", l.Seq, l.State)
	}
	if hasRequest != (l.RequestSHA != "") || hasOutcome != (l.OutcomeSHA != "") {
		return fmt.Errorf("event %d is not whole", l.Seq)
	}
	e := importedEvent{eventLine: l}
	if hasRequest {
		if err := im.addRequest(&e); err != nil {
			return fmt.Errorf("the request of event %d: %w", l.Seq, err)
		}
	}
	if hasOutcome {
		if err := e.outcome.pack(l.Outcome); err != nil {
			return fmt.Errorf("the outcome of event %d: %w", l.Seq, err)
		}
		if e.outcome.outcomeSHA != l.OutcomeSHA {
			return fmt.Errorf("the outcome of event %d does not have its hash", l.Seq)
		}
	}
	im.packed += int64(len(e.request.packed)+len(e.outcome.packed)) + 1024
	l.Request, l.Outcome = nil, nil
	im.events = append(im.events, e)
	return nil
}

// sane bounds figures, so that sums over them do not overflow.
func sane(a Amount) bool {
	const most = 1 << 42
	for _, n := range []int64{a.Steps, a.Searches, a.Reads, a.Tokens, a.Millis, a.MicroUSD} {
		if n < -most || n > most {
			return false
		}
	}
	return true
}

// addRequest packs a request as packRequest does: against the one it goes on from.
func (im *importer) addRequest(e *importedEvent) error {
	l := e.eventLine
	p := packedRequest{sha: l.RequestSHA, base: l.Base, same: l.Same, size: l.RequestSize}
	var before []byte
	var err error
	if p.base != 0 {
		if before, err = im.requests.request(p.base); err != nil || before == nil {
			return errors.Join(errChain, err)
		}
		im.depths[l.Seq] = im.depths[p.base] + 1
	}
	if p.same < 0 || p.same > int64(len(before)) || p.size != p.same+int64(len(l.Request)) || p.size > MaxBody || im.depths[l.Seq] >= keyFrame {
		return errChain
	}
	im.sent += p.size
	request := append(before[:p.same:p.same], l.Request...)
	if store.Hash(request) != p.sha {
		return errors.New("it does not have its hash")
	}
	if name := im.j.redact.holds(request); name != "" {
		return fmt.Errorf("it holds the value of %s", name)
	}
	if p.packed, err = store.Compress(dictionary(before[p.same:]), l.Request); err != nil {
		return err
	}
	e.request = p
	if len(request) >= worthwhile {
		im.requests.seq, im.requests.body = l.Seq, request
	}
	return nil
}

// find gives the chain a request that was read before.
func (im *importer) find(seq int64) (packedRequest, error) {
	lo, hi := 0, len(im.events)
	for lo < hi {
		if mid := (lo + hi) / 2; im.events[mid].Seq < seq {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(im.events) || im.events[lo].Seq != seq {
		return packedRequest{}, errChain
	}
	return im.events[lo].request, nil
}

// addGate takes a question. What it shows must be what a decision covers; only of a decided one may a secret have been
// hidden.
func (im *importer) addGate(l *gateLine) error {
	var r gate.Request
	if !plainID.MatchString(l.ID) || json.Unmarshal(l.Request, &r) != nil || r.Run != im.run.ID || r.Key != l.Key {
		return errors.New("the gate is not whole")
	}
	if l.Edited != nil && (len(l.Edited) > MaxEdit || !json.Valid(l.Edited)) {
		return errors.New("what the gate was changed to is not JSON, or too long")
	}
	switch l.State {
	case "pending":
		if l.Decision != nil || r.Hash() != l.Hash {
			return fmt.Errorf("gate %s waits for a decision on something else than it shows", l.ID)
		}
	case "allowed", "denied":
		var d gate.Decision
		hidden := bytes.Contains(l.Request, []byte("{{secret:"))
		if json.Unmarshal(l.Decision, &d) != nil || d.Hash != l.Hash || stateOf(d) != l.State || r.Hash() != l.Hash && !hidden {
			return fmt.Errorf("gate %s has a decision that does not belong to it", l.ID)
		}
	default:
		return fmt.Errorf("gate %s has no state %q", l.ID, l.State)
	}
	im.gates = append(im.gates, l)
	im.packed += int64(len(l.Request)+len(l.Decision)) + 1024
	return nil
}

func (im *importer) addBlob(l *blobLine) error {
	p, err := store.Pack(l.Data)
	if err != nil {
		return err
	}
	if p.SHA != l.SHA {
		return fmt.Errorf("blob %.12s does not have its hash", l.SHA)
	}
	im.blobs = append(im.blobs, p)
	im.packed += p.Stored() + 256
	return nil
}

// store writes all that was read.
func (im *importer) store(ctx context.Context, tx *sql.Tx) error {
	l := im.run
	var known int
	switch err := tx.QueryRowContext(ctx, `SELECT 1 FROM run WHERE id = $1`, l.ID).Scan(&known); {
	case err == nil:
		return fmt.Errorf("run %s is here already", l.ID)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if err := one(tx.ExecContext(ctx, `INSERT INTO run (id, user_name, question, state, stop, model, prompt_version, config, parent, fork_at, live, epoch, next_seq, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		l.ID, l.User, l.Question, l.State, l.Stop, l.Model, l.PromptVersion, []byte(l.Config), l.Parent, l.ForkAt, l.Live, l.Epoch, l.NextSeq, l.Created, l.Updated)); err != nil {
		return err
	}
	for _, e := range im.events {
		o, p, a, s := &e.outcome, &e.request, e.Reserved, e.Spent
		if err := one(tx.ExecContext(ctx, insertEvent, l.ID, e.Seq, e.Key, e.Kind, e.State, e.Epoch, e.Started, e.Took,
			e.RequestSHA, p.base, p.same, p.size, p.packed, o.outcomeSHA, o.outcomeSize, o.packed, e.Failure, e.Copied, e.Doubts,
			a.Steps, a.Searches, a.Reads, a.Tokens, a.Millis, a.MicroUSD, s.Steps, s.Searches, s.Reads, s.Tokens, s.Millis, s.MicroUSD)); err != nil {
			return fmt.Errorf("event %d: %w", e.Seq, err)
		}
	}
	for _, g := range im.gates {
		if err := one(tx.ExecContext(ctx, `INSERT INTO gate (id, run, key, hash, request, state, decision, created, decided, expires, edited) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			g.ID, l.ID, g.Key, g.Hash, []byte(g.Request), g.State, []byte(g.Decision), g.Created, g.Decided, g.Expires, []byte(g.Edited))); err != nil {
			return fmt.Errorf("gate %s: %w", g.ID, err)
		}
	}
	for _, b := range im.blobs {
		if err := im.j.insertBlob(ctx, tx, l.ID, b); err != nil {
			return err
		}
	}
	return nil
}
