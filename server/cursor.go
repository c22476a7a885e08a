package server

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ibid/journal"
)

// A cursor is how far a reader has come in a run's events. An effect has one number and is told twice, when it begins and
// when its outcome is there, with others in between; so a number alone would lose outcomes or tell them twice. A cursor is
// the largest number that was told, and the numbers of those effects that were told and had no outcome yet:
// "17", or "17-12-15" while 12 and 15 are still open.
type cursor struct {
	after int64
	open  []int64 // in order
}

// maxOpen is more effects than a run has in flight.
const maxOpen = 1000

func parseCursor(s string) (cursor, error) {
	var c cursor
	if s == "" {
		return c, nil
	}
	parts := strings.SplitN(s, "-", maxOpen+2)
	for i, p := range parts {
		n, err := strconv.ParseInt(p, 10, 64)
		switch {
		case err != nil || n < 0 || n == math.MaxInt64 || strings.HasPrefix(p, "+"), i > maxOpen, i > 0 && n > c.after, i > 1 && n <= c.open[len(c.open)-1]:
			return cursor{}, invalid("%q is no place in a run's events: it is the id of an event as it was sent", printable(s))
		case i == 0:
			c.after = n
		default:
			c.open = append(c.open, n)
		}
	}
	return c, nil
}

func (c *cursor) String() string {
	b := strconv.AppendInt(nil, c.after, 10)
	for _, n := range c.open {
		b = strconv.AppendInt(append(b, '-'), n, 10)
	}
	return string(b)
}

// from is the number after which everything that the reader has not been told is to be found.
func (c *cursor) from() int64 {
	if len(c.open) > 0 {
		return c.open[0] - 1
	}
	return c.after
}

// take says whether an event is news to the reader, and moves on.
func (c *cursor) take(e journal.Event) bool {
	begun := e.State == intent
	if e.Seq > c.after {
		if c.after = e.Seq; begun {
			c.open = append(c.open, e.Seq)
		}
		return true
	}
	i, open := slices.BinarySearch(c.open, e.Seq)
	if begun || !open {
		return false
	}
	c.open = slices.Delete(c.open, i, i+1)
	return true
}

// intent is the state of an event that has no outcome yet.
const intent = "intent"

// eventName is what an event is called in a stream. There are these and no others: what an effect is, its kind tells.
func eventName(e journal.Event) string {
	switch e.State {
	case intent:
		return "started"
	case "note":
		return "note"
	case "failed":
		return "failed"
	}
	return "done"
}
