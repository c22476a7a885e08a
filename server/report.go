package server

import (
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/report"
	"ibid/report/forms"
	"ibid/runs"
)

// Sources is what a run read.
type Sources struct {
	Sources []evidence.Source `json:"sources"`
}

// A Source is one source with its text, span by span. Of a source that no finding is from, the text is not kept with the
// report.
type Source struct {
	Source evidence.Source `json:"source"`
	Spans  []evidence.Span `json:"spans"`
}

// report prints the report in the form that is asked for: by ?form=, or by what Accept prefers.
func (c *call) report() error {
	form := c.param("form")
	if form == "" {
		f, ok := negotiate(c.r.Header.Get("Accept"))
		if !ok {
			return refuse(problemAccept, "The forms are: "+strings.Join(formNames(), ", ")+"; or ask with ?form=.", "a report has none of the forms that are accepted")
		}
		form = f.Name
	}
	c.w.Header().Add("Vary", "Accept")
	return c.print(form)
}

// print prints the report in a form.
func (c *call) print(form string) error {
	id := c.path("run")
	f, ok := runs.FormOf(form)
	if !ok {
		return invalid("there is no form of reports called %q", printable(form))
	}
	text, err := c.desk.Report(c.ctx, id, form)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", f.Type)
	switch {
	case f.Name == "html": // it runs nothing and loads nothing
		h.Set("Content-Security-Policy", forms.Policy()+"; frame-ancestors 'none'")
	case f.Binary:
		c.attach(id+f.Ending, f.Type)
	}
	_, err = c.w.Write(text)
	return err
}

func formNames() []string {
	list := make([]string, len(runs.Forms))
	for i, f := range runs.Forms {
		list[i] = f.Name
	}
	return list
}

func formTypes() []string {
	list := make([]string, len(runs.Forms))
	for i, f := range runs.Forms {
		list[i] = f.Type
	}
	return list
}

// negotiate chooses the form that an Accept header likes best; of those that it likes as much, the first of runs.Forms.
func negotiate(accept string) (runs.Form, bool) {
	if accept == "" {
		return runs.Forms[0], true
	}
	best, like := -1, 0.0
	for i, f := range runs.Forms {
		if q := liking(accept, f.Type); q > like {
			best, like = i, q
		}
	}
	if best < 0 {
		return runs.Form{}, false
	}
	return runs.Forms[best], true
}

// liking is the quality of a type by the part of an Accept header that speaks of it most exactly (RFC 9110, 12.5.1).
func liking(accept, t string) float64 {
	t, _, _ = strings.Cut(t, ";")
	kind, _, _ := strings.Cut(t, "/")
	exact, like := 0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if i := slices.Index([]string{"*/*", kind + "/*", t}, strings.ToLower(strings.TrimSpace(name))) + 1; i > exact {
			exact, like = i, quality(params)
		}
	}
	return like
}

func (c *call) bundle() (report.Bundle, error) { return c.desk.Bundle(c.ctx, c.path("run")) }

func (c *call) findings() (runs.Findings, error) { return c.desk.Findings(c.ctx, c.path("run")) }

func (c *call) sources() (Sources, error) {
	b, err := c.bundle()
	return Sources{append([]evidence.Source{}, b.Sources...)}, err
}

func (c *call) source() (Source, error) {
	b, err := c.bundle()
	if err != nil {
		return Source{}, err
	}
	id := c.path("source")
	i := slices.IndexFunc(b.Sources, func(s evidence.Source) bool { return s.ID == id })
	if i < 0 {
		return Source{}, &runs.Error{Code: runs.NotFound, Message: "the run has no source " + printable(id)}
	}
	return Source{b.Sources[i], append([]evidence.Span{}, b.Spans[id]...)}, nil
}

// raw gives a source as it was fetched: as a file, never as a page of this server.
func (c *call) raw() error {
	data, err := c.desk.Raw(c.ctx, c.path("run"), c.path("source"))
	if err != nil {
		return err
	}
	c.attach(c.path("run")+"-"+c.path("source")+".bin", "application/octet-stream")
	c.w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	_, err = c.w.Write(data)
	return err
}
