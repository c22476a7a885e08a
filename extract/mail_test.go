package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

// mailRow is a block of a mail: what stands before a text marks it as a quote (">"), not quotable ("-"), a heading ("#").
func mailRows(p *Page) (rows []string) {
	for _, b := range p.Blocks {
		mark := ""
		switch {
		case b.Role == evidence.RoleQuote:
			mark = "> "
		case b.Role == evidence.RoleHeading:
			mark = "# "
		case !b.Main && !b.Quotable:
			mark = "- "
		}
		rows = append(rows, mark+b.Text)
	}
	return rows
}

const mailHead = "From: \"Ada L.\" <ada@a.example>\r\nTo: Ben <ben@b.example>\r\nDate: Tue, 4 Mar 2025 10:00:00 +0100\r\nSubject: Tides\r\nMIME-Version: 1.0\r\n"

var mailTop = []string{"# Tides", `From: "Ada L." <ada@a.example>`, "To: Ben <ben@b.example>", "Date: Tue, 4 Mar 2025 10:00:00 +0100"}

func TestMail(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []string
		flag       string
	}{
		{"plain, with a quote and a signature", "\r\nThe pier opens at 5.\r\nIt closes at 9.\r\n\r\nOn Mon, 3 Mar 2025, Ben wrote:\r\n> When does\r\n> it open?\r\n>\r\n>> Older words.\r\n\r\nSo it is.\r\n-- \r\nAda\r\nHarbour office\r\n",
			[]string{"The pier opens at 5.\nIt closes at 9.", "> On Mon, 3 Mar 2025, Ben wrote:", "> When does\nit open?", "> Older words.", "So it is.", "- Ada\nHarbour office"}, ""},
		{"an older mail below", "\r\nYes.\r\n\r\n-----Original Message-----\r\nFrom: Ben\r\nSent: Monday\r\n\r\nDoes it open?\r\n",
			[]string{"Yes.", "> -----Original Message-----\nFrom: Ben\nSent: Monday", "> Does it open?"}, ""},
		{"flowed", "Content-Type: text/plain; charset=utf-8; format=flowed\r\n\r\nThe pier \r\nopens at 5.\r\n> It was \r\n> closed.\r\nNext line.\r\n",
			[]string{"The pier opens at 5.", "> It was closed.", "Next line."}, ""},
		{"quoted-printable", "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nCaf=E9 am H=\r\nafen\r\n", []string{"Café am Hafen"}, ""},
		{"base64 in Japanese", "Content-Type: text/plain; charset=ISO-2022-JP\r\nContent-Transfer-Encoding: base64\r\n\r\nGyRCOWEkTjtPJF4kakJnJC0kI0RsSEYbKEIK\r\n", nil, ""},
		{"two forms", "Content-Type: multipart/alternative; boundary=b\r\n\r\npreamble\r\n--b\r\nContent-Type: text/plain\r\n\r\n" + strings.Repeat("The words as written. ", 12) +
			"\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>The words as a page.\r\n--b--\r\n", []string{strings.TrimSpace(strings.Repeat("The words as written. ", 12))}, ""},
		{"a page, and a text that only points to it", "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nNeeds HTML.\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>" +
			strings.Repeat("The words as a page. ", 10) + "<blockquote><p>Quoted there.</p></blockquote>\r\n--b--\r\n", []string{strings.TrimSpace(strings.Repeat("The words as a page. ", 10)), "> Quoted there."}, ""},
		{"attachments", "Content-Type: multipart/mixed; boundary=\"b c\"\r\n\r\n--b c\r\n\r\nSee the file.\r\n--b c\r\nContent-Type: application/pdf; name=\"x\"\r\nContent-Disposition: attachment; filename=\"=?utf-8?q?Gezeiten=5Fl=C3=B6ck.pdf?=\"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b c--\r\n",
			[]string{"See the file.", "- Gezeiten_löck.pdf"}, FlagSkipped},
		{"a mail in a mail", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nForwarded.\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: C <c@c.example>\r\nSubject: Inner\r\n\r\nInner words.\r\n--b--\r\n",
			[]string{"Forwarded.", "# Inner", "From: C <c@c.example>", "Inner words."}, ""},
		{"a page behind its pictures", "Content-Type: multipart/related; boundary=b; start=\"<m>\"\r\n\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <i>\r\n\r\nxx\r\n--b\r\nContent-Type: text/html\r\nContent-ID: <m>\r\n\r\n<p>The words.\r\n--b--\r\n",
			[]string{"The words."}, ""},
		{"a file in the text", "\r\nSee the file.\r\n\r\nbegin 644 tides.bin\r\n#86)C\r\n`\r\nend\r\n\r\nThen we begin 644 more.\r\n", []string{"- tides.bin", "See the file.", "Then we begin 644 more."}, FlagSkipped},
		{"words nobody sees", "Content-Type: text/html\r\n\r\n<p>Seen.<span style=\"color:#fffffe\">white</span></p><div style=\"opacity:0\">clear</div><div style=\"mso-hide:all;font-size:1px;max-height:0;overflow:hidden\">gone</div><table bgcolor=#003366><tr><td style=\"color:#fff\">Banner</td></tr></table>\r\n",
			[]string{"Seen.", "Banner"}, FlagHidden},
		{"cut off", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nThe first part.\r\n", []string{"The first part."}, FlagTruncated},
		{"a type that is not well-formed", "Content-Type: multipart/mixed; charset=us-ascii; boundary=b; boundary=\"b\";;\r\n\r\n--b\r\nContent-Type: text/plain; charset=\r\n\r\nWords.\r\n--b--\r\n", []string{"Words."}, ""},
		{"an unknown encoding", "Content-Transfer-Encoding: x-none\r\n\r\nWords as they came.\r\n", []string{"Words as they came."}, ""},
		{"rules across the page", "\r\nWords.\r\n\r\n----------\r\n\r\nMore.\r\n", []string{"Words.", "More."}, ""},
	} {
		p := read(t, "https://a.example/x.eml", "message/rfc822", mailHead+c.body)
		got := mailRows(p)
		if c.want == nil {
			if len(got) != len(mailTop)+1 || !strings.Contains(got[len(mailTop)], "香") && !strings.Contains(got[len(mailTop)], "底") {
				t.Errorf("%s: %q", c.name, got)
			}
			continue
		}
		if diff := cmp.Diff(append(append([]string{}, mailTop...), c.want...), got); diff != "" || c.flag != "" && !hasFlag(p, c.flag) || c.flag == "" && len(p.Flags) > 0 {
			t.Errorf("%s: flags %v, -want +got\n%s", c.name, p.Flags, diff)
		}
		if p.Kind != evidence.Mail || p.Title != "Tides" || p.Author != "Ada L." || p.Published != "2025-03-04" {
			t.Errorf("%s: kind %s, title %q, author %q, date %q", c.name, p.Kind, p.Title, p.Author, p.Published)
		}
	}
}

