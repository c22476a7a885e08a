// Package catalog knows the providers of models and what things cost: two dated tables, embedded, over which a user's
// file of the same form is laid. What is not in a table is unknown, which is something else than free.
package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Catalog is the tables as loaded. It does not change and may be shared.
type Catalog struct {
	date      string
	providers []Provider
	prices    map[string]Price  // by provider/model, or provider/*
	aliases   map[string]string // other names of the models in prices, provider/alias
	searches  map[string]SearchPrice
}

// Date is the day on which the table of prices was last gone through, as YYYY-MM-DD: the built-in one, or the one that
// the user's file gives.
func (c *Catalog) Date() string { return c.date }

// Providers lists the providers of models, the preferred one first. Those that only the user's file has come before all
// others, in its order.
func (c *Catalog) Providers() []Provider { return slices.Clone(c.providers) }

// Provider returns the provider called name.
func (c *Catalog) Provider(name string) (Provider, bool) {
	for _, p := range c.providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// Split reads "anthropic/claude-sonnet-4-5" as a provider and the name by which that provider knows the model. A name
// without a provider is looked for among the models that have a price, and found if exactly one provider has it. The
// model need not have a price when its provider is named. The error is an *UnknownModel.
func (c *Catalog) Split(model string) (p Provider, id string, err error) {
	name, rest, cut := strings.Cut(model, "/")
	if p, ok := c.Provider(name); ok {
		if !cut || strings.TrimSpace(rest) == "" {
			return Provider{}, "", &UnknownModel{Model: model, Names: c.examples(), Reason: "it names a provider and no model"}
		}
		return p, rest, nil
	}
	var found []Provider
	for _, p := range c.providers {
		if full, ok := c.row(p.Name + "/" + model); ok && !strings.HasSuffix(full, "/*") {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 1:
		return found[0], model, nil
	case 0:
		return Provider{}, "", &UnknownModel{Model: model, Names: c.examples(), Reason: "no provider is known to have it"}
	}
	names := make([]string, len(found))
	for i, p := range found {
		names[i] = p.Name + "/" + model
	}
	return Provider{}, "", &UnknownModel{Model: model, Names: names, Reason: "several providers have it"}
}

// UnknownModel is the error of a model's name from which no provider follows.
type UnknownModel struct {
	Model  string
	Reason string
	Names  []string // what could be written instead
}

func (e *UnknownModel) Error() string {
	return fmt.Sprintf("model %.200q: %s; write provider/model, as in %s", e.Model, e.Reason, strings.Join(e.Names, ", "))
}

// examples is a model of each provider.
func (c *Catalog) examples() []string {
	names := make([]string, len(c.providers))
	for i, p := range c.providers {
		names[i] = p.Name + "/" + p.DefaultModel
		if p.DefaultModel == "" {
			names[i] = p.Name + "/…"
		}
	}
	return names
}

// Price returns what model costs, and false if that is unknown, which is to be said and never to be taken for zero. The
// name is one that Split reads. A dated snapshot costs what its model costs, unless it has a row of its own; Price.Model
// says which row it was.
func (c *Catalog) Price(model string) (Price, bool) {
	row, ok := c.row(model)
	if !ok {
		p, id, err := c.Split(model)
		if err != nil {
			return Price{}, false
		}
		if row, ok = c.row(p.Name + "/" + id); !ok {
			return Price{}, false
		}
	}
	return c.prices[row], true
}

// row finds the row that prices provider/model: by its name, by an alias, either of them with a date behind it, or by
// provider/*. Nothing is found by its beginning: gpt-5 says nothing of gpt-5-mini.
func (c *Catalog) row(full string) (string, bool) {
	for _, name := range []string{full, undated(full)} {
		if strings.HasSuffix(name, "/*") {
			continue
		}
		if _, ok := c.prices[name]; ok {
			return name, true
		}
		if name, ok := c.aliases[name]; ok {
			return name, true
		}
	}
	provider, id, _ := strings.Cut(full, "/")
	if _, ok := c.prices[provider+"/*"]; ok && id != "" {
		return provider + "/*", true
	}
	return "", false
}

// undated cuts the date off a snapshot's name: claude-sonnet-4-5-20250929, gpt-5-2025-08-07. What only looks like a date
// stays.
func undated(model string) string {
	for _, layout := range []string{"-20060102", "-2006-01-02"} {
		if i := len(model) - len(layout); i > 0 {
			if _, err := time.Parse(layout, model[i:]); err == nil {
				return model[:i]
			}
		}
	}
	return model
}

// Search returns what one search costs at a provider of searches, and false if that is unknown.
func (c *Catalog) Search(provider string) (SearchPrice, bool) {
	p, ok := c.searches[provider]
	return p, ok
}
