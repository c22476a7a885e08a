package fetch

import (
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"ibid/internal/lazyregexp"
	"ibid/search"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// maxURL is the longest URL that is read, in bytes.
const maxURL = 8 << 10

// CanonicalURL gives a URL the one spelling by which a source is known: lower-case scheme and host in ASCII form, no
// default port, no fragment, no tracking parameters, "/" for an empty path, dots resolved, no needless escapes; the
// path of a file in NFC. The same page is still found by it. Only http, https and file have one; user information,
// control characters and back-slashes are refused, since programs read them differently.
func CanonicalURL(raw string) (string, error) {
	raw = strings.TrimSpace(raw)
	switch {
	case raw == "":
		return "", fmt.Errorf("it is empty")
	case len(raw) > maxURL:
		return "", fmt.Errorf("it is longer than %d bytes", maxURL)
	case strings.ContainsFunc(raw, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }):
		return "", fmt.Errorf("it holds a control character or a back-slash")
	}
	if len(raw) > 5 && strings.EqualFold(raw[:5], "file:") {
		name, err := filePath(raw)
		if err != nil {
			return "", err
		}
		return fileURL(path.Clean(name)), nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("it does not parse as a URL")
	}
	u.Fragment, u.RawFragment = "", ""
	switch u.Scheme = strings.ToLower(u.Scheme); {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("only http and https are read, not %q", u.Scheme)
	case u.User != nil:
		return "", fmt.Errorf("user names and passwords in URLs are refused")
	case u.Opaque != "" || u.Host == "":
		return "", fmt.Errorf("it has no host")
	}
	host, port := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		if err != nil || addr.Zone() != "" {
			return "", fmt.Errorf("its host is not a valid address")
		}
		host = "[" + addr.String() + "]"
	} else if host, err = idna.Lookup.ToASCII(host); err != nil || host == "" || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return "", fmt.Errorf("its host is not a valid name")
	}
	u.Host = host
	if n := strings.TrimLeft(port, "0"); n != "" {
		port = n
	}
	if port != "" && !(u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443") {
		u.Host += ":" + port
	}
	if dots.MatchString(u.RawPath) {
		u.RawPath = dots.ReplaceAllString(u.RawPath, ".")
	}
	u = u.ResolveReference(u) // resolves dots; doubled slashes stay, they may mean something
	if u.Path == "" {
		u.Path = "/"
	}
	if u.RawPath = search.PlainEscapes(u.RawPath); !strings.Contains(u.RawPath, "%2F") { // else the escapes are needed
		u.RawPath = ""
	}
	u.RawQuery = search.PlainEscapes(search.WithoutTracking(u.RawQuery))
	u.ForceQuery = false
	return u.String(), nil
}

// dots are escaped ones, which programs resolve like others.
var dots = lazyregexp.New(`(?i)%2e`)

// filePath returns the path that a file URL names, decoded where it can be: people also type a path with a bare "%".
func filePath(raw string) (string, error) {
	rest, ok := strings.CutPrefix(raw[5:], "//")
	if !ok {
		return "", fmt.Errorf("a file URL begins with file://")
	}
	rest = strings.TrimPrefix(rest, "localhost")
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	if decoded, err := url.PathUnescape(rest); err == nil {
		rest = decoded
	}
	if !strings.HasPrefix(rest, "/") {
		return "", fmt.Errorf("a file URL names an absolute path on this machine")
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }) {
		return "", fmt.Errorf("it holds a control character or a back-slash")
	}
	return rest, nil
}

// FilePath is the path that a file URL names, or "".
func FilePath(raw string) string {
	if len(raw) < 5 || !strings.EqualFold(raw[:5], "file:") {
		return ""
	}
	name, err := filePath(raw)
	if err != nil {
		return ""
	}
	return norm.NFC.String(name)
}

// FileURL is the address of a file in a folder, by the folder's absolute path and its own path in it.
func FileURL(dir, name string) string { return fileURL(path.Join(filepath.ToSlash(dir), name)) }

// fileURL is the URL of an absolute path, in NFC, as people type it.
func fileURL(name string) string {
	return (&url.URL{Scheme: "file", Path: norm.NFC.String(name)}).String()
}
