package catalog

import (
	"fmt"
	"maps"
	"math"
	"strings"
)

type priceRow struct {
	Input      *float64 `toml:"input"`
	CacheRead  float64  `toml:"cache_read"`
	CacheWrite float64  `toml:"cache_write"`
	Output     *float64 `toml:"output"`
	Window     int64    `toml:"window"`
	MaxOutput  int64    `toml:"max_output"`
	LongAbove  int64    `toml:"long_above"`
	LongInput  float64  `toml:"long_input"`
	LongOutput float64  `toml:"long_output"`
	Aliases    []string `toml:"aliases"`
	Source     string   `toml:"source"`
	Date       string   `toml:"date"`
}

type searchRow struct {
	USD    *float64 `toml:"usd"`
	Source string   `toml:"source"`
	Date   string   `toml:"date"`
}

func priceKey(name string) string { return fmt.Sprintf("price.%.200q", name) }

func (c *Catalog) layPrice(name string, row priceRow, source string) error {
	key := priceKey(name)
	provider, id, _ := strings.Cut(name, "/")
	if !plain(provider) || !plain(id) {
		return wrong(key, "a row is named provider/model")
	}
	if strings.Contains(id, "*") && id != "*" {
		return wrong(key, "only provider/* stands for more than one model")
	}
	if row.Input == nil || row.Output == nil {
		return wrong(key, "input and output must be given, also where they are 0")
	}
	p := Price{Model: name, Input: *row.Input, CacheRead: row.CacheRead, CacheWrite: row.CacheWrite, Output: *row.Output,
		Window: row.Window, MaxOutput: row.MaxOutput, LongAbove: row.LongAbove, LongInput: row.LongInput, LongOutput: row.LongOutput,
		Source: row.Source, Date: row.Date}
	if err := p.check(key); err != nil {
		return err
	}
	if p.Source == "" {
		p.Source = source
	}
	if p.Source == "" {
		return wrong(key, "it has no source")
	}
	if err := checkDate(key+".date", p.Date, source == ""); err != nil {
		return err
	}
	if _, ok := c.prices[name]; ok { // the row that this one replaces goes with its aliases
		maps.DeleteFunc(c.aliases, func(_, of string) bool { return of == name })
	}
	c.prices[name] = p
	for _, alias := range row.Aliases {
		alias = provider + "/" + alias
		if !plain(alias) || strings.Contains(alias, "*") {
			return wrong(key+".aliases", "one is no model's name")
		}
		if of, ok := c.aliases[alias]; ok && of != name {
			return wrong(key+".aliases", "%.200q is an alias of %.200q already", alias, of)
		}
		c.aliases[alias] = name
	}
	return nil
}

// check refuses figures that are no prices. 0 is one: free.
func (p Price) check(key string) error {
	for _, f := range []struct {
		name  string
		value float64
		limit float64
	}{{"input", p.Input, maxRate}, {"cache_read", p.CacheRead, maxRate}, {"cache_write", p.CacheWrite, maxRate}, {"output", p.Output, maxRate},
		{"long_input", p.LongInput, maxFactor}, {"long_output", p.LongOutput, maxFactor}} {
		if !(f.value >= 0 && f.value <= f.limit) || math.Signbit(f.value) {
			return wrong(key+"."+f.name, "it must be a number from 0 to %g", f.limit)
		}
	}
	for _, f := range []struct {
		name  string
		value int64
	}{{"window", p.Window}, {"max_output", p.MaxOutput}, {"long_above", p.LongAbove}} {
		if f.value < 0 || f.value > maxTokens {
			return wrong(key+"."+f.name, "it must be a number of tokens from 0 to %d", maxTokens)
		}
	}
	switch {
	case p.LongAbove > 0 && (p.LongInput < 1 || p.LongOutput < 1):
		return wrong(key, "long_above needs long_input and long_output, factors of 1 or more")
	case p.LongAbove == 0 && (p.LongInput != 0 || p.LongOutput != 0):
		return wrong(key, "long_input and long_output need long_above")
	}
	return nil
}

func (c *Catalog) laySearch(name string, row searchRow, source string) error {
	key := fmt.Sprintf("search.%.200q", name)
	if !plain(name) {
		return wrong(key, "a row is named as the provider of searches is")
	}
	if row.USD == nil || !(*row.USD >= 0 && *row.USD <= maxRate) || math.Signbit(*row.USD) {
		return wrong(key+".usd", "it must be a number of dollars from 0 to %g for one search", maxRate)
	}
	if row.Source == "" {
		row.Source = source
	}
	if row.Source == "" {
		return wrong(key, "it has no source")
	}
	if err := checkDate(key+".date", row.Date, source == ""); err != nil {
		return err
	}
	micro := nano(*row.USD)
	c.searches[name] = SearchPrice{Provider: name, MicroUSD: ceil(micro, 1000), Source: row.Source, Date: row.Date}
	return nil
}
