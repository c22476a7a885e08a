package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"ibid/corpus"
	"ibid/fetch"
	"ibid/index"
	"ibid/llm"
	"ibid/llm/catalog"
	"ibid/llm/embed"
	"ibid/runs"
)

// embeddingsTable says which model of embeddings local documents are searched with. Without a model there is none.
type embeddingsTable struct {
	Model       string  `toml:"model"`        // as the server at url calls it; without url, provider/model
	URL         string  `toml:"url"`          // base, "http://localhost:11434/v1"
	KeyEnv      string  `toml:"key_env"`      // variable that holds the key
	QueryPrefix string  `toml:"query_prefix"` // that the model wants before a question: "query: "
	TextPrefix  string  `toml:"text_prefix"`  // before a text: "passage: "
	Timeout     float64 `toml:"timeout"`      // seconds for one request; 0 means 120
}

// lay puts another file's table over this one.
func (t *embeddingsTable) lay(over embeddingsTable) {
	if over != (embeddingsTable{}) {
		*t = over // one model in one place: prefixes and addresses belong to it
	}
}

// embeddings opens the model of embeddings that is configured; nil if none is.
func (e *env) embeddings() (*corpus.Embeddings, error) {
	t := e.origin.tables.Embeddings
	if t == (embeddingsTable{}) {
		return nil, nil
	}
	unready := func(message, hint string) error {
		return &runs.Error{Code: runs.Unready, Message: "embeddings: " + message, Hint: hint}
	}
	if t.Model == "" {
		return nil, unready("no model is named", "Set model under [embeddings].")
	}
	known, err := e.origin.catalog()
	if err != nil {
		return nil, err
	}
	id, base, key := t.Model, t.URL, os.Getenv(t.KeyEnv)
	if base == "" {
		p, name, err := known.Split(t.Model)
		if err != nil {
			return nil, unready(err.Error(), "Name it as provider/model, or set url under [embeddings].")
		}
		if p.Protocol != catalog.OpenAI {
			return nil, unready("the provider "+p.Name+" has no embeddings", "Name another under [embeddings].")
		}
		id, base = name, p.URL
		if t.KeyEnv == "" {
			var set bool
			if key, set = keyOf(p); !set {
				return nil, noKey(p)
			}
		}
	}
	if t.KeyEnv != "" && key == "" {
		return nil, unready("the key for "+t.Model+" is missing", "Set "+t.KeyEnv+".")
	}
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return nil, unready("url is no http address", "Write it as http://localhost:11434/v1.")
	}
	made := &corpus.Embeddings{Name: t.Model, MeaningConfig: index.MeaningConfig{QueryPrefix: t.QueryPrefix, TextPrefix: t.TextPrefix}}
	made.Embedder = embed.New(embed.Config{Model: id, URL: base, Key: key, Timeout: seconds(t.Timeout)})
	if e.db != nil {
		made.Embedder = &corpus.Vectors{DB: e.db, Model: at.Host + at.Path + " " + id, Embedder: made.Embedder, Now: time.Now}
	}
	price, ok := known.Price(t.Model)
	if !ok {
		price, ok = known.Price("embeddings/" + t.Model) // a row is named provider/model, and at a url there is no provider
	}
	if ok {
		made.Price = func(tokens int64) int64 { return price.MicroUSD(llm.Usage{In: tokens, Known: true}) }
	}
	return made, nil
}

// unpricedEmbeddings says whether it is not known what embeddings cost: there is no price, and the server is not this
// machine.
func (e *env) unpricedEmbeddings(m *corpus.Embeddings) bool {
	at, err := url.Parse(e.origin.tables.Embeddings.URL)
	if err != nil || m.Price != nil {
		return false
	}
	return !fetch.Loopback(at.Hostname())
}

// checkEmbeddings makes a line for the model of embeddings: what it answers, and whether it is good enough to be used.
func (e *env) checkEmbeddings(list *checks, calls bool) {
	const name = "embeddings"
	t := e.origin.tables.Embeddings
	m, err := e.embeddings()
	switch {
	case err != nil:
		list.add(name, "", err)
	case m == nil:
		list.off(name, "local documents are searched by words; a model can help: set model and url under [embeddings]")
	case !calls:
		list.add(name, t.Model+" is set; not called", nil)
	default:
		list.call(e.ctx, name, func(ctx context.Context) (string, error) {
			began := time.Now()
			trial, _, err := index.NewMeaning(m.MeaningConfig).Try(ctx)
			if err != nil {
				return "", err
			}
			if !trial.Passed() {
				return "", fmt.Errorf("%s is too weak to be used: %v; look whether it wants query_prefix and text_prefix", m.Name, trial)
			}
			text := fmt.Sprintf("%s answered in %.1f s: %v", m.Name, time.Since(began).Seconds(), trial)
			if e.unpricedEmbeddings(m) {
				text += "; its price is not known"
			}
			return text + "; documents are sent to " + cmp.Or(t.URL, "its provider"), nil
		})
	}
}
