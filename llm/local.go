package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// Local is a Model that answers in this process: its wire format is the JSON of Request and Response. The extractive
// researcher and the scripted model of the tests are Locals, so they pass through the same encode, journal and decode
// as a provider does.
type Local struct {
	ID     string
	Answer func(ctx context.Context, r Request) (Response, error)
}

// Name returns the model's id.
func (m *Local) Name() string { return m.ID }

// Encode writes the request as JSON, the same bytes for the same request.
func (m *Local) Encode(r Request) ([]byte, error) { return marshal(r) }

// Send answers the encoded request.
func (m *Local) Send(ctx context.Context, body []byte, _ string) ([]byte, error) {
	var r Request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("model %s: reading the request: %w", m.ID, err)
	}
	resp, err := m.Answer(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.ID, err)
	}
	resp.Model = m.ID
	return marshal(resp)
}

// Decode reads an answer.
func (m *Local) Decode(body []byte) (Response, error) {
	var r Response
	if err := json.Unmarshal(body, &r); err != nil {
		return Response{}, fmt.Errorf("model %s: reading the answer: %w", m.ID, err)
	}
	return r, nil
}

// marshal is json.Marshal without HTML escaping, which would spend three tokens on every "<" of a page.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
