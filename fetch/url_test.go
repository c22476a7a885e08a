package fetch

import (
	"net/url"
	"strings"
	"testing"
)

func TestCanonicalURL(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"HTTPS://News.Example:443", "https://news.example/"},
		{"http://news.example:80/a?utm_source=x&b=1&fbclid=3#top", "http://news.example/a?b=1"},
		{"https://news.example:8443/a?", "https://news.example:8443/a"},
		{"https://news.example/a/./b/../c/", "https://news.example/a/c/"},
		{"https://archive.example/2024/https://a.example//x", "https://archive.example/2024/https://a.example//x"},
		{"https://a.example/%7Euser/%41", "https://a.example/~user/A"},
		{"https://a.example/a%2Fb", "https://a.example/a%2Fb"},
		{"https://a.example/%7ea%2fb?q=%e4%7e%2f", "https://a.example/~a%2Fb?q=%E4~%2F"},
		{"https://a.example/a/%2e%2E/b/%2e/c?x=%2e%2e", "https://a.example/b/c?x=.."},
		{"https://a.example/a/.%2e/b%2f", "https://a.example/b%2F"},
		{"https://a.example:0443/x", "https://a.example/x"},
		{"https://[2001:0db8:0::0:1]:443/", "https://[2001:db8::1]/"},
		{"https://a.example/x?_hsenc=a&igsh=b&ysclid=c&id=7&gad_source=1", "https://a.example/x?id=7"},
		{"https://bücher.example/", "https://xn--bcher-kva.example/"},
		{"https://a.example./x", "https://a.example/x"},
		{"https://[2001:DB8::1]/x", "https://[2001:db8::1]/x"},
		{" https://a.example/x ", "https://a.example/x"},
		{"https://a.example/x?b=2&a=1", "https://a.example/x?b=2&a=1"},
		{"file:///tmp/a/../b c.txt", "file:///tmp/b%20c.txt"},
		{"file://localhost/tmp/Releve\u0301.txt", "file:///tmp/Relev%C3%A9.txt"},
		{"file:///tmp/100%.txt", "file:///tmp/100%25.txt"},
	} {
		got, err := CanonicalURL(c.in)
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.in, got, err, c.want)
			continue
		}
		if again, err := CanonicalURL(got); err != nil || again != got {
			t.Errorf("%q is not its own canonical form: %q, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "a.example/x", "ftp://a.example/", "javascript:alert(1)", "data:text/html,x", "https://user:pw@a.example/",
		"https:///x", "https://a.example\\@b.example/", "https://a.ex\nample/", "https://a%00.example/", "file:relative", "file://host/share/x", "mailto:m@a.example",
		"//a.example/x", "https://exa mple.com/", "https:opaque", "https://[fe80::1%25eth0]/", "https://[::1", "https://a..example/", "https://" + strings.Repeat("a", 9000)} {
		if got, err := CanonicalURL(bad); err == nil {
			t.Errorf("%q became %q, want it refused", bad, got)
		}
	}
}

func FuzzCanonicalURL(f *testing.F) {
	for _, s := range []string{"https://a.example/a/../b?utm_x=1#f", "file:///a%2e%2e/100%.txt", "http://[::1]:80/", "https://a.example/%zz", "https://a.example/%2e%2F%2e%2e/%252e?%2e=%2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := CanonicalURL(raw)
		if err != nil {
			return
		}
		if again, err := CanonicalURL(got); err != nil || again != got {
			t.Errorf("%q became %q, which becomes %q, %v", raw, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Fragment != "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "file" {
			t.Errorf("%q became %q", raw, got)
		}
	})
}
