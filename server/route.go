package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"time"
)

// A route is one line of the table: what is asked, by whom, with what, and what comes back.
type route struct {
	method, path string
	name         string // operationId
	about        string
	scope        Scope // of who asks; "" is open to everybody
	query        []param
	work
}

// A param is part of a query or a header. Queries with another one are refused.
type param struct {
	name, about string
	kind        string   // string, integer, boolean
	one         []string // of these; nil: any
	header      bool
}

// work is what is done for a route: types for the document, and the handler made for them.
type work struct {
	in, out reflect.Type
	status  int
	takes   []string      // types of the body; nil with in set: JSON
	gives   []string      // types of the answer; nil with out set: JSON
	limit   int64         // of the body, in bytes; 0: maxBody
	time    time.Duration // for the body to come in and the answer to go out; 0: maxTime
	heavy   bool          // takes a processor for a while
	stream  bool          // takes its own time
	do      func(*call) error
}

const (
	maxBody = 256 << 10
	maxTime = 30 * time.Second
)

// gives answers with JSON.
func gives[Out any](status int, f func(*call) (Out, error)) work {
	return work{out: reflect.TypeFor[Out](), status: status, do: func(c *call) error {
		out, err := f(c)
		if err != nil {
			return err
		}
		return c.json(status, out)
	}}
}

// takes reads JSON and answers with JSON.
func takes[In, Out any](status int, f func(*call, In) (Out, error)) work {
	return work{in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](), status: status, do: func(c *call) error {
		in, err := decode[In](c)
		if err != nil {
			return err
		}
		out, err := f(c, in)
		if err != nil {
			return err
		}
		return c.json(status, out)
	}}
}

// does answers with nothing.
func does(f func(*call) error) work {
	return work{status: http.StatusNoContent, do: func(c *call) error {
		if err := f(c); err != nil {
			return err
		}
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}}
}

// writes answers by itself, in one of some types.
func writes(f func(*call) error, types ...string) work {
	return work{gives: types, status: http.StatusOK, do: f}
}

func (w work) heavily() work {
	w.heavy, w.time = true, 5*time.Minute
	return w
}

// json writes an answer.
func (c *call) json(status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("server: the answer: %w", err)
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, err = c.w.Write(append(body, '\n'))
	return err
}
