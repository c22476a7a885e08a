package catalog

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestUserFile(t *testing.T) {
	c := load(t, `
date = "2027-02-03"
[price."openai/gpt-5"]
input = 2
output = 3
[price."mistral/mistral-medium-3-5"]
input = 9
output = 9
date = "2027-01-01"
source = "our contract"
[search]
serply = { usd = 0.0004 }
tavily = { usd = 0.0000001, source = "our contract" }
[[provider]]
name = "openai"
url = "https://proxy.example/v1/"
temperature = ["gpt-5*"]
[[provider]]
name = "acme"
protocol = "openai"
url = "http://10.0.0.7:8000/v1"
[[provider]]
name = "zeta"
protocol = "anthropic"
url = "https://zeta.example"
key_env = ["ZETA_KEY"]
model = "zeta-1"
`)
	if c.Date() != "2027-02-03" {
		t.Errorf("date %s", c.Date())
	}
	if p, _ := c.Price("openai/gpt-5"); p != (Price{Model: "openai/gpt-5", Input: 2, Output: 3, Source: "the user's file"}) {
		t.Errorf("a row replaces the built-in one whole, but it is %+v", p)
	}
	if p, _ := c.Price("mistral/mistral-medium-3-5"); p.Source != "our contract" || p.Date != "2027-01-01" {
		t.Errorf("%+v", p)
	}
	if p, ok := c.Price("mistral/mistral-medium-latest"); ok {
		t.Errorf("an alias outlives its row: %+v", p)
	}
	if p, ok := c.Search("serply"); !ok || p.MicroUSD != 400 || p.Source != "the user's file" {
		t.Errorf("%+v", p)
	}
	if p, _ := c.Search("tavily"); p.MicroUSD != 1 {
		t.Errorf("a tenth of a millionth is not rounded up: %+v", p)
	}
	if names := c.Providers()[0].Name + " " + c.Providers()[1].Name + " " + c.Providers()[2].Name; names != "acme zeta anthropic" {
		t.Errorf("the order is %s", names)
	}
	p, _ := c.Provider("openai")
	if p.URL != "https://proxy.example/v1" || !p.Temperature("gpt-5.6-sol") || p.Temperature("gpt-4o") || p.DefaultModel == "" || !p.CacheKey {
		t.Errorf("of a provider only the keys given are replaced: %+v", p)
	}
	if p, _ := c.Provider("acme"); p.MaxTokensField != "max_tokens" || len(p.KeyEnv) != 0 {
		t.Errorf("%+v", p)
	}
	builtIn := load(t, "")
	if p, _ := builtIn.Provider("openai"); p.URL != "https://api.openai.com/v1" || p.Temperature("gpt-5") {
		t.Errorf("one catalog's file shows in another: %+v", p)
	}
}

