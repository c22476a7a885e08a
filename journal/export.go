package journal

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ibid/store"
)

// A line is one line of an exported journal (JOURNAL-6): the run first, then its events in order, then the raw bytes it
// kept. Bodies are bytes, in base 64: a journal is exact before it is pretty.
type line struct {
	V       int     `json:"v"` // 1
	Run     *Info   `json:"run,omitempty"`
	Event   *Event  `json:"event,omitempty"`
	Request []byte  `json:"request,omitempty"`
	Outcome []byte  `json:"outcome,omitempty"`
	Hashes  *hashes `json:"sha256,omitempty"`
	Reserve *Amount `json:"reserved,omitempty"`
	Blob    []byte  `json:"blob,omitempty"`
	BlobSHA string  `json:"blob_sha256,omitempty"`
	End     int     `json:"end,omitempty"` // lines before this one: the file is whole
}

type hashes struct {
	Request string `json:"request"`
	Outcome string `json:"outcome"`
}

// Export writes a run's whole journal as JSON Lines.
func (j *Journal) Export(ctx context.Context, id string, w io.Writer) error {
	info, err := j.Info(ctx, id)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	n := 0
	write := func(l line) error {
		l.V = 1
		n++
		return enc.Encode(l)
	}
	if err := write(line{Run: &info}); err != nil {
		return err
	}
	for after := int64(0); ; {
		events, err := j.Events(ctx, id, after, 200)
		if err != nil {
			return err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			after = e.Seq
			l := line{Event: &e, Hashes: &hashes{}, Reserve: &Amount{}}
			if err := j.db.QueryRowContext(ctx, `SELECT request_sha, outcome_sha, reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd
				FROM event WHERE run = $1 AND seq = $2`, id, e.Seq).Scan(&l.Hashes.Request, &l.Hashes.Outcome,
				&l.Reserve.Steps, &l.Reserve.Searches, &l.Reserve.Reads, &l.Reserve.Tokens, &l.Reserve.Millis, &l.Reserve.MicroUSD); err != nil {
				return fmt.Errorf("journal: exporting run %s: %w", id, err)
			}
			if l.Request, err = j.Request(ctx, id, e.Seq); err != nil {
				return err
			}
			if e.State != intent {
				if l.Outcome, err = j.Outcome(ctx, id, e.Seq); err != nil {
					return err
				}
			}
			if err := write(l); err != nil {
				return err
			}
		}
	}
	shas, err := j.blobs(ctx, id)
	if err != nil {
		return err
	}
	for _, sha := range shas {
		data, err := j.db.Blob(ctx, sha)
		if err != nil {
			return err
		}
		if err := write(line{Blob: data, BlobSHA: sha}); err != nil {
			return err
		}
	}
	if err := enc.Encode(line{V: 1, End: n}); err != nil {
		return err
	}
	return out.Flush()
}