func TestMailHeader(t *testing.T) {
	for name, c := range map[string]struct{ head, title, author string }{
		"encoded words":        {"From: =?iso-8859-2?Q?Micha=B3?= <m@a.example>\nSubject: =?UTF-8?B?R2V6?=\n =?UTF-8?Q?eiten?= =?utf-8?q?_=F0=9F=8C=8A?=\n", "Gezeiten 🌊", "Michał"},
		"stray bytes":          {"From: Mich\xb3 <m@a.example>\nSubject: Caf\xe9\n", "Café", ""},
		"UTF-8 as it is":       {"From: Łucja <l@a.example>\nSubject: Łódź\n", "Łódź", "Łucja"},
		"an address alone":     {"From: <m@a.example>\nSubject: x\n", "x", "m@a.example"},
		"a line that is none":  {"From: M <m@a.example>\nthis is no field\nSubject: x\n", "x", "M"},
		"unknown word charset": {"From: M <m@a.example>\nSubject: =?x-none?Q?abc?=\n", "abc", "M"},
	} {
		p, err := (&Extractor{}).readMail(t.Context(), Input{URL: "https://a.example/x.eml", Body: []byte(c.head + "To: b@b.example\n\nHi.\n")})
		if err != nil || p.Title != c.title || c.author != "" && p.Author != c.author {
			t.Errorf("%s: %v, title %q, author %q; want %q, %q", name, err, p.Title, p.Author, c.title, c.author)
		}
	}
}

func TestMailbox(t *testing.T) {
	body := "From a@a.example Tue Mar  4 10:00:00 2025\nFrom: A <a@a.example>\nSubject: One\nDate: Tue, 4 Mar 2025 10:00:00 +0000\n\nFirst.\n>From here on.\n\n" +
		"From b@b.example Tue Mar  4 11:00:00 2025\nFrom: B <b@b.example>\nSubject: Two\nDate: Tue, 4 Mar 2025 11:00:00 +0000\n\nSecond.\nFrom nowhere in 2025.\n"
	p := read(t, "https://a.example/list.mbox", "", body)
	want := []string{"# One", "From: A <a@a.example>", "Date: Tue, 4 Mar 2025 10:00:00 +0000", "First.\nFrom here on.",
		"# Two", "From: B <b@b.example>", "Date: Tue, 4 Mar 2025 11:00:00 +0000", "Second.\nFrom nowhere in 2025."}
	if diff := cmp.Diff(want, mailRows(p)); diff != "" || p.Author != "" || p.Title != "list.mbox" {
		t.Errorf("title %q, author %q, -want +got\n%s", p.Title, p.Author, diff)
	}
	for _, b := range p.Blocks[5:] {
		if b.Heading != "Two" {
			t.Errorf("%q stands under %q", b.Text, b.Heading)
		}
	}
}

// A page as browsers save it is a page.
func TestSavedPage(t *testing.T) {
	body := "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://pier.example/fares\r\nSubject: Fares\r\nDate: Tue, 4 Mar 2025 10:00:00 -0000\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/related; type=\"text/html\"; boundary=\"b\"\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<html><title>Fares</title><p>Adults pay 3.50 each way, see <a href=3D\"/all\">all fares</a>.</p></html>\r\n--b--\r\n"
	p := read(t, "file:///a/saved.mhtml", "", body)
	if p.Kind != evidence.HTML || quotable(p) != "Adults pay 3.50 each way, see all fares." || len(p.Links) != 1 || p.Links[0].URL != "https://pier.example/all" {
		t.Errorf("kind %s, %q, links %v", p.Kind, quotable(p), p.Links)
	}
}

// Parts in parts and very many parts end somewhere.
func TestMailLimits(t *testing.T) {
	deep := mailHead
	for range 60 {
		deep += "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
	}
	for name, body := range map[string]string{
		"deep":         deep + "\r\nWords.\r\n",
		"many":         mailHead + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\nx\r\n", 5000),
		"mail in mail": mailHead + strings.Repeat("Content-Type: message/rfc822\r\n\r\nFrom: a@a.example\r\n", 200) + "\r\nx",
	} {
		if p := read(t, "https://a.example/x.eml", "", body); !hasFlag(p, FlagTruncated) {
			t.Errorf("%s: %d blocks, flags %v", name, len(p.Blocks), p.Flags)
		}
	}
}
