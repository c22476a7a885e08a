package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// A testNet is a public net and what must not be reached from it: 127.0.0.2 plays every public address, canaries listen
// on 127.0.0.1 and ::1 on the same ports, and a DNS server answers as it is told.
type testNet struct {
	port     int // of plain HTTP; https is at tlsPort
	tlsPort  int
	roots    *x509.CertPool
	canary   atomic.Int64 // connections to what must not be reached
	requests atomic.Int64
	hostile  []hostileServer // that some tests ask instead

	mu      sync.Mutex
	handler http.HandlerFunc
	answers map[string][]dnsAnswer // of a name, in the order they are asked for; the last is repeated
	asked   map[string]int
	dns     net.PacketConn
}

// A dnsAnswer is what a name resolves to; none of all is NXDOMAIN.
type dnsAnswer struct {
	cname string
	addrs []netip.Addr
	fails bool // SERVFAIL
}

var webAddr = netip.MustParseAddr("127.0.0.2")

func newTestNet(t *testing.T) *testNet {
	t.Helper()
	n := &testNet{answers: map[string][]dnsAnswer{}, asked: map[string]int{}}
	serve := func(w http.ResponseWriter, r *http.Request) {
		n.requests.Add(1)
		n.mu.Lock()
		h := n.handler
		n.mu.Unlock()
		if h == nil {
			h = func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("text")) }
		}
		h(w, r)
	}
	cert, roots := testCertificate(t, time.Now().Add(time.Hour), "good.example", "*.good.example", "other.example")
	n.roots = roots
	plain, secure := httptest.NewUnstartedServer(http.HandlerFunc(serve)), httptest.NewUnstartedServer(http.HandlerFunc(serve))
	for _, s := range []*httptest.Server{plain, secure} {
		s.Listener.Close()
		s.Listener = listenAt(t, "127.0.0.2:0")
	}
	plain.Start()
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	n.port, n.tlsPort = portOf(plain.Listener), portOf(secure.Listener)
	for _, port := range []int{n.port, n.tlsPort} {
		for _, host := range []string{"127.0.0.1", "::1"} {
			n.watch(t, net.JoinHostPort(host, strconv.Itoa(port)))
		}
	}
	var err error
	if n.dns, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(n.serveDNS)
	t.Cleanup(func() { n.dns.Close(); done.Wait() })
	return n
}

func listenAt(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("this machine cannot play the net: %v", err)
	}
	return l
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// watch counts connections to an address.
func (n *testNet) watch(t *testing.T, address string) {
	l := listenAt(t, address)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			n.canary.Add(1)
			c.Close()
		}
	})
	t.Cleanup(func() { l.Close(); done.Wait() })
}

// client is one that lives in this net: its DNS is the net's, and the web is at 127.0.0.2.
func (n *testNet) client(timeout time.Duration) *Client {
	return NewClient(ClientConfig{UserAgent: "ibid-test/1", AllowAddresses: []netip.Prefix{netip.PrefixFrom(webAddr, 32)}, AllowPorts: []int{n.port, n.tlsPort},
		RootCAs: n.roots, Timeout: timeout, Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "udp", n.dns.LocalAddr().String())
		}}})
}

// at puts the net's port into a URL without one.
func (n *testNet) at(raw string) string {
	for prefix, port := range map[string]int{"http://": n.port, "https://": n.tlsPort} {
		if rest, ok := strings.CutPrefix(raw, prefix); ok {
			host, path, _ := strings.Cut(rest, "/")
			if strings.Contains(host[strings.LastIndex(host, "@")+1:], ":") && !strings.HasSuffix(host, "]") {
				return raw
			}
			return prefix + host + ":" + strconv.Itoa(port) + "/" + path
		}
	}
	return raw
}

func (n *testNet) handle(h http.HandlerFunc) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handler = h
}

// resolves sets the answers for a name.
func (n *testNet) resolves(name string, answers ...dnsAnswer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.answers[name], n.asked = answers, map[string]int{}
}

func (n *testNet) serveDNS() {
	buf := make([]byte, 1500)
	for {
		size, from, err := n.dns.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:size]) != nil || len(m.Questions) != 1 {
			continue
		}
		n.answer(&m)
		if reply, err := m.Pack(); err == nil {
			n.dns.WriteTo(reply, from)
		}
	}
}

// answer fills in the answer to the question; which answer it is, is counted for A and AAAA apart, since a resolver asks
// for both at once.
func (n *testNet) answer(m *dnsmessage.Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	list := n.answers[name]
	if list == nil && strings.HasSuffix(name, ".example") {
		list = []dnsAnswer{{addrs: []netip.Addr{webAddr}}}
	}
	key := q.Type.String() + name
	i := min(n.asked[key], len(list)-1)
	n.asked[key]++
	if i >= 0 && list[i].fails {
		m.RCode = dnsmessage.RCodeServerFailure
		return
	}
	if i < 0 || list[i].cname == "" && len(list[i].addrs) == 0 {
		m.RCode = dnsmessage.RCodeNameError
		return
	}
	at := q.Name
	if list[i].cname != "" {
		at = dnsmessage.MustNewName(list[i].cname + ".")
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}, Body: &dnsmessage.CNAMEResource{CNAME: at}})
	}
	for _, a := range list[i].addrs {
		switch h := (dnsmessage.ResourceHeader{Name: at, Class: q.Class}); {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
}

// testCertificate makes a certificate that its own pool trusts.
func testCertificate(t *testing.T, until time.Time, names ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: until,
		DNSNames: names, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}
