package hooks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ibid/fetch"
)

// A Delivery is one thing that a webhook was told or is to be told.
type Delivery struct {
	ID        string    `json:"id"` // webhook-id
	Event     string    `json:"event"`
	Run       string    `json:"run,omitempty"`
	State     string    `json:"state,omitempty"`
	At        time.Time `json:"at"`
	Attempts  int       `json:"attempts"`
	Next      time.Time `json:"next,omitzero"` // when it is tried again
	Delivered time.Time `json:"delivered,omitzero"`
	Status    int       `json:"status,omitempty"` // of the last answer
	Failure   string    `json:"failure,omitempty"`

	stop    string
	webhook string
	url     string
	user    string
	lease   int64 // of the attempt that is being made
}

// A message is what is sent: who wants to know more asks the API.
type message struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // of what happened
	Data      data      `json:"data"`
}

type data struct {
	Run   string `json:"run,omitempty"`
	State string `json:"state,omitempty"`
	Stop  string `json:"stop,omitempty"`
}

const deliveryColumns = `d.id, d.event, COALESCE(d.run, ''), d.state, d.stop, d.at, d.attempts, d.next_at, d.delivered, d.status, d.failure, d.webhook, w.url, w.user_name`

func scanDelivery(row interface{ Scan(...any) error }) (d Delivery, err error) {
	var at, next, delivered int64
	err = row.Scan(&d.ID, &d.Event, &d.Run, &d.State, &d.stop, &at, &d.Attempts, &next, &delivered, &d.Status, &d.Failure, &d.webhook, &d.url, &d.user)
	d.At = time.UnixMilli(at).UTC()
	if next != 0 {
		d.Next = time.UnixMilli(next).UTC()
	}
	if delivered != 0 {
		d.Delivered = time.UnixMilli(delivered).UTC()
	}
	return d, err
}

// Deliveries lists the newest hundred of one of a user's webhooks.
func (h *Hooks) Deliveries(ctx context.Context, user, id string) ([]Delivery, error) {
	if _, err := h.Get(ctx, user, id); err != nil {
		return nil, err
	}
	return h.list(ctx, `WHERE d.webhook = $1 ORDER BY d.at DESC, d.id LIMIT 100`, id)
}

func (h *Hooks) list(ctx context.Context, where string, args ...any) ([]Delivery, error) {
	rows, err := h.DB.QueryContext(ctx, `SELECT `+deliveryColumns+` FROM delivery d JOIN webhook w ON w.id = d.webhook `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("hooks: deliveries: %w", err)
	}
	defer rows.Close()
	list := []Delivery{}
	for rows.Next() {
		d, err := scanDelivery(rows)
		if err != nil {
			return nil, fmt.Errorf("hooks: deliveries: %w", err)
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// Run derives and delivers until ctx ends, and waits for the attempts that are being made.
func (h *Hooks) Run(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	r := newRound()
	defer r.all.Wait()
	var since, whole time.Time
	for ctx.Err() == nil {
		began := h.now()
		if began.Sub(whole) > 10*time.Minute { // also what a clock or a slow transaction may have hidden
			since, whole = time.UnixMilli(0), began
		}
		err := h.Derive(ctx, since)
		if err == nil {
			since = began.Add(-time.Minute)
			_, err = h.begin(ctx, r)
		}
		if err = errors.Join(err, r.failed()); err != nil && ctx.Err() == nil {
			h.log().Warn("webhooks", "error", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-r.free:
		}
	}
}

func (h *Hooks) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}

// pauses are before the second attempt and those after it, a day together.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 7 * time.Hour, 9 * time.Hour}

// attempt sends a delivery and writes down what came of it, unless its lease has lapsed: then it is another's to tell. An
// attempt that a shutdown cut off is made again.
func (h *Hooks) attempt(ctx context.Context, d Delivery) error {
	resp, err := h.send(ctx, d)
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
		_, err := h.DB.ExecContext(ctx, `UPDATE delivery SET lease_until = 0, attempts = attempts - 1 WHERE id = $1 AND lease_until = $2`, d.ID, d.lease)
		return err
	}
	now := h.now()
	status, failure := 0, ""
	switch {
	case err != nil:
		failure = err.Error()
	case resp.Status >= 200 && resp.Status < 300:
		h.log().Info("told", "webhook", d.webhook, "event", d.Event, "run", d.Run, "status", resp.Status)
		_, err := h.DB.ExecContext(ctx, `UPDATE delivery SET next_at = 0, lease_until = 0, delivered = $3, status = $4, failure = '' WHERE id = $1 AND lease_until = $2`, d.ID, d.lease, now.UnixMilli(), resp.Status)
		return err
	default:
		status, failure = resp.Status, "the server answered "+strconv.Itoa(resp.Status)
	}
	next, why := int64(0), ""
	switch {
	case status == http.StatusGone:
		why = "the server said that it is gone"
	case d.Attempts > len(pauses):
		why = fmt.Sprintf("%d attempts in a day failed, the last because %s", d.Attempts, failure)
	default:
		pause := pauses[d.Attempts-1]
		pause += time.Duration((rand.Float64() - 0.5) * 0.4 * float64(pause)) // not all at once
		if resp != nil {
			pause = max(pause, min(fetch.RetryAfter(resp.Header, now), 24*time.Hour))
		}
		next = now.Add(pause).UnixMilli()
	}
	h.log().Warn("not told", "webhook", d.webhook, "event", d.Event, "run", d.Run, "attempt", d.Attempts, "failure", failure)
	res, err := h.DB.ExecContext(ctx, `UPDATE delivery SET next_at = $3, lease_until = 0, status = $4, failure = $5 WHERE id = $1 AND lease_until = $2`, d.ID, d.lease, next, status, failure)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 || why == "" {
		return err
	}
	_, err = h.DB.ExecContext(ctx, `UPDATE webhook SET disabled = $2, why = $3 WHERE id = $1 AND disabled = 0`, d.webhook, now.UnixMilli(), why)
	return err
}

// maxAnswer is what is read of an answer, in bytes: nobody looks at it.
const maxAnswer = 64 << 10

// send signs a delivery with all secrets that hold, and sends it. Redirects are answers: what was registered is told, and no
// other.
func (h *Hooks) send(ctx context.Context, d Delivery) (*fetch.Response, error) {
	body, err := json.Marshal(message{d.Event, d.At, data{d.Run, d.State, d.stop}})
	if err != nil {
		return nil, err
	}
	now := h.now()
	stamp := strconv.FormatInt(now.Unix(), 10)
	signatures, err := h.sign(ctx, d.webhook, now, d.ID+"."+stamp+"."+string(body))
	if err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	return h.Client.Do(ctx, fetch.Request{Method: http.MethodPost, URL: d.url, Body: body, MaxBody: maxAnswer, Redirects: -1, Header: http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {d.ID}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signatures}}})
}

func (h *Hooks) sign(ctx context.Context, webhook string, now time.Time, content string) (string, error) {
	rows, err := h.DB.QueryContext(ctx, `SELECT secret FROM webhook_secret WHERE webhook = $1 AND (expires = 0 OR expires > $2) ORDER BY expires, secret`, webhook, now.UnixMilli())
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var secret string
		if err := rows.Scan(&secret); err != nil {
			return "", err
		}
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return "", fmt.Errorf("hooks: a secret of webhook %s is damaged", webhook)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(content))
		list = append(list, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(list, " "), rows.Err()
}
