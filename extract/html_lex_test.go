package extract

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkTokens compares the tokens of a page with those of html.Tokenizer.
func checkTokens(t *testing.T, name, text string) {
	t.Helper()
	x, z := lexer{text: text}, html.NewTokenizer(strings.NewReader(text))
	var drawn foreign
	for {
		at := x.at
		kind, end := x.next()
		if want := z.Next(); kind != want && !(kind == html.StartTagToken && want == html.SelfClosingTagToken) && !(kind == html.CommentToken && want == html.DoctypeToken) {
			t.Fatalf("%s: at %d is a %v, want %v: %.80q", name, at, kind, want, text[at:])
		}
		if kind == html.ErrorToken {
			return
		}
		if want := at + len(z.Raw()); end != want {
			t.Fatalf("%s: the token at %d ends at %d, want %d: %.80q", name, at, end, want, text[at:])
		}
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := tagName(text[at+1 : end])
			if drawn.start(tag, kind == html.SelfClosingTagToken); drawn.inside() || tag == "noscript" {
				x.raw = ""
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			drawn.end(tagName(text[at+2 : end]))
		}
		x.at = end
	}
}

func TestHTMLTokens(t *testing.T) {
	for _, path := range sharedPages(t, "html-wcxb", "html-segments") {
		if name := filepath.Base(path); inSample(name) {
			text, _ := decode(gunzip(t, path), "text/html")
			checkTokens(t, name, text)
		}
	}
	for name, body := range hostilePages(4 << 10) {
		checkTokens(t, name, body)
	}
	for _, s := range []string{"a<", "a</", "a<b", "<b c", "<b c=", "<b c='", "<!", "<!>", "<!->", "<!-->x", "<!--->x", "<!---->x", "<!--a--!>x", "<!--a--", "<!doctype", "<!DOCTYPE html >x", "<?x?>y", "</>x", "</ x>y",
		"<p =a=b/c = 'd'>x", "<p a=/>x", "<p/a//>x", "<svg/><style><a>", "<svg a=/>", "<script><!--<script></script>--></script>x", "<script></scriptx></SCRIPT/x>y", "<title></title></title>", "<textarea></text", "<xmp><b></xmp >",
		"<plaintext></plaintext>", "<noscript><style></noscript>", "<style></style", "<\x00a>", "<a\x00b>", "<!--a-!-->b", "<!--a--!-->b", "<!--a--!b-->c"} {
		checkTokens(t, s, s)
	}
}

// The tokens of any text are those of html.Tokenizer.
func FuzzHTMLTokens(f *testing.F) {
	for _, s := range []string{"a<b c='d' e=f/>g<!--h--!>i", "<script><!--<script></script>--></script>x", "<!doctype html><title>a</title ></>b", "<svg/><math a=/><style>x</p =", "<textarea></text</textarea>", "<p a = \"b\"/c =d>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkTokens(t, "page", s) })
}
