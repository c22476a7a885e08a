package workspace

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of names, in bytes: those of the file systems that are common.
const (
	maxPath    = 4096
	maxElement = 255
	maxDepth   = 32 // folders inside of each other
)

// A Refused says why a path or a change is not taken. Its text is for a model and for a person.
type Refused struct {
	Path   string
	Reason string
}

func (e *Refused) Error() string { return fmt.Sprintf("%s: %s", shown(e.Path), e.Reason) }

// shown is a path in an error, short and on one line.
func shown(path string) string {
	if len(path) > 120 {
		path = strings.ToValidUTF8(path[:120], "") + "…"
	}
	return fmt.Sprintf("%q", path)
}

// Clean returns the one spelling of a path in the workspace: relative, with slashes, its names in composed form (NFC), as
// they are typed. What could lead out of it on any system, or means something else there, is refused.
func Clean(path string) (string, error) {
	refuse := func(reason string) (string, error) { return "", &Refused{path, reason} }
	switch {
	case strings.TrimSpace(path) == "":
		return refuse("there is no path")
	case len(path) > maxPath:
		return refuse("it is too long for a path")
	case !utf8.ValidString(path):
		return refuse("it is no text in UTF-8")
	case strings.ContainsFunc(path, unprintable):
		return refuse("it holds a control character")
	case strings.Contains(path, `\`):
		return refuse("it holds a backslash: folders are parted by /")
	case strings.HasPrefix(path, "/"):
		return refuse("it is absolute: give a path in the workspace, as notes/plan.md")
	case len(path) > 1 && path[1] == ':' && unicode.IsLetter(rune(path[0])):
		return refuse("it names a drive: give a path in the workspace, as notes/plan.md")
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(path, "/"), "/") {
		if name == "." {
			continue
		}
		name = norm.NFC.String(name)
		if reason := unfit(name); reason != "" {
			return refuse(reason)
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 0:
		return refuse("it is the workspace itself")
	case len(names) > maxDepth:
		return refuse(fmt.Sprintf("it lies more than %d folders deep", maxDepth))
	}
	return strings.Join(names, "/"), nil
}

// cleanFolder is Clean for a folder; "" and "." are the workspace itself, and become "".
func cleanFolder(path string) (string, error) {
	if path = strings.TrimSpace(path); path == "" || path == "." || path == "./" {
		return "", nil
	}
	return Clean(path)
}

// unfit says why a name of a path is not taken, or "".
func unfit(name string) string {
	decoded, err := url.PathUnescape(name)
	if err != nil {
		decoded = name
	}
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch {
	case strings.TrimSpace(name) == "":
		return "it has an empty name in it"
	case name == ".." || decoded == ".." || decoded == ".":
		return `".." is not followed`
	case strings.ContainsAny(decoded, "/\\\x00") && decoded != name:
		return "it holds an escaped slash or backslash"
	case len(name) > maxElement:
		return fmt.Sprintf("a name in it is longer than %d bytes", maxElement)
	case hidden(name):
		return "hidden files and folders are left alone"
	case devices[strings.TrimSpace(stem)]:
		return "it is the name of a device on some systems"
	}
	return ""
}

// unfresh says why a name that is there may be used but no new file should get it, or "".
func unfresh(path string) string {
	for name := range strings.SplitSeq(path, "/") {
		switch {
		case name != strings.TrimSpace(name) || strings.HasSuffix(name, "."):
			return "a new name that begins or ends with a space, or ends with a dot, would be another on some systems"
		case strings.ContainsAny(name, `<>:"|?*`):
			return `a new name with one of < > : " | ? * is not possible on some systems`
		case strings.ContainsFunc(name, misleading):
			return "a new name with characters that are not seen, or turn the writing round, would mislead"
		case name == "~":
			return `"~" is no folder here`
		}
	}
	return ""
}

// hidden says whether a name is one that file managers do not show. "..b" is an odd name and no hidden one.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "..")
}

// devices are names that some systems keep for devices, whatever ending they have.
var devices = func() map[string]bool {
	names := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "CONIN$": true, "CONOUT$": true}
	for _, n := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"} {
		names["COM"+n], names["LPT"+n] = true, true
	}
	return names
}()

func unprintable(r rune) bool { return unicode.IsControl(r) }

// misleading are characters that are not seen: format characters, and those that turn the direction of writing.
func misleading(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}
