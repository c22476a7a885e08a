package runs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"ibid/evidence"
	"ibid/journal"
)

// Info is a run's row, without its configuration: that names folders of this machine.
func (d *Desk) Info(ctx context.Context, id string) (journal.Info, error) {
	info, err := d.own(ctx, id)
	info.Config = nil
	return info, err
}

// Raw returns a source of a run as it was fetched.
func (d *Desk) Raw(ctx context.Context, id, source string) ([]byte, error) {
	b, err := d.Bundle(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(b.Sources, func(s evidence.Source) bool { return s.ID == source })
	if i < 0 {
		return nil, fail(NotFound, nil, "", "run %s has no source %q", id, source)
	}
	data, err := d.engine.Journal.Blob(ctx, b.Sources[i].SHA256)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fail(NotFound, nil, "", "of source %s of run %s no bytes were kept", source, id)
	}
	return data, err
}

// Export writes a run's whole journal as JSON Lines.
func (d *Desk) Export(ctx context.Context, id string, w io.Writer) error {
	if _, err := d.own(ctx, id); err != nil {
		return err
	}
	return d.engine.explain(id, d.engine.Journal.Export(ctx, id, w))
}

// Pack is a run as one file that anybody can check.
func (d *Desk) Pack(ctx context.Context, id string) ([]byte, error) {
	if _, err := d.own(ctx, id); err != nil {
		return nil, err
	}
	if d.engine.Pack == nil {
		return nil, fail(Internal, nil, "", "this program makes no bundles")
	}
	return d.engine.Pack(ctx, id)
}
