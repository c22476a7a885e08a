package research

import (
	"context"
	"strings"
	"testing"

	"ibid/llm"
)

// TestComputedDrafts: a figure that the model worked out itself is sent back with what is wrong; declared, it is computed and
// shown; a model that never mends it gets the assembled report.
func TestComputedDrafts(t *testing.T) {
	const (
		lead     = "Losses in the northern grid fell to 4.1 percent in 2024 [F1]. "
		typed    = lead + "A recount puts the losses 0.9 percentage points higher [F1, F2]."
		wrong    = lead + "A recount puts the losses {compute: F2:4.7 - F1} higher."
		declared = lead + "A recount puts the losses {compute: F2 - F1} higher."
		shown    = "A recount puts the losses 0.5 percentage points higher (computed: 4.6 percent − 4.1 percent = 0.5 percentage points, from [S2 para.1; S1 para.2])."
	)
	for name, tt := range map[string]struct {
		answers []string
		mended  bool
		told    []string // what the model reads before it mends
	}{
		"declared":                   {[]string{declared}, true, nil},
		"typed, then declared":       {[]string{typed, declared}, true, []string{"0.9", "{compute: F1 - F2}"}},
		"wrong figure, then the one": {[]string{wrong, declared}, true, []string{`no figure "4.7"`, "4.6 percent"}},
		"no finding beside it":       {[]string{strings.TrimPrefix(declared, lead)}, true, nil},
		"never mended":               {[]string{typed, wrong, wrong}, false, []string{"4.6 percent"}},
	} {
		t.Run(name, func(t *testing.T) {
			turns := append([]turn(nil), honest...)
			for _, a := range tt.answers {
				turns = append(turns, turn{answer: a})
			}
			var read strings.Builder
			r, _, _, _ := research(t, turns, func(_ *Config, p *Parts) {
				model := scripted(turns...)
				answer := model.Answer
				model.Answer = func(ctx context.Context, r llm.Request) (llm.Response, error) {
					for _, b := range r.Messages[len(r.Messages)-1].Blocks {
						read.WriteString(b.Text)
					}
					return answer(ctx, r)
				}
				p.Model = model
			})
			if !r.Verified {
				t.Fatalf("not verified: %+v\n%s", r.Check.Failures, r.Markdown)
			}
			if mended := strings.Contains(string(r.Markdown), shown); mended != tt.mended {
				t.Errorf("shows the computation: %v, want %v\n%s\n%s", mended, tt.mended, r.Markdown, read.String())
			}
			if !tt.mended && !strings.Contains(string(r.Markdown), "## Summary") {
				t.Errorf("not assembled:\n%s", r.Markdown)
			}
			for _, want := range tt.told {
				if !strings.Contains(read.String(), want) {
					t.Errorf("the model is not told %q:\n%s", want, read.String())
				}
			}
		})
	}
}
