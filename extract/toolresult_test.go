package extract

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/evidence"
	"ibid/internal/testset"
)

const toolURL = ToolScheme + "atlas/lookup?arguments=%7B%7D"

func readResult(t testing.TB, raw string) *Page {
	t.Helper()
	page, err := Extract(t.Context(), Input{URL: toolURL, ContentType: "application/json", Body: []byte(raw)})
	if err != nil {
		t.Fatalf("%.200s: %v", raw, err)
	}
	return page
}

// TestToolResult: what a tool answered is read where it stands in the answer, structured content first, and nothing twice.
func TestToolResult(t *testing.T) {
	long := strings.Repeat("a line of the log\\n", 45)
	for _, tt := range []struct {
		name, raw string
		want      []string // locator: text, in part
	}{
		{"text", `{"content":[{"type":"text","text":"Losses fell to 3.9 percent.\nMeters were read twice."}]}`,
			[]string{"content/0/text:L1-L2: Losses fell to 3.9 percent.\nMeters were read twice."}},
		{"two texts", `{"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}],"structuredContent":null}`,
			[]string{"content/0/text:L1: one", "content/1/text:L1: two"}},
		{"structured and the same as text", `{"content":[{"type":"text","text":"{\"b\":1.50, \"a\":\"x\"}"}],"structuredContent":{"a":"x","b":1.50}}`,
			[]string{"/structuredContent: 1.50"}},
		{"structured and its string as text", `{"content":[{"type":"text","text":"The grid lost 3.9 percent in that year."}],"structuredContent":{"result":"The grid lost 3.9 percent in that year."}}`,
			[]string{"/structuredContent/result: The grid lost 3.9 percent in that year."}},
		{"structured and something else", `{"content":[{"type":"text","text":"See the note."}],"structuredContent":{"n":3}}`,
			[]string{"/structuredContent: 3", "content/0/text:L1: See the note."}},
		{"JSON in a text", `{"content":[{"type":"text","text":"{\"rows\":[{\"year\":2024,\"loss\":0.10},{\"year\":2025,\"loss\":12345678901234567890}]}"}]}`,
			[]string{`/content/0/text: "loss":0.10},{"year":2025,"loss":12345678901234567890}`}},
		{"embedded resource", `{"content":[{"type":"resource","resource":{"uri":"demo://x/1","mimeType":"text/plain","text":"Kept words."}}]}`,
			[]string{"content/0/resource/text:L1: Kept words."}},
		{"not read", `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource","resource":{"uri":"demo://x/2","blob":"AAAA"}},{"type":"hologram"},7,null]}`, nil},
		{"nothing", `{"content":[]}`, nil},
		{"null lists", `{"content":null,"structuredContent":null,"isError":null}`, nil},
		{"an empty list inside", `{"content":[],"structuredContent":{"hits":[]}}`, nil},
		{"long text", `{"content":[{"type":"text","text":"` + long + `"}]}`,
			[]string{"content/0/text:L1-L20: a line", "content/0/text:L21-L40: a line", "content/0/text:L41-L46: a line"}},
	} {
		page := readResult(t, tt.raw)
		if page.Kind != evidence.MCP || len(page.Blocks) != len(tt.want) && tt.name != "an empty list inside" {
			t.Errorf("%s: %s with %+v", tt.name, page.Kind, page.Blocks)
			continue
		}
		for i, want := range tt.want {
			at, text, _ := strings.Cut(want, ": ")
			if b := page.Blocks[i]; b.Locator.String() != at || !strings.Contains(b.Text, text) || !b.Quotable {
				t.Errorf("%s: %s: %q, want %s", tt.name, b.Locator, b.Text, want)
			}
			if b := page.Blocks[i]; b.End > 0 && !strings.Contains(tt.raw[b.Start:b.End], "\"") && !strings.Contains(tt.raw[b.Start:b.End], "3") {
				t.Errorf("%s: its bytes are %q", tt.name, tt.raw[b.Start:b.End])
			}
		}
	}
	for _, raw := range []string{"", "null", "[]", "no JSON", `{"content":7}`, `{"content":[`} {
		if page, err := Extract(t.Context(), Input{URL: toolURL, Body: []byte(raw)}); err == nil {
			t.Errorf("%q was read as %+v", raw, page)
		}
	}
}