func (j *Journal) blobs(ctx context.Context, id string) ([]string, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT sha256 FROM run_blob WHERE run = $1 ORDER BY sha256`, id)
	if err != nil {
		return nil, fmt.Errorf("journal: blobs of run %s: %w", id, err)
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

// Limits of an import.
const (
	maxLine   = MaxBody*2 + 1<<20 // bytes: a body and its base 64
	maxImport = 1 << 30           // bytes in all
)

// Import reads an exported journal and returns the run's id. All of it is kept or nothing: hashes are checked, and a file
// without its last line is refused. A run that is here already is left as it is, and the import refused. A run that was
// not over comes in as parked.
func (j *Journal) Import(ctx context.Context, r io.Reader) (string, error) {
	in := bufio.NewScanner(io.LimitReader(r, maxImport))
	in.Buffer(make([]byte, 64<<10), maxLine)
	id, n, whole := "", 0, false
	err := j.db.Tx(ctx, func(tx *sql.Tx) error {
		for in.Scan() {
			var l line
			if err := json.Unmarshal(in.Bytes(), &l); err != nil {
				return fmt.Errorf("line %d is not JSON of a journal: %w", n+1, err)
			}
			switch {
			case l.V != 1:
				return fmt.Errorf("line %d has version %d; this program reads version 1", n+1, l.V)
			case whole:
				return fmt.Errorf("line %d stands after the end", n+1)
			case l.End > 0:
				if l.End != n {
					return fmt.Errorf("it has %d lines where its end says %d", n, l.End)
				}
				whole = true
				continue
			case (l.Run != nil) != (n == 0):
				return fmt.Errorf("line %d: the run comes first, and once", n+1)
			}
			var err error
			switch {
			case l.Run != nil:
				id, err = l.Run.ID, j.importRun(ctx, tx, l.Run)
			case l.Event != nil:
				err = importEvent(ctx, tx, id, l)
			case l.BlobSHA != "":
				err = importBlob(ctx, tx, id, l)
			default:
				err = errors.New("it holds nothing")
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", n+1, err)
			}
			n++
		}
		if err := in.Err(); err != nil {
			return err
		}
		if !whole {
			return errors.New("its end is missing: the file was cut")
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("journal: import: %w", err)
	}
	return id, nil
}

func (j *Journal) importRun(ctx context.Context, tx *sql.Tx, i *Info) error {
	var known int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM run WHERE id = $1`, i.ID).Scan(&known)
	switch {
	case err == nil:
		return fmt.Errorf("run %s is here already", i.ID)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	case i.ID == "" || len(i.ID) > 100:
		return errors.New("the run has no id")
	}
	if i.Config == nil {
		i.Config = json.RawMessage("{}")
	}
	state := i.State
	if !state.Over() {
		state = StateParked
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO run (id, user_name, question, state, stop, model, prompt_version, config, parent, fork_at, live, epoch, created, updated)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
		i.ID, i.User, i.Question, state, i.Stop, i.Model, i.PromptVersion, []byte(i.Config), i.Parent, i.ForkAt, i.Live, i.Epoch, i.Created.UnixMilli(), i.Updated.UnixMilli())
	return err
}

func importEvent(ctx context.Context, tx *sql.Tx, id string, l line) error {
	e := l.Event
	if l.Hashes == nil || l.Reserve == nil || e.Seq < 1 || e.Key == "" {
		return errors.New("the event is not whole")
	}
	if e.State != noted && store.Hash(l.Request) != l.Hashes.Request || e.State != intent && store.Hash(l.Outcome) != l.Hashes.Outcome {
		return fmt.Errorf("event %d does not have its hash", e.Seq)
	}
	request, err := store.Compress(nil, l.Request)
	if err != nil {
		return err
	}
	if e.State == noted {
		request = nil
	}
	outcome, err := store.Compress(nil, l.Outcome)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO event (run, seq, key, kind, state, epoch, started, took, request_sha, request_size, request, outcome_sha, outcome_size, outcome,
		failure, doubts, copied, reserved_steps, reserved_searches, reserved_reads, reserved_tokens, reserved_millis, reserved_usd,
		spent_steps, spent_searches, spent_reads, spent_tokens, spent_millis, spent_usd)
		VALUES ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)`,
		id, e.Seq, e.Key, e.Kind, e.State, e.Started.UnixMilli(), e.Took, l.Hashes.Request, len(l.Request), request, l.Hashes.Outcome, len(l.Outcome), outcome,
		e.Failure, e.Doubts, e.Copied, l.Reserve.Steps, l.Reserve.Searches, l.Reserve.Reads, l.Reserve.Tokens, l.Reserve.Millis, l.Reserve.MicroUSD,
		e.Spent.Steps, e.Spent.Searches, e.Spent.Reads, e.Spent.Tokens, e.Spent.Millis, e.Spent.MicroUSD); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE run SET next_seq = $2 WHERE id = $1 AND next_seq <= $3`, id, e.Seq+1, e.Seq)
	return err
}

func importBlob(ctx context.Context, tx *sql.Tx, id string, l line) error {
	if store.Hash(l.Blob) != l.BlobSHA {
		return fmt.Errorf("blob %.12s does not have its hash", l.BlobSHA)
	}
	packed, err := store.Compress(nil, l.Blob)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO blob (sha256, size, data) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, l.BlobSHA, len(l.Blob), packed); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO run_blob (run, sha256) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id, l.BlobSHA)
	return err
}
