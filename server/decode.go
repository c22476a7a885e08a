package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"

	"ibid/merkle"
)

// decode reads the body as JSON of a type: one value, with no field that the type does not have.
func decode[T any](c *call) (T, error) {
	var v T
	body, err := c.body("application/json")
	if err != nil {
		return v, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}") // where all may be left out
	}
	return v, strict(body, &v)
}

// strict is decode of bytes.
func strict(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		return invalid("the body holds more than one value")
	}
	if err == nil {
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return invalid("something follows the JSON of the body")
		}
		if name, twice := merkle.Repeated(body); twice {
			return invalid("the body has the field %q twice", printable(name))
		}
		return nil
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return invalid("%s: it is a JSON %s, and has to be %s", orBody(kind.Field), kind.Value, jsonKind(kind))
	case errors.As(err, &syntax):
		return invalid("the body is no JSON: byte %d: %s", syntax.Offset, printable(syntax.Error()))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return invalid("the body is no JSON: it ends too early")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return invalid("the body has a field %s, which does not exist here", printable(name))
	}
	return invalid("the body is no JSON: %s", printable(err.Error()))
}

func orBody(field string) string {
	if field == "" {
		return "the body"
	}
	return printable(field)
}

func jsonKind(e *json.UnmarshalTypeError) string {
	switch k := e.Type.Kind().String(); {
	case k == "bool":
		return "true or false"
	case k == "string":
		return "a text"
	case k == "slice":
		return "an array"
	case k == "struct" || k == "map":
		return "an object"
	case strings.HasPrefix(k, "int"):
		return "a whole number that is not too large"
	case strings.HasPrefix(k, "float"):
		return "a number"
	}
	return "something else"
}

// body reads the whole body, which has to be of one of some types.
func (c *call) body(types ...string) ([]byte, error) {
	if err := c.type_(types); err != nil {
		return nil, err
	}
	limit := c.limit
	if limit == 0 {
		limit = maxBody
	}
	if c.r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, limit))
	return body, unread(err)
}

// unread tells why a body was not read.
func unread(err error) error {
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(problemSlow, "", "the body did not come in time")
	}
	return invalid("the body could not be read to its end")
}

func tooLarge(limit int64) error {
	return refuse(problemTooLarge, "", "the body has more than %d bytes, which is the limit here", limit)
}

// type_ checks what the body says that it is. A form, which any page may send, is none of ours.
func (c *call) type_(types []string) error {
	given := c.r.Header.Get("Content-Type")
	if c.r.ContentLength == 0 && given == "" {
		return nil
	}
	t, _, err := mime.ParseMediaType(given)
	if err == nil && slices.Contains(types, t) {
		return nil
	}
	return refuse(problemMedia, "Send it as "+strings.Join(types, " or ")+".", "the body is %q", printable(given))
}
