package journal

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"

	"ibid/store"
)

// A line is one line of an exported journal (JOURNAL-6): the run first, then its events in order, its gates, the raw
// bytes it kept, and the end with the hash of all lines before it. Exporting an imported run gives the same bytes again.
type line struct {
	V     int        `json:"v"` // 1
	Run   *runLine   `json:"run,omitempty"`
	Event *eventLine `json:"event,omitempty"`
	Gate  *gateLine  `json:"gate,omitempty"`
	Blob  *blobLine  `json:"blob,omitempty"`
	End   *endLine   `json:"end,omitempty"`
}

// Times are milliseconds since 1970, UTC.
type runLine struct {
	ID            string `json:"id"`
	User          string `json:"user"`
	Question      string `json:"question"`
	State         State  `json:"state"`
	Stop          string `json:"stop"`
	Model         string `json:"model"`
	PromptVersion string `json:"prompt_version"`
	Config        body   `json:"config"`
	Parent        string `json:"parent,omitempty"`
	ForkAt        int    `json:"fork_at,omitempty"`
	Live          bool   `json:"live,omitempty"`
	Epoch         int64  `json:"epoch"`
	NextSeq       int64  `json:"next_seq"`
	Created       int64  `json:"created"`
	Updated       int64  `json:"updated"`
}

// A request is what follows the first Same bytes of the request of event Base, as it is stored, so that an export grows
// with what is new and not with its square. The hash and the size are the whole request's.
type eventLine struct {
	Seq         int64  `json:"seq"`
	Key         Key    `json:"key"`
	Kind        string `json:"kind"`
	State       string `json:"state"`
	Epoch       int64  `json:"epoch"`
	Started     int64  `json:"started"`
	Took        int64  `json:"took"`
	RequestSHA  string `json:"request_sha256,omitempty"`
	RequestSize int64  `json:"request_size,omitempty"`
	Base        int64  `json:"request_base,omitempty"`
	Same        int64  `json:"request_same,omitempty"`
	Request     body   `json:"request,omitempty"`
	OutcomeSHA  string `json:"outcome_sha256,omitempty"`
	Outcome     body   `json:"outcome,omitempty"`
	Failure     string `json:"failure,omitempty"`
	Doubts      int64  `json:"doubts,omitempty"`
	Copied      string `json:"copied,omitempty"`
	Reserved    Amount `json:"reserved"`
	Spent       Amount `json:"spent"`
}

type gateLine struct {
	ID       string `json:"id"`
	Key      string `json:"key"`
	Hash     string `json:"hash"`
	Request  body   `json:"request"`
	Edited   body   `json:"edited,omitempty"`
	State    string `json:"state"`
	Decision body   `json:"decision,omitempty"`
	Created  int64  `json:"created"`
	Decided  int64  `json:"decided"`
	Expires  int64  `json:"expires"`
}

type blobLine struct {
	SHA  string `json:"sha256"`
	Data body   `json:"data"`
}

type endLine struct {
	Lines int    `json:"lines"`
	SHA   string `json:"sha256"`
}

// body is bytes in JSON: text as a string, anything else, and text that would grow too much, as {"base64": "…"}.
type body []byte

type binary struct {
	Base64 []byte `json:"base64"`
}

// MarshalJSON writes text as a string wherever that is exact.
func (b body) MarshalJSON() ([]byte, error) {
	if utf8.Valid(b) {
		text, err := jsonBytes(string(b))
		if err != nil || len(text) <= base64.StdEncoding.EncodedLen(len(b))+32 {
			return text, err
		}
	}
	return json.Marshal(binary{b})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *body) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		var text string
		err := json.Unmarshal(data, &text)
		*b = []byte(text)
		return err
	}
	var bin binary
	err := json.Unmarshal(data, &bin)
	*b = bin.Base64
	return err
}

