package extract

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"ibid/internal/testset"
)

// encode writes text in a named encoding.
func encode(t *testing.T, text, name string) string {
	t.Helper()
	e := lookup(name)
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
		{"meta without quotes", "text/html", "<META HTTP-EQUIV=Content-Type CONTENT='text/html;charset = windows-1251'>", russian, "windows-1251"},
		{"meta of an unknown name, then another", "text/html", meta("klingon") + meta("koi8-r"), russian, "koi8-r"},
		{"meta in a comment", "text/html", "<!-- " + meta("koi8-r") + " -->" + meta("windows-1251"), russian, "windows-1251"},
		{"meta in a script", "text/html", "<script>x='" + meta("koi8-r") + "'</script>" + meta("windows-1251"), russian, "windows-1251"},
		{"meta after a hundred kilobytes of style", "text/html", "<style>" + strings.Repeat("p{top:0}\n", 12000) + "</style>" + meta("iso-8859-15"), french, "iso-8859-15"},
		{"header in quotes", `text/html; foo=bar; Charset = "windows-1251" ; x`, "", russian, "windows-1251"},
		{"server says Latin-1, page says better", "text/html; charset=iso-8859-1", meta("windows-1251"), russian, "windows-1251"},
		{"UTF-32 with mark", "text/html", "", "\ufeff" + russian, "utf-32le"},
		{"Japanese in seven bits, declared Latin-1", "text/html; charset=iso-8859-1", "", "港湾評議会は昨日、報告書を発表しました。", "iso-2022-jp"},
		{"Polish, declared Latin-1", "text/html", meta("iso-8859-1"), "Zażółć gęślą jaźń, mówiła ciągle nasza sąsiadka źle się czująca.", "iso-8859-2"},
		{"English with Chinese punctuation", "text/html; charset=gbk", "", "That’s why they’ve “settled” on plain words — and nothing else.", "gb18030"},
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

// What nothing declares is guessed from a few words, which the samples do not hold.
func TestGuess(t *testing.T) {
	for _, c := range []struct{ text, charsets string }{
		{"Les élèves ont reçu leurs prix à la fête où l'on dînait déjà", "windows-1252 macintosh"},
		{"Ein großer Bär läuft über die Brücke und möchte schöne Möhren", "windows-1252"},
		{"Mañana la niña comprará limón y jamón en Logroño", "windows-1252"},
		{"Świerszcz grał późno w nocy, gdyż księżyc oświetlał łąkę", "windows-1250 iso-8859-2"},
		{"Žluťoučký kůň příliš pěl ďábelské ódy u řeky", "windows-1250 iso-8859-2"},
		{"Az őszi erdőben gyönyörű sárga levelek hullottak a földre, és fújt a szél", "windows-1250 iso-8859-2"},
		{"Ağaçların gölgesinde küçük çocuklar şarkı söylüyordu", "windows-1254"},
		{"Jūrmalā pie jūras ziemā pūš ļoti stiprs vējš", "windows-1257 iso-8859-13"},
		{"Быстрая лодка плыла вниз по широкой реке", "windows-1251 koi8-r iso-8859-5 ibm866"},
		{"Η μικρή βάρκα έπλεε αργά προς το νησί", "windows-1253 iso-8859-7"},
		{"القارب الصغير يسير ببطء نحو الجزيرة البعيدة", "windows-1256 iso-8859-6"},
		{"הסירה הקטנה שטה לאט אל האי הרחוק", "windows-1255 iso-8859-8"},
		{"เรือเล็กลอยไปตามแม่น้ำสายใหญ่", "windows-874"},
		{"小船慢慢地向远处的海岛开去", "gb18030"},
		{"小船慢慢地向遠處的海島開去", "big5"},
		{"小さな船が遠い島に向かってゆっくり進んでいく", "shift_jis euc-jp iso-2022-jp"},
		{"작은 배가 먼 섬을 향해 천천히 나아간다", "euc-kr"},
	} {
		for name := range strings.FieldsSeq(c.charsets) {
			body := encode(t, c.text, name)
			if got, used := Decode([]byte(body), ""); got != c.text {
				t.Errorf("%s was taken for %s: %s", name, used, got)
			}
			if got, used := Decode([]byte(body), "text/plain; charset=utf-8"); got != c.text {
				t.Errorf("%s, declared as utf-8, was taken for %s: %s", name, used, got)
			}
		}
	}
}

// The measure of the shared set, and its floors: always right where the declaration is, or where the body is UTF-8.
func TestDecodeShared(t *testing.T) {
	dir := testset.Path(t, "data", "extract", "enc")
	type gold struct {
		ID, Enc, Variant string
		ContentType      string `json:"content_type"`
		Chars            map[string]int
	}
	right, all := map[string]int{}, map[string]int{}
	n := 0
	for line := range bytes.Lines(gunzip(t, filepath.Join(dir, "gold.jsonl.gz"))) {
		if n++; n%2 == 0 { // half of it shows a regression as well
			continue
		}
		var g gold
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		text, used := Decode(gunzip(t, filepath.Join(dir, g.ID+".html.gz")), g.ContentType)
		high, found := 0, map[string]int{}
		for _, r := range text {
			if r >= 0x80 {
				high++
				found[string(r)]++
			}
		}
		same := 0
		for r, n := range found {
			same += min(n, g.Chars[r])
		}
		for _, v := range []string{g.Variant, "all"} {
			all[v]++
			if high >= 20 && same*100 >= 98*high {
				right[v]++
			}
		}
		if high < 20 || same*100 < 98*high {
			t.Logf("%s: %s (%s) was taken for %s", g.ID, g.Enc, g.Variant, used)
		}
	}
	for v, n := range all {
		switch share := float64(right[v]) / float64(n); {
		case (v == "header_ok" || v == "meta_ok" || v == "meta_late" || v == "utf8_body_legacy_meta") && share < 1, share < 0.95:
			t.Errorf("%s: %.3f of %d are decoded right", v, share, n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=koi8-r>\xd0\xcf\xd2\xd4"), "text/html")
	f.Add([]byte("\xff\xfeP\x00o\x00"), "")
	f.Add([]byte("\x1b$B9A\x1b(B"), "text/plain; charset='gbk")
	f.Add([]byte("<?xml version='1.0' encoding='big5'?>\xa4\xa4<!--"), "text/xml;charset=")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, name := Decode(body, contentType)
		if !utf8.ValidString(text) || lookup(name) == nil {
			t.Errorf("%q in %q", text, name)
		}
		if utf8.Valid(body) && name == "utf-8" && text != strings.TrimPrefix(string(body), "\ufeff") {
			t.Errorf("UTF-8 was changed: %q", text)
		}
		if again, other := Decode(body, contentType); again != text || other != name {
			t.Errorf("%s, then %s", name, other)
		}
		mojibake(text)
	})
}

func BenchmarkDecode(b *testing.B) {
	page := func(n int) []byte {
		text := strings.Repeat("<p class=text>Работы на большом причале начались в феврале.</p>\n<a href=/x>next page</a>\n", n)
		out, _ := lookup("windows-1251").NewEncoder().Bytes([]byte(text))
		return out
	}
	for _, c := range []struct{ name, contentType string }{{"declared", "text/html; charset=windows-1251"}, {"latin1", "text/html; charset=iso-8859-1"}, {"undeclared", "text/html"}} {
		b.Run(c.name, func(b *testing.B) {
			body := page(500)
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Decode(body, c.contentType)
			}
		})
	}
}
