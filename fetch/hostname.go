package fetch

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// hostProfile maps a name as look-ups do (UTS 46, non-transitional). Hyphens are looked at apart: names with two hyphens
// in the third place are in use.
var hostProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(true), idna.BidiRule(),
	idna.CheckJoiners(true), idna.CheckHyphens(false), idna.VerifyDNSLength(true))

// asciiHost returns a host name in lower-case ASCII form without a final dot, and refuses what is no name or one that is
// made to be read as another.
func asciiHost(host string) (string, *exchangeFault) {
	code, lower := faultSyntax, strings.ToLower(host)
	if strings.ContainsFunc(host, notASCII) || strings.HasPrefix(lower, "xn--") || strings.Contains(lower, ".xn--") {
		code = faultIDN
	}
	switch {
	case strings.Contains(host, "%"):
		return "", refusedFault(faultSyntax, "the URL's host holds a percent sign")
	case strings.ContainsFunc(host, vanishes):
		return "", refusedFault(faultIDN, "the URL's host holds characters that are not seen")
	}
	name, err := hostProfile.ToASCII(strings.TrimSuffix(host, "."))
	if err == nil && code == faultIDN {
		name = strings.TrimSuffix(name, ".") // one that was not ASCII
	}
	if err != nil || name == "" || strings.HasSuffix(name, ".") {
		return "", refusedFault(code, "the URL's host is not a valid name")
	}
	for label := range strings.SplitSeq(name, ".") {
		if strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return "", refusedFault(code, "the URL's host is not a valid name")
		}
		shown, err := hostProfile.ToUnicode(label)
		switch {
		case err != nil || !oneScript(shown):
			return "", refusedFault(faultIDN, "the URL's host mixes alphabets, so that it can be read as another")
		case strings.ContainsAny(strings.ReplaceAll(shown, "l·l", "ll"), likeDelimiters):
			return "", refusedFault(faultIDN, "the URL's host holds a character that looks like the end of a host")
		}
	}
	return name, nil
}

// likeDelimiters look like the signs that end a host or part of it (/ : . ? #), or strike a letter through, and are letters
// or symbols that names may hold: "a.example∕b.evil.example".
const likeDelimiters = "\u2044\u2215\u29f6\u29f8\u2571\u2afb\u2afd\U0001d23a\u02d0\u02d1\ua789\u2236\u05c3\u0589\u2027\u00b7\u0387\u2022\u2219\u22c5\u266f\u0335\u0336\u0337\u0338\u20d2\u20d3\u20e5\u20eb\u29f5\u29f9\u2216"

// vanishes says whether a character is not seen, so that a name with it looks like one without. The joiners are not among
// them: the IDNA profile knows where they are needed.
func vanishes(r rune) bool {
	return r != 0x200c && r != 0x200d && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func notASCII(r rune) bool { return r >= 0x80 }

// writings are sets of scripts that are written together (UTS 39, "highly restrictive").
var writings = [][]string{{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"}}

// oneScript says whether a label is written in one script, or in scripts that are written together.
func oneScript(label string) bool {
	if !strings.ContainsFunc(label, notASCII) {
		return true
	}
	var scripts []string
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && strings.ContainsFunc(label, func(r rune) bool { return unicode.Is(table, r) }) {
			scripts = append(scripts, name)
		}
	}
	if len(scripts) < 2 {
		return true
	}
	return slices.ContainsFunc(writings, func(together []string) bool {
		return !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(together, s) })
	})
}

// specialNames are the ends of names that are not looked up in the public DNS, or lead into a private net: RFC 6761
// (localhost, test, invalid), 6762 (local and the private uses of its appendix G), 7686 (onion), 8375 (home.arpa), 9476
// (alt), ICANN's reservation of internal, the aliases of hosts files, and the domains of common cluster software.
// ".example" has no addresses and is what tests use.
var specialNames = map[string]bool{
	"localhost": true, "localdomain": true, "localhost4": true, "localhost6": true, "localdomain4": true, "localdomain6": true,
	"ip6-localhost": true, "ip6-loopback": true, "test": true, "invalid": true, "local": true, "intranet": true, "internal": true,
	"private": true, "corp": true, "home": true, "lan": true, "mail": true, "onion": true, "arpa": true, "alt": true, "svc": true, "consul": true,
}

func specialName(name string) bool { return specialNames[name[strings.LastIndex(name, ".")+1:]] }