func TestBadFiles(t *testing.T) {
	provider := func(line string) string {
		return "[[provider]]\nname = \"acme\"\nprotocol = \"openai\"\nurl = \"https://acme.example/v1\"\n" + line
	}
	price := func(line string) string { return "[price.\"acme/x\"]\ninput = 1\noutput = 2\n" + line }
	for _, x := range []struct{ name, file, says string }{
		{"no TOML", "price = [", "line 1"},
		{"a key twice", "date = \"2026-01-01\"\ndate = \"2026-01-01\"", "line 2"},
		{"not UTF-8", "date = \"\xff\"", "line 1"},
		{"another type", price(`cache_read = "0.1"`), "line 4 (last key"},
		{"a date that is none", `date = "yesterday"`, "date: it must be a day"},
		{"unknown key", "prices = 1", "does not exist: prices"},
		{"unknown keys", price("cached = 1\n[search.x]\nusd = 1\nper = 2\n") + provider("api_key = \"sk-secret\""), "acme/x\".cached, search.x.per, provider.api_key"},
		{"no input", "[price.\"acme/x\"]\noutput = 1", "input and output must be given"},
		{"negative", price("cache_read = -0.5"), `price."acme/x".cache_read: it must be a number from 0`},
		{"minus zero", price("cache_read = -0.0"), "cache_read"},
		{"NaN", price("cache_write = nan"), "cache_write"},
		{"infinite", price("cache_write = inf"), "cache_write"},
		{"beyond all prices", price("cache_write = 1e9"), "cache_write"},
		{"beyond float64", price("cache_write = 1e999"), "line 4"},
		{"beyond int64", price("window = 99999999999999999999"), "line 4"},
		{"negative window", price("window = -1"), ".window"},
		{"huge window", price("window = 9_000_000_000_000_000_000"), ".window"},
		{"half a surcharge", price("long_above = 1000\nlong_input = 2"), "long_above needs"},
		{"a discount as a surcharge", price("long_above = 1000\nlong_input = 0.5\nlong_output = 1"), "long_above needs"},
		{"a surcharge above nothing", price("long_input = 2\nlong_output = 1"), "need long_above"},
		{"a date of a row", price(`date = "2026-02-30"`), `price."acme/x".date`},
		{"no provider in a name", "[price.x]\ninput = 1\noutput = 1", "provider/model"},
		{"empty model", "[price.\"acme/\"]\ninput = 1\noutput = 1", "provider/model"},
		{"line break in a name", "[price.\"acme/a\\nb\"]\ninput = 1\noutput = 1", "provider/model"},
		{"half a wildcard", "[price.\"openai/gpt-5*\"]\ninput = 1\noutput = 1", "only provider/*"},
		{"alias of two", price(`aliases = ["y"]`) + "\n[price.\"acme/z\"]\ninput = 1\noutput = 1\naliases = [\"y\"]", "already"},
		{"alias of a row", price(`aliases = ["y"]`) + "\n[price.\"acme/y\"]\ninput = 1\noutput = 1", "a row of its own"},
		{"empty alias", price(`aliases = [" "]`), "no model's name"},
		{"negative search", "[search.x]\nusd = -1", `search."x".usd`},
		{"search without a price", "[search.x]\nsource = \"a\"", ".usd"},
		{"search that is not a number", "[search.x]\nusd = nan", ".usd"},
		{"nameless provider", "[[provider]]\nurl = \"https://a.example\"", "provider 1.name"},
		{"name with a slash", "[[provider]]\nname = \"a/b\"", "provider 1.name"},
		{"provider twice", provider("") + provider(""), "twice"},
		{"no protocol", "[[provider]]\nname = \"acme\"\nurl = \"https://a.example\"", "acme.protocol"},
		{"no address", "[[provider]]\nname = \"acme\"\nprotocol = \"openai\"", "acme.url"},
		{"file address", "[[provider]]\nname = \"openai\"\nurl = \"file:///etc/passwd\"", "openai.url"},
		{"address with a password", "[[provider]]\nname = \"openai\"\nurl = \"https://me:sk-secret@a.example\"", "openai.url"},
		{"address with a key", "[[provider]]\nname = \"openai\"\nurl = \"https://a.example/v1?key=sk-secret\"", "openai.url"},
		{"key instead of a variable", provider(`key_env = ["sk-secret"]`), "acme.key_env"},
		{"key of another type", provider(`key_env = "sk-secret"`), "key_env\"): incompatible types"},
		{"search of another kind", provider(`search = "google"`), "acme.search"},
		{"reasoning", provider(`reasoning = "maybe"`), "acme.reasoning"},
		{"max tokens", provider(`max_tokens_field = "tokens"`), "acme.max_tokens_field"},
		{"a pattern that is none", provider(`temperature = ["gpt-["]`), "no pattern"},
		{"default model", provider(`model = "a b"`), "acme.model"},
		{"too long", strings.Repeat("#", maxFile+1), "bytes"},
		{"deep", "a = 1\nb = " + strings.Repeat("[", maxFile-10), "line 2: it is nested"},
		{"deep tables", "a = " + strings.Repeat("{a=", maxFile/3-10), "line 1: it is nested"},
		{"deep keys", "'a\"' = \"\\\"[\" # [[[\nb = \"\"\"\n\"[\n\"\"\"\n[" + strings.Repeat("a.", maxFile/2-50) + "a]", "line 5: it is nested"},
	} {
		c, err := Load([]byte(x.file))
		var bad *FileError
		if c != nil || !errors.As(err, &bad) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v; want %q in it", x.name, err, x.says)
		} else if strings.Contains(err.Error(), "sk-secret") || len(err.Error()) > 3000 {
			t.Errorf("%s: %.3000v", x.name, err)
		}
	}
}

// FuzzLoad lays files over the built-in tables, which are read once; its seeds are short parts of them.
func FuzzLoad(f *testing.F) {
	builtIn, err := Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, table := range [][]byte{prices, providers} {
		lines := bytes.SplitAfter(table, []byte("\n"))
		for _, at := range []int{0, len(lines) / 2, len(lines) - 16} {
			f.Add(bytes.Join(lines[at:at+16], nil))
		}
	}
	f.Add([]byte("[price]\n\"openai/gpt-5\" = { input = 1, output = 2, aliases = [\"x\"], source = '#', date = \"2026-01-01\" }\n"))
	f.Add([]byte("date = \"2027-01-01\"\n[price.\"acme/*\"]\ninput = 1e-3\noutput = inf\n[search.x]\nusd = 0.1\n[[provider]]\nname = \"acme\"\n"))
	f.Add([]byte("[price.\"a/b\"]\ninput = 1\noutput = 2\naliases = [\"c\"]\nlong_above = 5\nlong_input = 2\nlong_output = 1.5\n"))
	f.Fuzz(func(t *testing.T, user []byte) {
		c := &Catalog{date: builtIn.date, providers: slices.Clone(builtIn.providers), prices: maps.Clone(builtIn.prices),
			aliases: maps.Clone(builtIn.aliases), searches: maps.Clone(builtIn.searches)}
		if err := c.overlay(user); err != nil {
			var bad *FileError
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for name, p := range c.prices {
			if err := p.check(name); err != nil || p.Source == "" || p.Model != name {
				t.Fatalf("%q: %+v, %v", name, p, err)
			}
			if q, ok := c.Price(name); !ok || q.Model != name {
				t.Fatalf("%q is not found: %+v", name, q)
			}
		}
		for alias, name := range c.aliases {
			if p, ok := c.Price(alias); !ok || p.Model != name {
				t.Fatalf("%q is no alias of %q: %+v", alias, name, p)
			}
		}
		for _, p := range c.Providers() {
			if err := p.check(p.Name); err != nil {
				t.Fatal(err)
			}
			if q, id, err := c.Split(p.Name + "/x/y"); err != nil || q.Name != p.Name || id != "x/y" {
				t.Fatalf("%q: %+v, %q, %v", p.Name, q, id, err)
			}
		}
	})
}
