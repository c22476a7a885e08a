package search

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxListed is how many entries of a list are looked at: far more than was asked for, and an end.
const maxListed = 256

// decode reads JSON into v. A field of another type than expected is left out and the others are read: providers write
// null, numbers and objects where their documentation has text.
func decode(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	var field *json.UnmarshalTypeError
	if err == nil || errors.As(err, &field) {
		return nil
	}
	return misread(body)
}

// A list is a JSON list of which the first maxListed entries are kept. It tells an empty list from none: only a list
// that is there and empty says that nothing was found.
type list[T any] struct {
	there bool
	odd   bool // something stands in its place that is no list
	items []T
}

func (l *list[T]) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		l.odd = err == nil && t != nil
		return nil // null, or no list
	}
	l.there = true
	for d.More() && len(l.items) < maxListed {
		var item T
		var field *json.UnmarshalTypeError
		if err := d.Decode(&item); err != nil && !errors.As(err, &field) {
			return err
		}
		l.items = append(l.items, item)
	}
	return nil
}

// results turns the entries of a list into results. Without a list there is no answer.
func results[T any](body []byte, l list[T], read func(T) Result) (Answer, error) {
	if !l.there {
		return Answer{}, noList(body)
	}
	answer := Answer{Results: []Result{}}
	for _, item := range l.items {
		answer.Results = append(answer.Results, read(item))
	}
	return answer, nil
}

// leftOut says whether an answer may leave out a list that would be empty: nothing else stands there, and it tells of no
// failure.
func leftOut[T any](body []byte, l list[T]) bool {
	message, _ := fault(body)
	return !l.there && !l.odd && message == ""
}

// noList is the error of an answer that is JSON and has no list of results: often it reports a failure.
func noList(body []byte) *Error {
	e := misread(body)
	if e.Outcome == Failed {
		message, _ := fault(body)
		e.Reason = "its answer has no list of results"
		if message != "" {
			e.Reason += ", but says " + quoted(message)
		}
	}
	return e
}
