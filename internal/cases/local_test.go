package cases

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ibid/evidence"
	"ibid/extract"
)

var localOps = map[string]func(*testing.T, failureCase){"local_extract": localExtract}

// localExtract checks what is read of a file of the user's own: what can be quoted, and in which cell it stands.
func localExtract(t *testing.T, c failureCase) {
	name := c.str("file")
	page, err := extract.Extract(context.Background(), extract.Input{URL: fileURL(c.dir, name), Body: c.file(t, name)})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, b := range page.Blocks {
		if b.Quotable {
			texts = append(texts, b.Text)
		}
	}
	text := strings.Join(texts, "\n")
	for _, want := range strs(c.Expect["text_contains"]) {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in %q", want, text)
		}
	}
	for _, no := range strs(c.Expect["text_not_contains"]) {
		if beginsIn(text, no) {
			t.Errorf("%q is in %q", no, text)
		}
	}
	for _, f := range strs(c.Expect["flags"]) {
		if !strings.Contains(strings.Join(page.Flags, " "), f) {
			t.Errorf("flag %s is missing: %v", f, page.Flags)
		}
	}
	locators, _ := c.Expect["locator_of"].(map[string]any)
	for value, want := range locators {
		if got := cellOf(page, value); got != want {
			t.Errorf("%q stands in %q, want %q", value, got, want)
		}
	}
}

// beginsIn reports whether a text holds a string from the beginning of a word on: "otube lab" is looked for as what is left
// of "NaNotube lab", which holds it too.
func beginsIn(text, s string) bool {
	for at := 0; ; at++ {
		i := strings.Index(text[at:], s)
		if i < 0 {
			return false
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); !unicode.IsLetter(before) {
			return true
		}
	}
}

// cellOf walks to the cell that shows a value, as a person does: to the row of its block, then as many cells to the right
// as there are before it.
func cellOf(page *extract.Page, value string) string {
	for _, b := range page.Blocks {
		sheet, cells, _ := strings.Cut(b.Locator.Path, "!")
		if b.Locator.Unit != evidence.Cells || !b.Quotable {
			continue
		}
		from, _, _ := strings.Cut(cells, ":")
		for i, cell := range strings.Split(b.Text, " | ") {
			if cell == value {
				return sheet + "!" + string(rune(from[0]+byte(i))) + from[1:]
			}
		}
	}
	return ""
}
