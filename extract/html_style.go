package extract

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// Limits of the style rules that are read.
const (
	maxStyle = 512 << 10 // bytes of all <style> elements
	maxRules = 1000      // rules that bear on whether text is shown
	maxKeyed = 64        // of them under one name
)

// styles are the rules of a page's own style sheets that decide whether text is shown, by the class, id or element name
// that their selector must have. Only compound selectors are read (p.note, #menu, .a.b); a rule that depends on an
// ancestor, a state or a medium is left out, so its text counts as shown.
type styles map[string][]rule

type rule struct {
	tag, id string
	classes []string
	decls   decls
	order   int
}

// weight orders declarations as the cascade does.
type weight struct {
	important          bool
	specificity, order int
}

func (w weight) less(o weight) bool {
	switch {
	case w.important != o.important:
		return o.important
	case w.specificity != o.specificity:
		return w.specificity < o.specificity
	}
	return w.order < o.order
}

type decl struct {
	value     string
	important bool
	weight    weight
}

// decls are the properties that matter here. away stands for the ways to put text where no eye finds it; colour, ground
// and opacity are for parsePaint.
type decls struct{ display, visibility, size, space, away, align, colour, ground, opacity decl }

// over lays declarations over d where they weigh more.
func (d *decls) over(o *decls, w weight) {
	d.display.over(&o.display, w)
	d.visibility.over(&o.visibility, w)
	d.size.over(&o.size, w)
	d.space.over(&o.space, w)
	d.away.over(&o.away, w)
	d.align.over(&o.align, w)
	d.colour.over(&o.colour, w)
	d.ground.over(&o.ground, w)
	d.opacity.over(&o.opacity, w)
}

func (d *decl) over(o *decl, w weight) {
	w.important = o.important
	if o.value != "" && (d.value == "" || !w.less(d.weight)) {
		*d = decl{o.value, o.important, w}
	}
}

func (d *decls) empty() bool { return *d == decls{} }

// match lays what the rules say about an element over d.
func (s styles) match(n *html.Node, d *decls) {
	const most = 20 // classes of one element
	var array [most]string
	id, list := attr(n, "id"), array[:0]
	for c := range classes(attr(n, "class")) {
		if len(list) < most {
			list = append(list, c)
		}
	}
	try := func(rules []rule) {
		for i := range rules {
			if r := &rules[i]; r.matches(n.Data, id, list) {
				spec := len(r.classes) * 100
				if r.id != "" {
					spec += 10_000
				}
				if r.tag != "" {
					spec++
				}
				d.over(&r.decls, weight{specificity: spec, order: r.order})
			}
		}
	}
	try(s[n.Data])
	if id != "" {
		try(s["#"+id])
	}
	for _, c := range list {
		try(s["."+c])
	}
}

func (r *rule) matches(tag, id string, classes []string) bool {
	if r.tag != "" && r.tag != tag || r.id != "" && r.id != id {
		return false
	}
	for _, want := range r.classes {
		found := false
		for _, c := range classes {
			found = found || c == want
		}
		if !found {
			return false
		}
	}
	return true
}

// parseDecls reads the declarations of a style attribute or a rule.
func parseDecls(style string) decls {
	var d decls
	var position, left, top, indent, clip, height, width, overflow, colour, ground string
	for _, part := range strings.Split(style, ";") {
		name, value, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		value = strings.ToLower(strings.TrimSpace(value))
		value, important := strings.CutSuffix(value, "!important")
		value = strings.TrimSpace(value)
		set := decl{value: value, important: important}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "display":
			d.display = set
		case "visibility":
			d.visibility = set
		case "font-size":
			d.size = set
		case "white-space":
			d.space = set
		case "vertical-align":
			if set.value = raisedBy(value); set.value != "" {
				d.align = set
			}
		case "color":
			colour = value
		case "background", "background-color":
			ground = value
		case "position":
			position = value
		case "left", "right":
			left = value
		case "top":
			top = value
		case "text-indent":
			indent = value
		case "clip", "clip-path":
			clip = strings.ReplaceAll(value, " ", "")
		case "height", "max-height":
			height = value
		case "width":
			width = value
		case "overflow":
			overflow = value
		}
	}
	out := position == "absolute" || position == "fixed"
	switch {
	case out && (farOff(left) || farOff(top)), farOff(indent):
		d.away.value = "offscreen"
	case out && (strings.HasPrefix(clip, "rect(0") || strings.HasPrefix(clip, "rect(1px,1px") || clip == "inset(50%)" || clip == "inset(100%)"):
		d.away.value = "clipped"
	case overflow == "hidden" && (isZero(height) || isZero(width)):
		d.away.value = "no room"
	case colour != "" && ground != "" && sameCSSColour(colour, ground):
		d.away.value = "in the colour of its ground"
	}
	return d
}

// alignments are the values of vertical-align that leave a text on its line.
var alignments = set("baseline top middle bottom text-top text-bottom inherit initial unset")

// raisedBy says what a value of vertical-align makes of a text: "super", "sub", or "baseline" if it stays on its line.
func raisedBy(value string) string {
	switch {
	case value == "super" || value == "sub":
		return value
	case alignments[value]:
		return "baseline"
	}
	v, unit := number(value)
	least := map[string]float64{"em": 0.2, "rem": 0.2, "ex": 0.4, "%": 20, "px": 3, "pt": 2}[unit]
	switch {
	case least == 0:
		return ""
	case v >= least:
		return "super"
	case v <= -least:
		return "sub"
	}
	return "baseline"
}

// farOff reports whether a length moves text out of any window.
func farOff(length string) bool {
	v, unit := number(length)
	return v <= -900 && unit != "%" || v <= -90 && (unit == "em" || unit == "rem" || unit == "vw") || v <= -999
}

func isZero(length string) bool {
	v, _ := number(length)
	return length != "" && v == 0 && length[0] >= '0' && length[0] <= '9'
}

func number(length string) (float64, string) {
	end := len(length)
	for i, c := range length {
		if (c < '0' || c > '9') && c != '.' && c != '-' {
			end = i
			break
		}
	}
	v, err := strconv.ParseFloat(length[:end], 64)
	if err != nil {
		return 0, "none"
	}
	return v, length[end:]
}
