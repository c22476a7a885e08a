package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	standing "ibid/audit/sources"
	"ibid/corpus"
	"ibid/evidence"
	"ibid/fetch"
	"ibid/internal/lazyregexp"
)

// parallel is how many sources are read at a time. Hosts are spared by the reader.
const parallel = 4

// A reading is what came of the sources of one identity.
type reading struct {
	refs    []int // that name it, in order
	got     *corpus.Reading
	failed  *fetch.Unavailable
	unasked string
}

// readSources reads each source once, those that are cited first.
func (c *checker) readSources(ctx context.Context) error {
	list := c.toRead()
	if c.o.Read == nil {
		for _, r := range list {
			r.unasked = "sources were not asked for"
		}
		c.settle(list)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.o.Time, DefaultTime))
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	var fault error
	var bytes int64
	done := 0
	slots := make(chan struct{}, parallel)
	for n, r := range list {
		slots <- struct{}{}
		mu.Lock()
		spent, failed := bytes, fault
		mu.Unlock()
		if r.unasked = c.limit(ctx, n, spent); r.unasked != "" || failed != nil {
			<-slots
			continue
		}
		wg.Go(func() {
			defer func() { <-slots }()
			err := c.readOne(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			if fault == nil {
				fault = err
			}
			if r.got != nil {
				bytes += int64(len(r.got.Raw))
			}
			done++
			if c.o.Progress != nil {
				c.o.Progress(done, len(list), r.told(c))
			}
		})
	}
	wg.Wait()
	if fault != nil {
		return fault
	}
	if ctx.Err() != nil && slices.ContainsFunc(list, func(r *reading) bool { return r.unasked != "" }) {
		c.result.Stopped = stopped(ctx)
	}
	c.settle(list)
	return nil
}

// toRead groups the references by the source that they name.
func (c *checker) toRead() []*reading {
	var list []*reading
	at := map[string]*reading{}
	for _, cited := range []bool{true, false} {
		for i, r := range c.refs {
			if (r.Cited > 0) != cited {
				continue
			}
			key := fmt.Sprintf("entry %d", i)
			if r.Address != "" {
				key = identity(r.Address)
			} else if c.o.Find == nil {
				r.State, r.Reason = NoAddress, "the entry has no address"
				continue
			}
			if at[key] == nil {
				at[key] = &reading{}
				list = append(list, at[key])
			}
			at[key].refs = append(at[key].refs, i)
		}
	}
	return list
}

// limit says why source n is not asked, "" if it is.
func (c *checker) limit(ctx context.Context, n int, bytes int64) string {
	switch {
	case ctx.Err() != nil:
		c.result.Stopped = stopped(ctx)
		return "the check ended before: " + c.result.Stopped
	case n >= cmp.Or(c.o.MaxSources, DefaultSources):
		c.result.Stopped = "sources"
		return "the limit of sources was reached"
	case bytes >= cmp.Or(c.o.MaxBytes, DefaultBytes):
		c.result.Stopped = "bytes"
		return "the limit of bytes was reached"
	}
	return ""
}

// readOne reads a source at the first of its addresses that can be read. An error is a fault of the program.
func (c *checker) readOne(ctx context.Context, r *reading) error {
	var addresses []string
	for _, i := range r.refs {
		for _, a := range c.refs[i].addresses {
			if !slices.Contains(addresses, a) && len(addresses) < 6 {
				addresses = append(addresses, a)
			}
		}
	}
	for _, a := range addresses {
		err := c.ask(ctx, r, a)
		if err != nil || r.got != nil || r.unasked != "" {
			return err
		}
	}
	if c.o.Find == nil {
		return nil
	}
	for _, i := range r.refs {
		if at, ok := c.o.Find(ctx, strings.Join(append(slices.Clone(addresses), c.refs[i].Text), " ")); ok {
			return c.ask(ctx, r, at)
		}
	}
	if r.failed == nil && len(addresses) == 0 {
		r.failed = &fetch.Unavailable{Outcome: fetch.NotFound, Reason: "the entry has no address, and no document here has its name or title"}
	}
	return nil
}

// ask reads one address. The first failure is the one that is told.
func (c *checker) ask(ctx context.Context, r *reading, address string) error {
	got, err := c.o.Read(ctx, address)
	var failed *fetch.Unavailable
	switch {
	case err == nil:
		r.got, r.failed = got, nil
	case ctx.Err() != nil:
		r.unasked = "the check ended before: " + stopped(ctx)
	case errors.As(err, &failed):
		if r.failed == nil {
			r.failed = failed
		}
	default:
		return fmt.Errorf("reading %s: %w", address, err)
	}
	return nil
}