// Export writes a run's whole journal as JSON Lines, as it stands at one moment.
func (j *Journal) Export(ctx context.Context, id string, w io.Writer) error {
	tx, err := j.db.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("journal: exporting run %s: %w", id, err)
	}
	defer tx.Rollback() // it wrote nothing
	out := bufio.NewWriter(w)
	e := &exporter{j: j, tx: tx, id: id, hash: sha256.New()}
	e.enc = json.NewEncoder(io.MultiWriter(out, e.hash))
	e.enc.SetEscapeHTML(false)
	for _, part := range []func(context.Context) error{e.run, e.events, e.gates, e.blobs, e.end} {
		if err := part(ctx); err != nil {
			return fmt.Errorf("journal: exporting run %s: %w", id, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("journal: exporting run %s: %w", id, err)
	}
	return nil
}

// exporter writes one run's lines.
type exporter struct {
	j     *Journal
	tx    *sql.Tx
	id    string
	enc   *json.Encoder
	hash  hash.Hash
	lines int
}

func (e *exporter) write(l line) error {
	l.V = 1
	e.lines++
	return e.enc.Encode(l)
}

func (e *exporter) run(ctx context.Context) error {
	l := &runLine{}
	var config []byte
	err := e.tx.QueryRowContext(ctx, `SELECT id, user_name, question, state, stop, model, prompt_version, config, parent, fork_at, live, epoch, next_seq, created, updated FROM run WHERE id = $1`, e.id).
		Scan(&l.ID, &l.User, &l.Question, &l.State, &l.Stop, &l.Model, &l.PromptVersion, &config, &l.Parent, &l.ForkAt, &l.Live, &l.Epoch, &l.NextSeq, &l.Created, &l.Updated)
	if err != nil {
		return found(err)
	}
	l.Config = config
	return e.write(line{Run: l})
}

const exportEvent = `SELECT seq, key, kind, state, epoch, started, took, request_sha, request_size, request_base, request_same, outcome_sha, outcome_size, outcome, failure, doubts, copied,
	reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
	spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd FROM event WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT 1`

func (e *exporter) events(ctx context.Context) error {
	chain := requests(ctx, e.tx, e.id)
	for after := int64(0); ; {
		l, rec := &eventLine{}, &record{}
		a, s := &l.Reserved, &l.Spent
		err := e.tx.QueryRowContext(ctx, exportEvent, e.id, after).
			Scan(&l.Seq, &l.Key, &l.Kind, &l.State, &l.Epoch, &l.Started, &l.Took, &l.RequestSHA, &l.RequestSize, &l.Base, &l.Same, &rec.outcomeSHA, &rec.outcomeSize, &rec.packed, &l.Failure, &l.Doubts, &l.Copied,
				&a.Steps, &a.Searches, &a.Reads, &a.Tokens, &a.Millis, &a.MicroUSD, &s.Steps, &s.Searches, &s.Reads, &s.Tokens, &s.Millis, &s.MicroUSD)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		after = l.Seq
		request, err := chain.request(l.Seq)
		if err == nil {
			l.Request, l.OutcomeSHA = request[l.Same:], rec.outcomeSHA
			l.Outcome, err = rec.body()
		}
		if err == nil {
			err = e.write(line{Event: l})
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", l.Seq, err)
		}
	}
}

func (e *exporter) gates(ctx context.Context) error {
	rows, err := e.tx.QueryContext(ctx, `SELECT id, key, hash, request, edited, state, decision, created, decided, expires FROM gate WHERE run = $1 ORDER BY created, id`, e.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		l := &gateLine{}
		var request, edited, decision []byte
		if err := rows.Scan(&l.ID, &l.Key, &l.Hash, &request, &edited, &l.State, &decision, &l.Created, &l.Decided, &l.Expires); err != nil {
			return err
		}
		l.Request, l.Edited, l.Decision = request, edited, decision
		if err := e.write(line{Gate: l}); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (e *exporter) blobs(ctx context.Context) error {
	shas, err := e.j.blobs(ctx, e.tx, e.id)
	if err != nil {
		return err
	}
	for _, sha := range shas {
		data, err := store.Blob(ctx, e.tx, sha)
		if err != nil {
			return err
		}
		if err := e.write(line{Blob: &blobLine{sha, data}}); err != nil {
			return err
		}
	}
	return nil
}

// blobs lists what a run kept, by hash.
func (j *Journal) blobs(ctx context.Context, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, id string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT sha256 FROM run_blob WHERE run = $1 ORDER BY sha256`, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var sha string
		if err := rows.Scan(&sha); err != nil {
			return nil, err
		}
		list = append(list, sha)
	}
	return list, rows.Err()
}

func (e *exporter) end(context.Context) error {
	return e.write(line{End: &endLine{Lines: e.lines, SHA: hex.EncodeToString(e.hash.Sum(nil))}})
}
