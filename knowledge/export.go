package knowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// Export writes a dataset as JSON Lines: a line that says what it is, one for each fact with all its supports, one for each
// snippet that waits, one for each report. The same dataset gives the same bytes.
func (b *Base) Export(ctx context.Context, user, dataset string, w io.Writer) error {
	info, err := b.Info(ctx, user, dataset)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	line := func(v any) error {
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("knowledge: writing %s: %w", dataset, err)
		}
		return nil
	}
	if err := line(struct {
		V       int    `json:"v"`
		Dataset string `json:"dataset"`
		Facts   int64  `json:"facts"`
	}{1, info.Name, info.Facts}); err != nil {
		return err
	}
	for after := int64(0); ; {
		list, err := b.Facts(ctx, user, dataset, after, maxPage)
		if err != nil {
			return err
		}
		for _, f := range list {
			if err := line(f); err != nil {
				return err
			}
			after = f.n
		}
		if len(list) == 0 {
			break
		}
	}
	waiting, err := snippets(ctx, b.DB, info.id, `state = 'queued'`)
	if err != nil {
		return fmt.Errorf("knowledge: reading %s: %w", dataset, err)
	}
	for _, s := range waiting {
		if err := line(struct {
			Waiting int64  `json:"waiting"`
			Text    string `json:"text"`
			Label   Label  `json:"label"`
			URL     string `json:"url,omitempty"`
			Title   string `json:"title,omitempty"`
			Run     string `json:"run,omitempty"`
		}{s.Seq, s.Text, s.Label, s.URL, s.Title, s.Run}); err != nil {
			return err
		}
	}
	reports, err := b.Reports(ctx, user, dataset)
	if err != nil {
		return err
	}
	for _, r := range reports {
		if err := line(struct {
			Report Report `json:"report"`
		}{r}); err != nil {
			return err
		}
	}
	return nil
}