// told is a source's first reference as progress tells it.
func (r *reading) told(c *checker) Reference {
	ref := *c.refs[r.refs[0]]
	r.tell(&ref)
	return ref
}

func (r *reading) tell(ref *Reference) {
	switch {
	case r.got != nil:
		s := r.got.Source
		ref.State, ref.URL, ref.Title, ref.SHA256, ref.Flags = Read, s.URL, oneLine(s.Title), s.SHA256, s.Flags
		ref.Fetched = s.Fetched.UTC().Format(time.RFC3339)
	case r.failed != nil:
		ref.State, ref.Outcome, ref.Reason = Failed, string(r.failed.Outcome), r.failed.Reason
		if len(ref.addresses) == 0 {
			ref.State, ref.Outcome = NoAddress, ""
		}
	default:
		ref.State, ref.Reason = NotAsked, r.unasked
	}
}

// settle takes in what was read, in the order of the references: the same sources, the same result, whichever came first.
func (c *checker) settle(list []*reading) {
	slices.SortStableFunc(list, func(a, b *reading) int { return a.refs[0] - b.refs[0] })
	docs := corpus.New()
	first := map[string]int{} // source → reference
	for _, r := range list {
		id := ""
		if r.got != nil {
			id, _ = docs.Ingest(*r.got)
		}
		for _, i := range r.refs {
			ref := c.refs[i]
			r.tell(ref)
			ref.source = id
			if i != r.refs[0] {
				ref.SameAs = c.refs[r.refs[0]].ID
			}
			if id == "" {
				continue
			}
			if j, ok := first[id]; ok {
				ref.SameAs = c.refs[j].ID
			} else {
				first[id] = i
			}
		}
	}
	c.texts = newTexts(docs, first)
}

// compareSources tells of entries that nothing cites, that name one source twice, or that cannot be followed.
func (c *checker) compareSources() {
	byAuthor := slices.ContainsFunc(c.result.Problems, func(p Problem) bool { return p.Code == UnreadStyle })
	byID := map[string]*Reference{}
	for _, r := range c.refs {
		byID[r.ID] = r
		if r.Kind == Linked {
			continue
		}
		if r.Cited == 0 && !(byAuthor && r.Label == "") {
			c.problem(Unused, r.Line, r.Text, r.ID, "Nothing in the text cites this entry.")
		}
		if r.State == NoAddress && r.Cited > 0 {
			c.problem(WithoutAddress, r.Line, r.Text, r.ID, "This entry cannot be followed: "+r.Reason+".")
		}
		if r.Cited > 0 {
			c.tellStatus(r)
		}
		if other := byID[r.SameAs]; other != nil && other.Kind != Linked && !repeatedNote(r, other) {
			why := "they have one address"
			if r.Address == "" || identity(r.Address) != identity(other.Address) {
				why = "what was read at both addresses is one document"
			}
			c.problem(Doubled, r.Line, r.Text, r.ID, fmt.Sprintf("This entry and %s (line %d) are one source: %s.", other.name(), other.Line, why))
		}
	}
}

// tellStatus tells of a source that is cited and says itself that it is not to be relied on.
func (c *checker) tellStatus(r *Reference) {
	x := c.texts.each[r.source]
	if x == nil {
		if words := takenBack.FindString(r.Text); words != "" && r.Kind != Linked {
			c.problem(Withdrawn, r.Line, r.Text, r.ID, fmt.Sprintf("The entry itself says %q, and the source could not be looked at.", words))
		}
		return
	}
	card := standing.Weigh([]evidence.Source{x.source}, map[string][]evidence.Span{x.source.ID: x.spans}, nil, "").Cards[0]
	for _, status := range []string{standing.Retracted, standing.Doubted, standing.Superseded} {
		if fact := card.Has(status); fact != nil {
			c.problem(Withdrawn, r.Line, r.Text, r.ID, fmt.Sprintf("This source is %s: %s.", status, strings.TrimRight(fact.Basis, ".")))
		}
	}
}

// takenBack is what journals and indexes set before the title of what was retracted.
var takenBack = lazyregexp.New(`\b(?:RETRACTED|WITHDRAWN)(?: (?:ARTICLE|PAPER|CHAPTER))? ?:|\[(?:RETRACTED|Retracted)(?: (?:ARTICLE|[Aa]rticle))?\]`)

// repeatedNote reports whether two footnotes cite one source for different places in it, as footnotes do.
func repeatedNote(a, b *Reference) bool {
	bare := func(r *Reference) string { return oneLine(bareURL.ReplaceAllString(r.Text, "")) }
	return a.Kind == Footnote && b.Kind == Footnote && bare(a) != bare(b)
}

// name is what a reader finds a reference by.
func (r *Reference) name() string {
	if r.Label != "" {
		return "entry " + r.Label
	}
	return r.ID
}
