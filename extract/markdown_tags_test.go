package extract

import (
	"fmt"
	"strings"
	"testing"
)

// TestMarkdownUnseen: what raw HTML hides in a text of Markdown is left out, in a line and across blocks, here and in the
// cells of a notebook.
func TestMarkdownUnseen(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"not displayed", `Seen <span style="display:none">unseen *text* and [link](https://a.example/)</span> too.`, "Seen too."},
		{"by attribute", `Seen <b hidden>unseen</b> too.`, "Seen too."},
		{"white", `Seen <span style="color:#fff">unseen</span> <font color="white">unseen</font> too.`, "Seen too."},
		{"of no size", `Seen <span style="font-size:0">unseen<i>unseen</i></span> too.`, "Seen too."},
		{"never closed in its block", "Seen <span hidden>unseen\n\nToo.", "Seen\nToo."},
		{"across blocks", "Seen.\n\n<div style=\"display:none\">\n\n# Unseen\n\nunseen\n\n- unseen\n\n</div>\n\nToo.", "Seen.\nToo."},
		{"blocks inside of each other", "<div hidden>\n\n<div>\n\nunseen\n\n</div>\n\nunseen\n\n</div>\n\nSeen.", "Seen."},
		{"shown again", `<b style="color:#fff;background:#000">Seen</b> too.`, "Seen too."},
		{"raised with attributes", `Of 10<sup class="x">6</sup> it is.`, "Of 10⁶ it is."},
	} {
		hidden := strings.Contains(c.text, "nseen")
		p := read(t, "https://a.example/x.md", "", c.text)
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != hidden {
			t.Errorf("%s: %q, flags %v, want %q", c.name, got, p.Flags, c.want)
		}
		p = read(t, "https://a.example/x.ipynb", "", fmt.Sprintf(`{"nbformat":4,"cells":[{"cell_type":"markdown","source":%q}]}`, c.text))
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != hidden {
			t.Errorf("%s, in a notebook: %q, flags %v, want %q", c.name, got, p.Flags, c.want)
		}
	}
}
