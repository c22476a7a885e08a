package fetch

import (
	"context"
	"errors"
	"net/url"
	"strconv"
)

// Refuses says why nothing would be asked at a URL: its form, or an address that it leads to now. A name whose address cannot
// be found out is not refused; Do looks again, whatever was said here.
func (c *Client) Refuses(ctx context.Context, address string) error {
	u, fault := c.policy.check(address)
	if fault == nil {
		fault = c.leads(ctx, u)
	}
	if fault != nil {
		return errors.New(fault.reason)
	}
	return nil
}

func (c *Client) leads(ctx context.Context, u *url.URL) *exchangeFault {
	port, _ := strconv.ParseUint(u.Port(), 10, 16) // which address it is does not depend on it
	targets, err := c.lookup(ctx, u.Hostname(), uint16(port))
	if err != nil {
		return nil
	}
	for _, to := range targets {
		if fault := c.policy.guard.check(to.Addr()); fault != nil {
			return fault
		}
	}
	return nil
}
