package fetch

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// urlVerdicts are kinds of URLs that differ in who is meant: the code, or "" and the URL as it is asked for.
var urlVerdicts = []struct{ raw, code, want string }{
	{"HTTP://Example.COM", "", "http://example.com/"},
	{"https://example.com:443/a?b#c", "", "https://example.com/a?b"},
	{"http://example.com:8080/", "", "http://example.com:8080/"},
	{"https://example.com:080/", "", "https://example.com:80/"},
	{"http://example.com.", "", "http://example.com/"},
	{"http://example.com?q=@127.0.0.1", "", "http://example.com/?q=@127.0.0.1"},
	{"http://example.com/a b?c d\"é", "", "http://example.com/a%20b?c%20d%22%C3%A9"},
	{"http://a.example/a%2Fb/é{}|[]?{x}|y\\", "", "http://a.example/a%2Fb/%C3%A9%7B%7D%7C[]?{x}|y%5C"},
	{"http://a.example/ü", "", "http://a.example/%C3%BC"},
	{"http://faß.de/", "", "http://xn--fa-hia.de/"},
	{"http://bücher.de/", "", "http://xn--bcher-kva.de/"},
	{"http://ＥＸＡＭＰＬＥ.com/", "", "http://example.com/"},
	{"http://日本語カタカナabc.jp/", "", "http://xn--abc-jj4ba3j6ct738cdocu19k.jp/"},
	{"http://r3---sn-apo3qv.googlevideo.com/", "", "http://r3---sn-apo3qv.googlevideo.com/"},
	{"http://نامه\u200cای.com/", "", "http://xn--mgba3gch31f060k.com/"},
	{"http://xarel\u00b7lo.cat/", "", "http://xn--xarello-zma.cat/"},
	{"http://\u3072\u3089\u30fb\u30ab\u30bf.jp/", "", "http://xn--y9j3b8e8cso.jp/"},
	{"http://1.1.1.1/", "", "http://1.1.1.1/"},
	{"http://1.1.1.1./", "", "http://1.1.1.1/"},
	{"http://[2606:4700:4700:0::1111]/", "", "http://[2606:4700:4700::1111]/"},
	{"http://a.1password.com/", "", "http://a.1password.com/"},
	{"http://192.0.2.1.example.com/", "", "http://192.0.2.1.example.com/"},

	{"", faultScheme, ""}, {"example.com", faultScheme, ""}, {"//example.com/", faultScheme, ""}, {"http:/example.com", faultScheme, ""},
	{"FILE:///etc/passwd", faultScheme, ""}, {"javascript://example.com/%0aalert(1)", faultScheme, ""}, {"blob:https://example.com/x", faultScheme, ""},
	{"http://", faultSyntax, ""}, {"http:///etc/passwd", faultSyntax, ""}, {"http://./", faultSyntax, ""}, {"http://a..example.com/", faultSyntax, ""},
	{"http://example.com../", faultSyntax, ""}, {"http://exa mple.com/", faultSyntax, ""}, {"http://example.com:80:80/", faultSyntax, ""},
	{"http://example.com:http/", faultSyntax, ""}, {"http://example.com:-80/", faultSyntax, ""}, {"http://::1/", faultSyntax, ""},
	{"http://[::1/", faultSyntax, ""}, {"http://[::1]a/", faultSyntax, ""}, {"http://[127.0.0.1]/", faultSyntax, ""}, {"http://[v1.a]/", faultSyntax, ""},
	{"http://example.com\\@127.0.0.1/", faultSyntax, ""}, {"http:\\\\127.0.0.1/", faultSyntax, ""}, {"http://example.com\t/", faultSyntax, ""},
	{"http://example-.com/", faultSyntax, ""}, {"http://example.com/%zz", faultSyntax, ""}, {"http://127.0.0.1%00/", faultSyntax, ""},
	{"http://" + strings.Repeat("a.", 130) + "com/", faultSyntax, ""}, {"http://example.com/" + strings.Repeat("a", maxURL), faultSyntax, ""},
	{"http://@example.com/", faultUserinfo, ""}, {"http://user:pass@example.com/", faultUserinfo, ""}, {"http://[::1]@example.com/", faultUserinfo, ""},
	{"http://example.com:0/", faultPort, ""}, {"http://example.com:22/", faultPort, ""}, {"http://example.com:65616/", faultPort, ""},
	{"http://example.com:" + strings.Repeat("9", 30) + "/", faultPort, ""},
	{"http://0/", faultNumericHost, ""}, {"http://0x/", faultNumericHost, ""}, {"http://1.2.3.4.5/", faultNumericHost, ""}, {"http://example.123/", faultNumericHost, ""},
	{"http://example.0xAb/", faultNumericHost, ""}, {"http://①②⑦.⓪.⓪.①/", faultNumericHost, ""}, {"http://1。1。1。1/", faultNumericHost, ""},
	{"http://0127.0.0.1/", faultNumericHost, ""}, {"http://8.8.010.8/", faultNumericHost, ""}, {"http://127.0.0.1../", faultSyntax, ""},
	{"http://LOCALHOST/", faultSpecialHost, ""}, {"http://localhost./", faultSpecialHost, ""}, {"http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", faultSpecialHost, ""},
	{"http://api.default.svc.cluster.local/", faultSpecialHost, ""}, {"http://api.default.svc/", faultSpecialHost, ""}, {"http://1.0.0.127.in-addr.arpa/", faultSpecialHost, ""},
	{"http://intranet.corp/", faultSpecialHost, ""}, {"http://wiki/", faultSingleLabel, ""}, {"http://xn--bcher-kva/", faultSingleLabel, ""},
	{"http://168.63.129.16/", faultExtraIP, ""}, {"http://[2001:470:1:2:0:5efe:7f00:1]/", faultExtraIP, ""}, {"http://[2a01:4f8::200:5efe:a00:1]/", faultExtraIP, ""},
	{"http://[::]/", faultSpecialIP, ""}, {"http://[::ffff:8.8.8.8]/", faultSpecialIP, ""}, {"http://[fec0::1]/", faultSpecialIP, ""}, {"http://[fe80::1%eth0]/", faultSpecialIP, ""},
	{"http://xn--a/", faultIDN, ""}, {"http://xn--example-.com/", faultIDN, ""}, {"http://exam\u2060ple.com/", faultIDN, ""}, {"http://exa\u200dmple.com/", faultIDN, ""},
	{"http://exam\ufe0fple.com/", faultIDN, ""}, {"http://g\u03bfogle.com/", faultIDN, ""}, {"http://xn--ggle-sxeb.com/", faultIDN, ""}, {"http://example\u2024.com/", faultIDN, ""},
	{"http://example.com\u2044x.evil.example/", faultIDN, ""}, {"http://example.com\u2215x.evil.example/", faultIDN, ""}, {"http://xn--comx-id9a.evil.example/", faultIDN, ""},
	{"http://example.com\u02d080.evil.example/", faultIDN, ""}, {"http://example\u2027com.evil.example/", faultIDN, ""}, {"http://example\u00b7com.evil.example/", faultIDN, ""},
	{"http://a\u0338b.example/", faultIDN, ""},
	{"http://a\u2100c.com/", faultIDN, ""}, {"http://exаmple.example.com/", faultIDN, ""}, {"http://\xff.com/", faultIDN, ""},
}

