package extract

import "testing"

// TestODTColours: text in the colour of the page, or of what its own style paints, is not seen.
func TestODTColours(t *testing.T) {
	style := func(family, name, properties string) string {
		return `<style:style style:name="` + name + `" style:family="` + family + `">` + properties + `</style:style>`
	}
	styles := style("text", "white", `<style:text-properties fo:color="#ffffff"/>`) + style("text", "black", `<style:text-properties fo:color="#000000"/>`) +
		style("text", "marked", `<style:text-properties fo:color="#ffff00" fo:background-color="#ffff00"/>`) +
		style("paragraph", "pale", `<style:text-properties fo:color="#fefefe"/>`) +
		style("paragraph", "banner", `<style:paragraph-properties fo:background-color="#203040"/><style:text-properties fo:color="#ffffff"/>`) +
		style("section", "dark", `<style:section-properties fo:background-color="#203040"/>`) +
		style("paragraph", "gone", `<style:text-properties text:display="none"/>`)
	span := func(name, s string) string {
		return `<text:span text:style-name="` + name + `">` + s + `</text:span>`
	}
	for _, c := range []struct {
		name, layout, body, want string
		hidden                   bool
	}{
		{"white", "", `<text:p>Seen` + span("white", " unseen") + `</text:p>`, "Seen", true},
		{"in the colour of its mark", "", `<text:p>Seen` + span("marked", " unseen") + `</text:p>`, "Seen", true},
		{"by its paragraph", "", `<text:p text:style-name="pale">unseen ` + span("black", "Seen") + `</text:p>`, "Seen", true},
		{"on a banner", "", `<text:p text:style-name="banner">Seen</text:p>`, "Seen", false},
		{"in a dark section", "", `<text:section text:style-name="dark"><text:p text:style-name="pale">Seen</text:p></text:section>`, "Seen", false},
		{"in a box", "", `<text:p><draw:frame><draw:text-box><text:p text:style-name="pale">Seen</text:p></draw:text-box></draw:frame></text:p>`, "Seen", false},
		{"in cells", "", `<table:table><table:table-row><table:table-cell><text:p>` + span("white", "Seen") + `</text:p></table:table-cell><table:table-cell><text:p text:style-name="gone">unseen</text:p><text:p>too</text:p></table:table-cell></table:table-row></table:table>`, "Seen | too", true},
		{"on dark pages", `<style:page-layout><style:page-layout-properties fo:background-color="#203040"/></style:page-layout>`, `<text:p text:style-name="pale">Seen</text:p>`, "Seen", false},
	} {
		p := readOffice(t, "x.fodt", []byte(`<?xml version="1.0" encoding="UTF-8"?><office:document `+odfNS+` office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>`+
			styles+c.layout+`</office:automatic-styles><office:body><office:text>`+c.body+`</office:text></office:body></office:document>`))
		if got := quotable(p); got != c.want || hasFlag(p, FlagHidden) != c.hidden {
			t.Errorf("%s: %q, flags %v, want %q", c.name, got, p.Flags, c.want)
		}
	}
}
