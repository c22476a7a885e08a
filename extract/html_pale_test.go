package extract

import "testing"

// TestHTMLPale: in a page that stands alone, as a mail does, text in the colour of its ground or transparent is not seen;
// where the ground may come from elsewhere, it stays.
func TestHTMLPale(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"white on the page", `<p>Seen<span style="color:#fff"> unseen</span></p>`, "Seen"},
		{"white in other words", `<p>Seen<span style="COLOR: White"> unseen</span><span style="color:rgb(255, 255, 254) !important"> unseen</span><font color="FFFFFF"> unseen</font></p>`, "Seen"},
		{"white by a rule", `<style>.x{color:white}</style><p>Seen<span class=x> unseen</span></p>`, "Seen"},
		{"white on white", `<table bgcolor="#000"><tr><td style="background:#fff">Seen<b style="color:#ffffff"> unseen</b></td></tr></table>`, "Seen"},
		{"both at once", `<p>Seen<span style="color:#123456;background-color:#123456"> unseen</span></p>`, "Seen"},
		{"transparent", `<p>Seen</p><div style="opacity:0"><p style="color:red">unseen</p></div>`, "Seen"},
		{"of no size", `<p>Seen<span style="font-size:1px"> unseen</span><span style="font-size:0"> unseen</span></p>`, "Seen"},
		{"white on dark", `<div style="background:#123"><p style="color:#fff">Seen</p></div>`, "Seen"},
		{"white on a dark cell", `<table><tr><td bgcolor="#004488"><font color="#ffffff">Seen</font></td></tr></table>`, "Seen"},
		{"white by a rule on dark by a rule", `<style>td.h{background-color:navy} .h b{color:red} b{color:#fff}</style><table><tr><td class=h><b>Seen</b></td></tr></table>`, "Seen"},
		{"white on a picture", `<div style="background-image:url(x.png)"><p style="color:#fff">Seen</p></div><div style="position:absolute;color:#fff">too</div>`, "Seen too"},
		{"coloured again", `<div style="color:#fff">unseen <b style="color:#000">Seen</b></div>`, "Seen"},
		{"a link has its own colour", `<div style="color:#fff"><a href="https://a.example/">Seen</a></div>`, "Seen"},
		{"style sheets from elsewhere", `<link rel=stylesheet href=x.css><p style="color:#fff">Seen</p>`, "Seen"},
		{"scripts", `<script>fade()</script><p style="opacity:0">Seen</p>`, "Seen"},
		{"raised by a style", `<style>.e{vertical-align:super}</style><p>10<span class=e>6</span> H<span style="vertical-align:sub">2</span>O 5<span style="vertical-align:middle">7</span></p>`, "10⁶ H2O 57"},
		{"raised by lengths", `<p>10<span style="vertical-align:0.4em">6</span> 10<span style="vertical-align: 30%">7</span> 10<span style="vertical-align:1px">24</span> 10<span style="vertical-align:-3px">2</span></p>`, "10⁶ 10⁷ 1024 10₂"},
		{"raised in several elements", `<p>10<sup>−</sup><sup>3</sup> 10<sup>2x</sup> 4<sup>th</sup></p>`, "10⁻³ 10²x 4th"},
		{"a raised link", `<p>in 2020<a href="#n" style="vertical-align:super">3</a>.</p>`, "in 2020³."},
	} {
		p := read(t, "https://a.example/x", "text/html; charset=utf-8", `<html><body>`+c.body+`</body></html>`)
		var got string
		for _, b := range p.Blocks {
			if got != "" {
				got += " "
			}
			got += b.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