// TestToolResultLinks: links of a result are known, and lines without end are cut and flagged.
func TestToolResultLinks(t *testing.T) {
	page := readResult(t, `{"content":[{"type":"resource_link","uri":"https://a.example/r","name":"The report"},{"type":"resource_link","uri":"demo://x"}],"structuredContent":{"site":"https://b.example/"}}`)
	var urls []string
	for _, l := range page.Links {
		urls = append(urls, l.URL)
	}
	if slices.Sort(urls); !slices.Equal(urls, []string{"https://a.example/r", "https://b.example/"}) {
		t.Errorf("links %v", urls)
	}
	page = readResult(t, `{"content":[{"type":"text","text":"`+strings.Repeat("é", 100_000)+`"}]}`)
	if len(page.Blocks) != 1 || len(page.Blocks[0].Text) > maxToolLine || strings.Trim(page.Blocks[0].Text, "é") != "" || !slices.Contains(page.Flags, FlagTruncated) {
		t.Errorf("a line of 200,000 bytes: %d blocks, flags %v", len(page.Blocks), page.Flags)
	}
}

// TestToolResultCase holds the reader against the shared case of results with and without the error flag.
func TestToolResultCase(t *testing.T) {
	dir := testset.Path(t, "cases", "131-error-flag-beside-structured-content")
	var c struct {
		Expect struct {
			OK       []bool   `json:"ok"`
			Contains []string `json:"model_text_contains"`
		} `json:"expect"`
	}
	text, err := os.ReadFile(dir + "/case.json")
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil || len(c.Expect.OK) != 5 {
		t.Fatalf("the case: %v", err)
	}
	for i, ok := range c.Expect.OK {
		raw, err := os.ReadFile(fmt.Sprintf("%s/r%d.json", dir, i+1))
		if err != nil {
			t.Fatal(err)
		}
		result, err := ParseToolResult(raw)
		if err != nil || result.IsError == ok {
			t.Errorf("result %d: %+v, %v", i+1, result, err)
		}
		var all strings.Builder
		for _, b := range readResult(t, string(raw)).Blocks {
			all.WriteString(b.Text + "\n")
		}
		if want := strings.Trim(c.Expect.Contains[i], `"`); !strings.Contains(all.String(), want) {
			t.Errorf("result %d says %q, want %s", i+1, all.String(), want)
		}
	}
}

func FuzzToolResult(f *testing.F) {
	for _, seed := range []string{`{"content":[{"type":"text","text":"a\nb"}],"structuredContent":{"a":[1,{"b":"c"}]},"isError":true}`,
		`{"content":[{"type":"resource","resource":{"uri":"x","text":"{\"a\":[]}"}},{"type":"image","data":"AA"}]}`, `{"content":null}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		page, err := Extract(t.Context(), Input{URL: toolURL, Body: raw})
		if err != nil {
			return
		}
		seen := map[evidence.Locator]bool{}
		for _, b := range page.Blocks {
			if !b.Locator.Valid() || b.Text == "" || b.Start < 0 || b.End < b.Start {
				t.Fatalf("a block %+v", b)
			}
			if seen[b.Locator] && b.Locator.Unit == evidence.Lines {
				t.Fatalf("%s twice", b.Locator)
			}
			seen[b.Locator] = true
			if l, err := evidence.ParseLocator(b.Locator.String()); err != nil || l != b.Locator {
				t.Fatalf("locator %s: %v", b.Locator, err)
			}
		}
	})
}
