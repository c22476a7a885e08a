package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ibid/budget"
)

// TestConfigurationPage: the example of docs/configuration.md is a configuration, every part of it takes effect, and the
// limits that the page tells are the tiers' own.
func TestConfigurationPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```toml\n")
	example, _, found := strings.Cut(example, "```")
	if !found {
		t.Fatal("there is no example")
	}
	file := filepath.Join(t.TempDir(), "ibid.toml")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	var o origins
	if err := o.load([]string{"--config", file}, func(string) string { return "" }); err != nil {
		t.Fatal(err)
	}
	known, err := o.tables.catalog()
	if err != nil {
		t.Fatal(err)
	}
	p, ok := known.Provider("halden")
	price, priced := known.Price("halden/large")
	search, _ := known.Search("serply")
	if !ok || !p.StreamUsage || p.Headers["X-Team"] == "" || !priced || price.Output != 15 || search.MicroUSD != 2000 {
		t.Errorf("provider %+v, price %+v, search %+v", p, price, search)
	}
	if _, err := o.tables.Fetch.client(); err != nil {
		t.Error(err)
	}
	if m, err := (&env{origin: &o}).embeddings(); err != nil || m.Name == "" || m.QueryPrefix != "search_query: " || m.TextPrefix != "search_document: " || m.Price != nil {
		t.Errorf("embeddings %+v, %v", m, err)
	}
	if keep, err := o.tables.Retention.age(); err != nil || keep.String() != "90d" {
		t.Errorf("runs are kept %s, %v", keep, err)
	}
	if s := o.tables.MCP; len(s) != 1 || s[0].check() != nil || len(s[0].Command) != 3 || len(s[0].Allow) != 2 || s[0].Env["ATLAS_TOKEN"] == "" || len(s[0].ReadOnly) != 1 || s[0].Timeout != 30 || s[0].MaxBytes != 4<<20 || s[0].Restarts != 3 {
		t.Errorf("servers %+v", s)
	}
	if o.values["judge"] == "" || o.values["judge-threshold"] != "72" {
		t.Errorf("settings %v", o.values)
	}
	if o.values["max-cost"] != "0.5" || o.values["team"] != "3" || o.values["window"] != "200000" || o.values["compact-at"] != "48000" || o.tables.SearchProvider["searxng"].URL == "" || len(o.tables.Fetch.Resolve) != 1 || o.tables.Fetch.Contact == "" {
		t.Errorf("settings %v, tables %+v", o.values, o.tables)
	}
	flat := strings.ReplaceAll(string(page), ",", "")
	for _, tier := range budget.Tiers {
		limits, err := tier.Limits()
		if err != nil {
			t.Fatal(err)
		}
		row := []string{string(tier)}
		for _, c := range budget.Currencies {
			row = append(row, strings.TrimPrefix(strings.TrimSuffix(c.Format(c.In(budget.Amount(limits))), "s"), "$"))
		}
		for _, line := range strings.Split(flat, "\n") {
			if strings.HasPrefix(line, "| "+string(tier)+" |") {
				line = strings.NewReplacer(" 60 ", " 1m0 ", " 240 ", " 4m0 ").Replace(line)
				for _, cell := range row {
					if !strings.Contains(line, "| "+cell+" |") {
						t.Errorf("%s: the page says %s, and not %s", tier, line, cell)
					}
				}
			}
		}
	}
}
