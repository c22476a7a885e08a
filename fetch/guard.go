package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// An addressGuard decides which addresses may be connected to: those of the public net (the IANA special-purpose
// registries), and those that the operator allows.
type addressGuard struct {
	public  *ssrf.Guardian
	allowed []netip.Prefix
	own     func() ([]net.Addr, error) // of this machine
}

func newAddressGuard(allowed []netip.Prefix) *addressGuard {
	return &addressGuard{public: ssrf.New(), allowed: allowed, own: net.InterfaceAddrs}
}

// azureHost answers every Azure machine about itself and is in no registry.
var azureHost = netip.AddrFrom4([4]byte{168, 63, 129, 16})

func (g *addressGuard) check(addr netip.Addr) *exchangeFault {
	switch {
	case slices.ContainsFunc(g.allowed, func(p netip.Prefix) bool { return p.Contains(addr) }):
		return nil
	case g.public.SafeAddr(addr) != nil:
		return refusedFault(faultSpecialIP, "%s is not an address of the public net", addr)
	case addr == azureHost, isatap(addr), g.isOwn(addr):
		return refusedFault(faultExtraIP, "%s leads to this machine or its private net", addr)
	}
	return nil
}

// isatap says whether an address carries an IPv4 address to which it is tunnelled (RFC 5214, section 6.1).
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return addr.Is6() && b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// isOwn says whether this machine has the address: what listens on it may trust neighbours. Interfaces come and go.
func (g *addressGuard) isOwn(addr netip.Addr) bool {
	list, err := g.own()
	return err != nil || slices.ContainsFunc(list, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(addr.AsSlice())
	})
}

// control is the net.Dialer's hook: it sees the very address that is connected to (law 6).
func (g *addressGuard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return refusedFault(faultSpecialIP, "%s is not an address of the public net", address)
	}
	if fault := g.check(to.Addr()); fault != nil {
		return fault
	}
	return nil
}

const (
	connectTimeout = 10 * time.Second
	maxAddresses   = 6 // of a name, that are tried
)

// dial connects to a host. All addresses of a name are checked, one bad one refuses the name; and what is connected to
// are these addresses, not the name again.
func (c *Client) dial(ctx context.Context, host string, port uint16) (net.Conn, error) {
	targets, err := c.lookup(ctx, host, port)
	if err != nil {
		return nil, err
	}
	for _, to := range targets {
		if fault := c.policy.guard.check(to.Addr()); fault != nil {
			fault.reason = host + ": " + fault.reason
			return nil, fault
		}
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if len(targets) > maxAddresses {
		targets = targets[:maxAddresses]
	}
	var failed error
	for i, to := range targets {
		dialer := net.Dialer{ControlContext: c.policy.guard.control}
		if deadline, ok := ctx.Deadline(); ok { // no address takes the time of the others
			dialer.Timeout = time.Until(deadline) / time.Duration(len(targets)-i)
		}
		conn, err := dialer.DialContext(ctx, "tcp", to.String())
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// lookup returns the addresses of a host: at least one, or an error.
func (c *Client) lookup(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(addr, port)}, nil
	}
	if to, ok := c.resolve[host]; ok {
		if addr, err := netip.ParseAddr(to); err == nil {
			return []netip.AddrPort{netip.AddrPortFrom(addr, port)}, nil
		}
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return nil, failedFault(faultDNS, "%q, which is configured for %s, is not an address", to, host)
		}
		return []netip.AddrPort{at}, nil
	}
	addrs, err := c.resolver.LookupNetIP(ctx, "ip", host+".") // the dot keeps search domains away
	var unknown *net.DNSError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("look up %s: %w", host, ctx.Err())
	case errors.As(err, &unknown) && unknown.IsNotFound, err == nil && len(addrs) == 0:
		return nil, &exchangeFault{code: faultDNS, outcome: Failed, reason: "there is no host " + host, hint: "Check the spelling, or take another source."}
	case err != nil:
		return nil, failedFault(faultDNS, "the address of %s could not be found out", host)
	}
	targets := make([]netip.AddrPort, len(addrs))
	for i, addr := range addrs {
		targets[i] = netip.AddrPortFrom(addr.Unmap(), port)
	}
	return targets, nil
}
