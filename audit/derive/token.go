package derive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ibid/internal/lazyregexp"
)

type tokenKind int

const (
	end tokenKind = iota
	operator
	open
	closing
	separator
	word
	operand
	constant
)

// A token is a piece of an expression. The text of an operand is how its figure is written.
type token struct {
	kind    tokenKind
	text    string
	finding string
}

// operators by how they may be written in a draft.
var operators = map[rune]string{'+': "+", '-': "−", '−': "−", '–': "−", '*': "×", '×': "×", '·': "×", '/': "÷", '÷': "÷"}

var findingID = lazyregexp.New(`^F[1-9][0-9]{0,5}\b`)

// draftTokens reads what a model writes: F1, F1:45.2, F1:"one in five", operators, functions.
func draftTokens(s string) ([]token, error) {
	if len(s) > maxDraft {
		return nil, malformed("it is %d bytes long; %d is the limit", len(s), maxDraft)
	}
	var out []token
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += n
			continue
		case operators[r] != "":
			out = append(out, token{kind: operator, text: operators[r]})
		case r == '(':
			out = append(out, token{kind: open, text: "("})
		case r == ')':
			out = append(out, token{kind: closing, text: ")"})
		case r == ',' || r == ';':
			out = append(out, token{kind: separator, text: string(r)})
		case r >= '0' && r <= '9':
			n = writtenNumber(s[i:])
			out = append(out, token{kind: constant, text: s[i : i+n]})
		case findingID.MatchString(s[i:]):
			t, k, err := findingToken(s[i:])
			if err != nil {
				return nil, err
			}
			out, n = append(out, t), k
		case unicode.IsLetter(r):
			n = len(s[i:]) - len(strings.TrimLeftFunc(s[i:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }))
			out = append(out, token{kind: word, text: strings.ToLower(s[i : i+n])})
		default:
			return nil, malformed("%q has no meaning in a computation", string(r))
		}
		i += n
	}
	return out, nil
}

// writtenNumber is the length of the number that a text begins with: digits, and separators with a digit behind them.
func writtenNumber(s string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || strings.IndexByte(".,'^", s[n]) >= 0 && n > 0 && n+1 < len(s) && isDigit(s[n+1])) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// closers by what opens what is written in words or with spaces.
var closers = map[rune]string{'"': "\"”", '“': "”\"", '\'': "'’", '‘': "’'"}

// findingToken reads F1, F1:45.2 or F1:"one in five", and says how long it is.
func findingToken(s string) (token, int, error) {
	id := findingID.FindString(s)
	t := token{kind: operand, finding: id}
	rest := s[len(id):]
	if !strings.HasPrefix(rest, ":") {
		return t, len(id), nil
	}
	body := strings.TrimLeft(rest[1:], " ")
	skipped := len(s) - len(body)
	r, k := utf8.DecodeRuneInString(body)
	if closers[r] != "" {
		stop := strings.IndexAny(body[k:], closers[r])
		if stop < 0 {
			return t, 0, malformed("a quotation mark behind %s: is not closed", id)
		}
		_, c := utf8.DecodeRuneInString(body[k+stop:])
		if t.text = strings.TrimSpace(body[k : k+stop]); t.text == "" {
			return t, 0, malformed("nothing stands between the quotation marks behind %s:", id)
		}
		return t, skipped + k + stop + c, nil
	}
	sign := 0
	if strings.HasPrefix(body, "-") && len(body) > 1 && isDigit(body[1]) {
		sign = 1
	}
	n := sign + writtenNumber(body[sign:])
	if n == 0 {
		return t, 0, malformed("behind %s: stands the figure as the quote writes it: %s:45.2, or in quotation marks %s:%q", id, id, id, "one in five")
	}
	t.text = body[:n]
	return t, skipped + n, nil
}

// printedTokens reads an expression as a report shows it: figures as they are written, operators with a space on both sides.
func printedTokens(s string) ([]token, error) {
	if len(s) > maxPrinted {
		return nil, malformed("it is %d bytes long; %d is the limit", len(s), maxPrinted)
	}
	var out []token
	figure := func(t string) {
		switch t = strings.TrimSpace(t); t {
		case "":
		case "mean":
			out = append(out, token{kind: word, text: t})
		default:
			out = append(out, token{kind: operand, text: t})
		}
	}
	from := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		var t token
		switch {
		case strings.ContainsRune("+−×÷", r) && i > 0 && s[i-1] == ' ' && strings.HasPrefix(s[i+n:], " "):
			t = token{kind: operator, text: string(r)}
		case r == '(':
			t = token{kind: open, text: "("}
		case r == ')':
			t = token{kind: closing, text: ")"}
		case r == ';':
			t = token{kind: separator, text: ";"}
		default:
			i += n
			continue
		}
		figure(s[from:i])
		out = append(out, t)
		i += n
		from = i
	}
	figure(s[from:])
	return out, nil
}
