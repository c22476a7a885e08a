package server

import (
	"errors"
	"io"

	"ibid/knowledge"
	"ibid/runs"
)

// Datasets are a user's knowledge bases.
type Datasets struct {
	Datasets []Dataset `json:"datasets"`
}

// A Dataset tells what a knowledge base holds.
type Dataset knowledge.Info

// A Remembered is a text that a dataset is to hold: the user's own words, or what they say is from somewhere.
type Remembered struct {
	Text   string `json:"text"`
	URL    string `json:"url,omitempty"`
	Title  string `json:"title,omitempty"`
	Origin string `json:"origin,omitempty"` // the same for the same text sent again, which changes nothing
	Sync   bool   `json:"sync,omitempty"`   // absorbed before the answer; else by whoever works on the queue
}

// An Inquiry is a question to a dataset.
type Inquiry struct {
	Question string `json:"question"`
}

// Known is a part of what a dataset knows.
type Known struct {
	Facts []knowledge.Fact `json:"facts"`
	Next  int64            `json:"next,omitempty"` // ?after= of the page after it
}

// base is the knowledge of the user who asks.
func (c *call) base() (*knowledge.Base, error) {
	if c.config.Base == nil {
		return nil, refuse(problemNotFound, "", "this server keeps no datasets")
	}
	return c.config.Base, nil
}

// kbError is an error of a dataset as the API has it.
func kbError(name string, err error) error {
	var wrong knowledge.Invalid
	var busy *knowledge.Busy
	switch {
	case errors.Is(err, knowledge.ErrNotFound):
		return &runs.Error{Code: runs.NotFound, Message: "there is no dataset " + printable(name)}
	case errors.As(err, &wrong):
		return invalid("%s", string(wrong))
	case errors.As(err, &busy):
		return &runs.Error{Code: runs.Conflict, Message: busy.Error(), Hint: "It is absorbed there. Ask again."}
	}
	return err
}

func (c *call) datasets() (Datasets, error) {
	b, err := c.base()
	if err != nil {
		return Datasets{}, err
	}
	list, err := b.Datasets(c.ctx, c.desk.User())
	all := Datasets{[]Dataset{}}
	for _, i := range list {
		all.Datasets = append(all.Datasets, Dataset(i))
	}
	return all, err
}

func (c *call) dataset() (Dataset, error) {
	b, err := c.base()
	if err != nil {
		return Dataset{}, err
	}
	info, err := b.Info(c.ctx, c.desk.User(), c.path("dataset"))
	return Dataset(info), kbError(c.path("dataset"), err)
}

func (c *call) remember(r Remembered) (knowledge.Receipt, error) {
	b, err := c.base()
	if err != nil {
		return knowledge.Receipt{}, err
	}
	s := knowledge.Snippet{Text: r.Text, Label: knowledge.User, URL: r.URL, Title: r.Title}
	if r.Origin != "" {
		s.Origin = "api " + r.Origin
	}
	receipt, err := b.Remember(c.ctx, c.desk.User(), c.path("dataset"), s, r.Sync)
	return receipt, kbError(c.path("dataset"), err)
}

func (c *call) inquire(q Inquiry) (knowledge.Answer, error) {
	b, err := c.base()
	if err != nil {
		return knowledge.Answer{}, err
	}
	name := c.path("dataset")
	if _, err := b.Info(c.ctx, c.desk.User(), name); err != nil { // one that is not there is not an empty one
		return knowledge.Answer{}, kbError(name, err)
	}
	a, err := b.Query(c.ctx, c.desk.User(), name, q.Question)
	return a, kbError(name, err)
}

// absorb works on the queue of a dataset.
func (c *call) absorb() (knowledge.Toll, error) {
	b, err := c.base()
	if err != nil {
		return knowledge.Toll{}, err
	}
	name := c.path("dataset")
	if _, err := b.Info(c.ctx, c.desk.User(), name); err != nil {
		return knowledge.Toll{}, kbError(name, err)
	}
	toll, err := b.WorkFree(c.ctx, c.desk.User(), name)
	return toll, kbError(name, err)
}

func (c *call) facts() (Known, error) {
	b, err := c.base()
	if err != nil {
		return Known{}, err
	}
	limit := c.number("limit")
	if limit == 0 {
		limit = 100
	}
	after := c.number("after")
	if limit < 1 || limit > 1000 || after < 0 {
		return Known{}, invalid("limit, after: a page has 1 to 1000 facts, after a number from 0")
	}
	name := c.path("dataset")
	list, err := b.Facts(c.ctx, c.desk.User(), name, int64(after), limit)
	if err != nil {
		return Known{}, kbError(name, err)
	}
	page := Known{Facts: append([]knowledge.Fact{}, list...)}
	if len(list) == limit {
		page.Next = list[limit-1].Number()
	}
	return page, nil
}

func (c *call) exportDataset() error {
	b, err := c.base()
	if err != nil {
		return err
	}
	name := c.path("dataset")
	if _, err := b.Info(c.ctx, c.desk.User(), name); err != nil { // before anything is written
		return kbError(name, err)
	}
	c.attach(name+".jsonl", "application/jsonl")
	return b.Export(c.ctx, c.desk.User(), name, io.Writer(c.w))
}

func (c *call) forget() error {
	b, err := c.base()
	if err != nil {
		return err
	}
	_, err = b.Delete(c.ctx, c.desk.User(), c.path("dataset"))
	return kbError(c.path("dataset"), err)
}
