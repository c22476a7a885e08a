package extract

import (
	"strconv"
	"strings"
)

// timedText reads captions in XML: TTML (W3C) with its older names, and the two forms of YouTube.
func timedText(root *xmlNode, page *Page) []cue {
	if root == nil {
		return nil
	}
	page.Language = languageTag(root.attr("lang"))
	t := ttml{frames: 30, ticks: 1, agents: map[string]string{}}
	if f, err := strconv.ParseFloat(root.attr("frameRate"), 64); err == nil && f > 0 {
		t.frames = f
	}
	if f, err := strconv.ParseFloat(root.attr("tickRate"), 64); err == nil && f > 0 {
		t.ticks = f
	}
	if title := root.child("head", "metadata", "title"); title != nil {
		state(page, &page.Title, "ttm:title", oneLine(title.content(), 300))
	}
	root.all("agent", func(n *xmlNode) { t.agents[n.attr("id")] = oneLine(n.child("name").content(), 100) })
	t.walk(root, 0)
	return t.cues
}

// ttml gathers cues.
type ttml struct {
	frames, ticks float64 // a second
	agents        map[string]string
	cues          []cue
}

// walk reads the cues below n, whose times count from offset.
func (t *ttml) walk(n *xmlNode, offset float64) {
	for _, k := range n.kids {
		begin, timed := t.seconds(first(k.attr("begin"), withUnit(k.attr("start"), "s"), withUnit(k.attr("t"), "ms")))
		switch {
		case k.name == "head":
		case (k.name == "p" || k.name == "text") && timed:
			t.cue(k, offset+begin)
		case k.name == "p" && k.find("span") != nil: // the times are on its spans
			t.walk(k, offset)
		case k.name == "span" && timed:
			t.cue(k, offset+begin)
		case k.name != "":
			t.walk(k, offset+begin)
		}
	}
}

func (t *ttml) cue(n *xmlNode, begin float64) {
	c := cue{start: begin, end: begin, speaker: t.agents[n.attr("agent")]}
	if end, ok := t.seconds(n.attr("end")); ok {
		c.end = max(end, c.start)
	} else if d, ok := t.seconds(first(n.attr("dur"), withUnit(n.attr("d"), "ms"))); ok {
		c.end += d
	}
	var b strings.Builder
	captionText(n, &b)
	for line := range strings.SplitSeq(b.String(), "\n") {
		if s := plainCaption(line); s != "" {
			c.lines = append(c.lines, s)
		}
	}
	if len(c.lines) > 0 && c.start <= 1e6 {
		t.cues = append(t.cues, c)
	}
}

// captionText writes the text of a caption, with the line breaks that it marks.
func captionText(n *xmlNode, b *strings.Builder) {
	for _, k := range n.kids {
		switch k.name {
		case "":
			b.WriteString(strings.Join(strings.Split(k.text, "\n"), " "))
		case "br":
			b.WriteByte('\n')
		case "metadata":
		default:
			if k.attr("display") != "none" && k.attr("visibility") != "hidden" && k.attr("opacity") != "0" {
				captionText(k, b)
			}
		}
	}
}

// seconds reads a time expression: H:MM:SS.mmm, H:MM:SS:frames, 12.5s, 500ms, 40f, 1000t, 2m, 1h.
func (t *ttml) seconds(s string) (float64, bool) {
	if s == "" {
		return 0, false
	}
	if parts := strings.Split(s, ":"); len(parts) >= 2 && len(parts) <= 4 {
		total, frames := 0.0, 0.0
		if len(parts) == 4 {
			frames = amount(parts[3]) / t.frames
			parts = parts[:3]
		}
		for _, p := range parts {
			total = total*60 + amount(p)
		}
		return inTalk(total + frames)
	}
	for _, unit := range []struct {
		name  string
		value float64
	}{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"f", 1 / t.frames}, {"t", 1 / t.ticks}} {
		if n, ok := strings.CutSuffix(s, unit.name); ok {
			return inTalk(amount(n) * unit.value)
		}
	}
	return 0, false
}

func inTalk(s float64) (float64, bool) { return s, s >= 0 && s <= 1e6 }

// amount is -1 for what is none, so that the time it is in is not valid.
func amount(s string) float64 {
	if v, err := strconv.ParseFloat(s, 64); err == nil && v >= 0 && v < 1e12 {
		return v
	}
	return -1e12
}

// withUnit gives a bare number its unit.
func withUnit(s, unit string) string {
	if s == "" || strings.Trim(s, "0123456789.") != "" {
		return ""
	}
	return s + unit
}
