package embed

import (
	"encoding/json"
	"fmt"
	"math"

	"ibid/llm"
)

// maxSize is the most numbers that a vector may have; the largest models of today have 4,096.
const maxSize = 16 << 10

func encode(model string, texts []string) ([]byte, error) {
	return json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{model, texts})
}

// answer is what a server sends, as far as it is read.
type answer struct {
	Data []struct {
		Index     *int      `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
	Usage struct {
		Prompt int64 `json:"prompt_tokens"`
		Total  int64 `json:"total_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// decode reads the vectors of n texts in the texts' order, which their index tells and not their place. Where no server
// is right to send anything else, it is said what is wrong: a vector that is missing would be taken for another text's.
func (m *Model) decode(body []byte, n int) ([][]float32, int64, error) {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, 0, m.at.Malformed(body, "it is no list of embeddings")
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, 0, m.at.Failure(0, nil, body)
	}
	if len(a.Data) != n {
		return nil, 0, m.wrong("%d embeddings came for %d texts", len(a.Data), n)
	}
	vectors := make([][]float32, n)
	size := len(a.Data[0].Embedding)
	for i, d := range a.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		switch {
		case at < 0 || at >= n || vectors[at] != nil:
			return nil, 0, m.wrong("the indexes of the embeddings are not those of the texts: %d", at)
		case len(d.Embedding) == 0 || len(d.Embedding) > maxSize:
			return nil, 0, m.wrong("an embedding has %d numbers", len(d.Embedding))
		case len(d.Embedding) != size:
			return nil, 0, m.wrong("one embedding has %d numbers and another %d", size, len(d.Embedding))
		}
		sum := 0.0
		for _, f := range d.Embedding {
			sum += float64(f) * float64(f)
		}
		if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
			return nil, 0, m.wrong("an embedding points nowhere")
		}
		vectors[at] = d.Embedding
	}
	return vectors, max(a.Usage.Prompt, a.Usage.Total, 0), nil
}

func (m *Model) wrong(format string, args ...any) error {
	return m.at.Redact(&llm.Error{Kind: llm.Malformed, Message: "the server of embeddings at " + m.c.URL + ": " + fmt.Sprintf(format, args...)})
}