func TestURLPolicy(t *testing.T) {
	for _, c := range urlVerdicts {
		u, fault := strict().check(c.raw)
		switch {
		case c.code == "" && (fault != nil || u.String() != c.want):
			t.Errorf("%q: %v, %v; want %s", c.raw, u, fault, c.want)
		case c.code != "" && (fault == nil || fault.code != c.code):
			t.Errorf("%q: %v, %+v; want %s", c.raw, u, fault, c.code)
		}
	}
}

func strict() *urlPolicy { return &urlPolicy{guard: newAddressGuard(nil)} }

// What an operator allows passes, and nothing beside it.
func TestURLPolicyAllowed(t *testing.T) {
	c := NewClient(ClientConfig{AllowAddresses: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, AllowPorts: []int{3000}, Resolve: map[string]string{"Wiki": "10.1.0.1"}})
	for raw, code := range map[string]string{
		"http://10.1.2.3:3000/": "", "http://wiki:3000/": "", "http://WIKI./": "", "http://10.2.0.1/": faultSpecialIP, "http://[::ffff:10.1.0.1]/": faultSpecialIP,
		"http://wiki.corp/": faultSpecialHost, "http://10.1.2.3:3001/": faultPort, "http://10.66051/": faultNumericHost,
	} {
		_, fault := c.policy.check(raw)
		if got := codeOf(fault); got != code {
			t.Errorf("%s: %q, want %q", raw, got, code)
		}
	}
}

func codeOf(fault *exchangeFault) string {
	if fault == nil {
		return ""
	}
	return fault.code
}

// What passes means the same to net/url, holds nothing that would not pass again, and names no special host.
func FuzzURLPolicy(f *testing.F) {
	for _, c := range urlVerdicts {
		f.Add(c.raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, fault := strict().check(raw)
		if fault != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host || again.EscapedPath() != u.EscapedPath() || again.RawQuery != u.RawQuery || again.String() != u.String() {
			t.Fatalf("%q: %#v, read again %#v, %v", raw, u, again, err)
		}
		if same, fault := strict().check(u.String()); fault != nil || same.String() != u.String() {
			t.Fatalf("%q: %s does not pass again: %v, %v", raw, u, same, fault)
		}
		host := u.Hostname()
		if u.User != nil || u.Fragment != "" || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(u.String(), " \\\r\n\t\x00") {
			t.Fatalf("%q: %#v", raw, u)
		}
		if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 || r <= ' ' || r >= 'A' && r <= 'Z' }) {
			t.Fatalf("%q: host %q is in no ASCII form", raw, host)
		}
		if addr, err := netip.ParseAddr(host); err == nil {
			if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Is4In6() || addr.Zone() != "" {
				t.Fatalf("%q: %s", raw, addr)
			}
		} else if last := host[strings.LastIndex(host, ".")+1:]; last == host || last[0] >= '0' && last[0] <= '9' && strings.Trim(last, "0123456789") == "" || last == "localhost" {
			t.Fatalf("%q: host %q", raw, host)
		}
	})
}
