package bundle

import (
	"bytes"
	"context"
	"reflect"
	"slices"

	"ibid/audit"
	"ibid/audit/claim"
	"ibid/evidence"
	"ibid/extract"
	"ibid/report"
)

// sourceTexts reads every source again from its bytes.
func (v *verifier) sourceTexts(ctx context.Context) bool {
	for _, s := range v.sources() {
		if ctx.Err() != nil {
			return false
		}
		raw := v.payloads[s.ID]
		v.read[s.ID] = v.spans[s.ID]
		if hexSHA256(raw) != s.SHA256 {
			v.fail(Text, s.ID, "its bytes do not have the hash that is recorded")
			continue
		}
		read := v.o.Extract
		if slices.Contains(s.Flags, extract.FlagOCR) {
			if read = v.o.Recognise; read == nil {
				v.note("%s was recognised from pictures, and is not read again", s.ID)
				continue
			}
		}
		page, err := read(ctx, extract.Input{URL: v.reading[s.ID].Source.URL, ContentType: v.reading[s.ID].ContentType, Body: raw})
		if err != nil {
			v.reread(s, "its bytes cannot be read: "+err.Error(), nil, "")
			continue
		}
		spans := extract.Spans(s.ID, page.Blocks)
		switch {
		case evidence.TextHash(spans) != s.TextSHA256:
			v.reread(s, "its bytes, read again, say something else than what is recorded: "+spanDifference(v.spans[s.ID], spans), spans, page.By)
		case !reflect.DeepEqual(spans, v.spans[s.ID]):
			v.reread(s, "what stands beside its text is not what is recorded", spans, page.By)
		case page.By != s.ExtractedBy:
			v.note("%s was read with %s, and again with %s: the same text", s.ID, s.ExtractedBy, page.By)
		}
	}
	return true
}

// reread decides on a source that does not read as it did: with the reader that is recorded this is a fault; with another
// version of it, or where text was recognised from pictures, it is said, and the quotes decide.
func (v *verifier) reread(s evidence.Source, what string, spans []evidence.Span, by string) {
	recognised := slices.Contains(s.Flags, extract.FlagOCR)
	if by == s.ExtractedBy && !recognised || by == "" && !recognised {
		v.fail(Text, s.ID, "%s", what)
		return
	}
	v.note("%s was read with %s, and again with %s: %s", s.ID, s.ExtractedBy, by, what)
	if recognised {
		return // recognising is not the same on two machines: the recorded text stands
	}
	v.read[s.ID], v.other[s.ID] = spans, true
}

// findings looks up every quote in what the sources' bytes say, and holds the claims against them.
func (v *verifier) findings(context.Context) bool {
	docs := map[string]*evidence.Doc{}
	for _, s := range v.sources() {
		docs[s.ID] = evidence.NewDoc(s.Kind, v.read[s.ID])
	}
	for _, f := range v.report.Findings {
		doc := docs[f.Source]
		if doc == nil {
			v.fail(Quote, f.ID, "its source %s was not read", f.Source)
			continue
		}
		m := doc.Match(f.Locator, f.Quote)
		if !m.OK() {
			v.fail(Quote, f.ID, "its quote does not stand at %s: %s", f.Key(), m.Message())
			continue
		}
		if m.Quote != f.Quote && !v.other[f.Source] {
			v.fail(Quote, f.ID, "its quote is not the source's own spelling at %s", f.Key())
		}
		for _, verdict := range claim.Check(f.Claim, m.Quote, audit.Around(v.source(f.Source), v.read[f.Source], m)) {
			if verdict.Severity == claim.Block && f.Rejected == "" && !f.Accepted.Lifts(string(verdict.Code)) {
				v.fail(Claim, f.ID, "%s: %s", verdict.Code, verdict.Message)
			}
		}
	}
	return true
}

func (v *verifier) source(id string) evidence.Source {
	for _, s := range v.report.Sources {
		if s.ID == id {
			return s
		}
	}
	return evidence.Source{}
}

// reportText checks the report over what the sources' bytes say, and compares the verdicts with those that are recorded.
func (v *verifier) reportText(context.Context) bool {
	b := v.report
	b.Sources = slices.Clone(b.Sources)
	for i, s := range b.Sources {
		if v.other[s.ID] { // read by another reader: its text has another hash, and that was said
			b.Sources[i].TextSHA256 = evidence.TextHash(v.read[s.ID])
		}
	}
	b.Spans = v.read
	if root, err := report.Root(v.report.Sources, v.report.Findings); err != nil || b.Facts.Root != "" && root != b.Facts.Root {
		v.fail(Root, reportFile, "the root that the report prints is not that of its sources and findings")
	}
	v.blocked(reportFile, audited(b))
	again, err := verdicts([]byte(b.Report), v.result.Check)
	switch {
	case err != nil:
		v.fail(Report, verdictsFile, "%v", err)
	case bytes.Equal(again, v.files[verdictsFile]):
	case v.program != v.o.Program:
		v.note("the verdicts of this ibid (%s) differ from those of the one that made the bundle (%s): %s", v.o.Program, v.program, firstDifference(again, v.files[verdictsFile]))
	default:
		v.fail(Report, verdictsFile, "the verdicts on the report are others: %s", firstDifference(again, v.files[verdictsFile]))
	}
	if v.o.Markdown != nil {
		b.Report = string(v.o.Markdown)
		v.blocked("the report", audited(b))
	}
	return true
}

// blocked takes over what a check of a report found.
func (v *verifier) blocked(where string, r audit.Result) {
	v.result.Check = r
	for _, f := range r.Failures {
		if f.Severity == audit.Block {
			v.fail(Report, where, "line %d: %s: %.200q. %s", f.Line, f.Code, f.Text, f.Message)
		}
	}
}

// spanDifference names the first span in which two readings differ.
func spanDifference(recorded, again []evidence.Span) string {
	return firstDifference(spanLines(recorded), spanLines(again))
}
