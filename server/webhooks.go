package server

import (
	"ibid/runs"
	"ibid/server/hooks"
)

// Webhooks are where a user wants to be told of their runs.
type Webhooks struct {
	Webhooks []hooks.Webhook `json:"webhooks"`
}

// A Target is an address, and what is to be told there; nothing named is all.
type Target struct {
	URL    string   `json:"url"`
	Events []string `json:"events,omitempty"`
}

// A Secret signs what a webhook is told. It is shown this once.
type Secret struct {
	Webhook *hooks.Webhook `json:"webhook,omitempty"`
	Secret  string         `json:"secret"`
}

// Deliveries are what a webhook was told, or is to be told.
type Deliveries struct {
	Deliveries []hooks.Delivery `json:"deliveries"`
}

// hooks are the webhooks, and whose they are asked for.
func (c *call) hooks() (*hooks.Hooks, string, error) {
	if c.config.Hooks == nil {
		return nil, "", &runs.Error{Code: runs.Unready, Message: "this server tells no webhooks"}
	}
	return c.config.Hooks, User(c.ctx), nil
}

func (c *call) webhooks() (Webhooks, error) {
	h, user, err := c.hooks()
	if err != nil {
		return Webhooks{}, err
	}
	list, err := h.List(c.ctx, user)
	return Webhooks{list}, err
}

func (c *call) addWebhook(t Target) (Secret, error) {
	h, user, err := c.hooks()
	if err != nil {
		return Secret{}, err
	}
	w, secret, err := h.Create(c.ctx, user, t.URL, t.Events)
	if err != nil {
		return Secret{}, err
	}
	c.w.Header().Set("Location", "/v1/webhooks/"+w.ID)
	return Secret{&w, secret}, nil
}

func (c *call) webhook() (hooks.Webhook, error) {
	h, user, err := c.hooks()
	if err != nil {
		return hooks.Webhook{}, err
	}
	return h.Get(c.ctx, user, c.path("webhook"))
}

func (c *call) changeWebhook(t Target) (hooks.Webhook, error) {
	h, user, err := c.hooks()
	if err != nil {
		return hooks.Webhook{}, err
	}
	return h.Change(c.ctx, user, c.path("webhook"), t.URL, t.Events)
}

func (c *call) deleteWebhook() error {
	h, user, err := c.hooks()
	if err != nil {
		return err
	}
	return h.Delete(c.ctx, user, c.path("webhook"))
}

func (c *call) rotateSecret() (Secret, error) {
	h, user, err := c.hooks()
	if err != nil {
		return Secret{}, err
	}
	secret, err := h.Rotate(c.ctx, user, c.path("webhook"))
	return Secret{Secret: secret}, err
}

func (c *call) tryWebhook() (hooks.Delivery, error) {
	h, user, err := c.hooks()
	if err != nil {
		return hooks.Delivery{}, err
	}
	return h.Try(c.ctx, user, c.path("webhook"))
}

func (c *call) deliveries() (Deliveries, error) {
	h, user, err := c.hooks()
	if err != nil {
		return Deliveries{}, err
	}
	list, err := h.Deliveries(c.ctx, user, c.path("webhook"))
	return Deliveries{list}, err
}
