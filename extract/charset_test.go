package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// encode writes text in a named encoding.
func encode(t *testing.T, text, name string) string {
	t.Helper()
	e, _ := charset.Lookup(name)
	if e == nil {
		t.Fatalf("no encoding %s", name)
	}
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDecode(t *testing.T) {
	const (
		french  = "Le péage coûte 12 € à l'aller et l'œuvre de rénovation a débuté près du quai."
		russian = "Портовый совет опубликовал отчёт о работе кранов за прошлый год и о планах на будущий."
		greek   = "Το συμβούλιο του λιμανιού δημοσίευσε την έκθεση για τους γερανούς."
		chinese = "港口委员会公布了去年起重机使用情况的年度报告，并说明了明年的计划。"
		late    = "<!-- %s -->"
	)
	meta := func(name string) string { return `<meta charset="` + name + `">` }
	for _, c := range []struct{ name, contentType, head, text, encoding string }{
		{"header", "text/html; charset=windows-1251", "", russian, "windows-1251"},
		{"meta", "text/html", meta("windows-1251"), russian, "windows-1251"},
		{"meta in the old form", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-15">`, french, "iso-8859-15"},
		{"script before meta", "text/html", `<script charset="utf-8" src="t.js"></script>` + meta("iso-8859-15"), french, "iso-8859-15"},
		{"meta after two kilobytes", "text/html", "<!-- " + strings.Repeat("x", 2000) + " -->" + meta("windows-1251"), russian, "windows-1251"},
		{"header lies, body is UTF-8", "text/html; charset=iso-8859-1", "", russian, "utf-8"},
		{"meta lies, body is UTF-8", "text/html", meta("windows-1252"), french, "utf-8"},
		{"header says UTF-8, body is not", "text/html; charset=utf-8", meta("windows-1251"), russian, "windows-1251"},
		{"template says Latin-1, body is Greek", "text/html", meta("iso-8859-1"), strings.Repeat(greek, 5), "iso-8859-7"},
		{"nothing declared", "text/html", "", strings.Repeat(russian, 5), "windows-1251"},
		{"chinese", "text/html; charset=gbk", "", chinese, "gbk"},
		{"UTF-16 with mark", "text/html", "", "\ufeff" + russian, "utf-16le"},
		{"UTF-16 without mark", "text/html", "", strings.Repeat("Plain words in wide characters. ", 3) + russian, "utf-16be"},
		{"an unknown name", "text/html; charset=klingon", "", french, "windows-1252"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := encode(t, "<html><head>"+c.head+"</head><body><p>"+c.text+"</p>", c.encoding)
			if strings.HasPrefix(c.text, "\ufeff") {
				body = encode(t, "\ufeff<html><head></head><body><p>"+strings.TrimPrefix(c.text, "\ufeff")+"</p>", c.encoding)
			}
			p := read(t, "https://a.example/x", c.contentType, body)
			if want := strings.TrimPrefix(c.text, "\ufeff"); quotable(p) != want {
				t.Errorf("got %q, want %q", quotable(p), want)
			}
		})
	}
}

// A cut in the middle of a letter, and one stray byte in a long text, do not turn UTF-8 into something else.
func TestDecodeTolerates(t *testing.T) {
	long := strings.Repeat("péage à l'aller ", 200)
	for _, body := range []string{"péage à", long + "\xc3", long + "\xff " + long} {
		if _, name := decode([]byte(body), "text/html; charset=iso-8859-1"); name != "utf-8" {
			t.Errorf("%.20q … was taken for %s", body, name)
		}
	}
}
