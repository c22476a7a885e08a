package extract

import (
	"context"
	"errors"
	"testing"
)

// fuzz reads whatever comes and checks what must hold for every page.
func fuzz(f *testing.F, url, contentType string) {
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 64<<10 {
			return
		}
		p, err := Extract(context.Background(), Input{URL: url, ContentType: contentType, Body: body})
		var u *Unreadable
		switch {
		case err == nil:
			if p.Kind != "pdf" {
				check(t, p, len(body))
			}
		case !errors.As(err, &u):
			t.Errorf("not an *Unreadable: %v", err)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte(markdownDoc))
	f.Add([]byte("+++\ntitle = 'x'\n+++\n- [ ] a\n\n|a|b|\n|-|-|\n|c|\n\n~~~\nx"))
	fuzz(f, "https://a.example/x.md", "text/markdown")
}

func FuzzTranscript(f *testing.F) {
	f.Add([]byte(rolling))
	f.Add([]byte("1\n00:00:01,000 --> 00:00:02,000\nRow\n"))
	f.Add([]byte(`[{"start":0.16,"text":"Hi"},{"start":1e5,"text":"x"}]`))
	fuzz(f, "https://a.example/x.vtt", "text/vtt")
}

func FuzzRepo(f *testing.F) {
	f.Add(tarOf(f, entry{name: "a.go", body: numbered(45)}, entry{name: "b/README.md", body: "# T\n"}))
	f.Add(gzipped(f, tarOf(f, entry{name: "../a.go", body: "x"})))
	fuzz(f, "https://code.example/x", "application/x-tar")
}
