package extract

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/net/html"

	"ibid/evidence"
	"ibid/internal/lazyregexp"
)

// window is how much speech is one block, in seconds (EXTRACT-3).
const window = 30

// A cue is one caption: when it begins and ends, in seconds, its lines, and who says it, where that is told apart.
type cue struct {
	start, end float64
	lines      []string
	speaker    string
	chapter    bool // not said: the title of what begins here
}

// readTranscript reads captions into windows of thirty seconds. A window begins with its first cue, or with a chapter.
// Its heading is the chapter, and without chapters those who speak in it.
func readTranscript(ctx context.Context, form form, in Input) (*Page, error) {
	text, charset := decode(in.Body, in.ContentType)
	page := &Page{Kind: evidence.Transcript, By: "transcript/2", Title: baseName(in.URL), Charset: charset}
	var cues []cue
	switch form {
	case formCues:
		cues = parseCues([]byte(text))
	case formTimed:
		doc, err := parseXML(ctx, text)
		if err != nil {
			return nil, err
		}
		if doc.cut {
			page.flag(FlagTruncated)
		}
		cues = timedText(doc.root, page)
	default:
		cues = parseVTT(text)
	}
	if len(cues) == 0 {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "it holds no captions"}
	}
	if form == formVTT {
		page.Language = vttLanguage(text)
	}
	sort.SliceStable(cues, func(i, j int) bool { return cues[i].start < cues[j].start })
	page.windows(cues)
	return page, nil
}

// windows adds the blocks of cues that are in order.
func (p *Page) windows(cues []cue) {
	var said, titles []cue
	for _, c := range cues {
		if c.chapter {
			titles = append(titles, c)
		} else {
			said = append(said, c)
		}
	}
	if len(said) == 0 {
		p.chapters(titles)
		return
	}
	chapter, speakers := "", []string(nil)
	var b *Block
	for _, c := range spoken(said) {
		at := int(c.start)
		begins := b == nil || at >= b.Locator.A+window
		for len(titles) > 0 && int(titles[0].start) <= at {
			chapter, titles = strings.Join(titles[0].lines, " "), titles[1:]
			begins = begins || at > b.Locator.A
		}
		if begins {
			p.Blocks = append(p.Blocks, Block{Main: true, Quotable: true, Heading: chapter, Locator: evidence.Locator{Unit: evidence.Time, A: at}})
			b, speakers = &p.Blocks[len(p.Blocks)-1], nil
		} else {
			b.Text += " "
		}
		if n := len(b.Marks); n == 0 || b.Marks[n-1].Seconds != at {
			b.Marks = append(b.Marks, Mark{Offset: len(b.Text), Seconds: at})
		}
		b.Text += strings.Join(c.lines, " ")
		if c.speaker != "" && chapter == "" && !slices.Contains(speakers, c.speaker) {
			speakers = append(speakers, c.speaker)
			b.Heading = clip(strings.Join(speakers, ", "), 300)
		}
	}
}

// chapters adds the titles of a talk whose words are not there, each at its time.
func (p *Page) chapters(titles []cue) {
	for i, c := range titles {
		if i > 0 && int(c.start) == int(titles[i-1].start) {
			continue
		}
		p.Blocks = append(p.Blocks, Block{Text: strings.Join(c.lines, " "), Role: evidence.RoleHeading, Level: 1, Main: true, Quotable: true,
			Locator: evidence.Locator{Unit: evidence.Time, A: int(c.start)}})
	}
}

// spoken gives every word once. Roll-up captions show each line again while the next one is typed: there, the lines
// that a cue shares with the end of the one before are left out. Elsewhere a repeated line was said again.
func spoken(cues []cue) []cue {
	rolls := 0
	for i := 1; i < len(cues); i++ {
		if repeated(cues[i-1].lines, cues[i].lines) > 0 {
			rolls++
		}
	}
	rolling := rolls*3 >= len(cues)-1 && rolls > 0
	var out []cue
	var before cue
	for i, c := range cues {
		lines := c.lines
		switch {
		case i == 0:
		case rolling && c.start-before.end < 1:
			lines = lines[repeated(before.lines, lines):]
			if n := len(before.lines); n > 0 && len(lines) > 0 && len(lines) == len(c.lines) {
				if rest, grows := strings.CutPrefix(lines[0], before.lines[n-1]+" "); grows {
					lines = append([]string{rest}, lines[1:]...)
				}
			}
		case c.start == before.start && strings.Join(lines, " ") == strings.Join(before.lines, " "):
			lines = nil // the same cue twice
		}
		before = c
		if len(lines) > 0 {
			c.lines = lines
			out = append(out, c)
		}
	}
	return out
}

// repeated counts the first lines of now that are the last lines of before. No caption is longer than twenty lines.
func repeated(before, now []string) int {
	for k := min(len(before), len(now), 20); k > 0; k-- {
		same := true
		for i := range k {
			same = same && before[len(before)-k+i] == now[i]
		}
		if same {
			return k
		}
	}
	return 0
}

var (
	timing   = lazyregexp.New(`^\s*((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})\s*-->\s*((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})`)
	sbvTimes = lazyregexp.New(`^(\d+:\d\d:\d\d\.\d{3}),(\d+:\d\d:\d\d\.\d{3})$`)
	language = lazyregexp.New(`(?m)^Language:\s*(\S+)\s*$`)
	stamp    = lazyregexp.New(`<[\d:.]+>`)
	ass      = lazyregexp.New(`\{\\[^}]*\}`)
	voice    = lazyregexp.New(`<v(?:\.[^\s>]*)?\s+([^>]+)>`)
)

func vttLanguage(text string) string {
	header, _, _ := strings.Cut(text, "-->")
	if m := language.FindStringSubmatch(header); m != nil {
		return languageTag(m[1])
	}
	return ""
}

// parseVTT reads WebVTT, SubRip and SBV: everything between a timing line and the next blank line is a cue's text. A line
// that holds only spaces is text, as automatic captions have it. In SubRip so is what follows a blank line, but for the
// last line before the next cue, its number.
func parseVTT(text string) []cue {
	var cues []cue
	open, vtt, times := false, strings.HasPrefix(text, "WEBVTT"), timing
	var held []string // what follows a blank line, until it is known whether it is the name of the next cue
	if sbvStart.MatchString(text) {
		times = sbvTimes
	}
	header, _, _ := strings.Cut(text, "-->")
	chapters := vtt && strings.Contains(header, "Kind: chapters")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if m := times.FindStringSubmatch(line); m != nil {
			if n := len(held); n > 0 && len(cues) > 0 {
				cues[len(cues)-1].lines = append(cues[len(cues)-1].lines, held[:n-1]...)
			}
			cues = append(cues, cue{start: clock(m[1]), end: clock(m[2]), chapter: chapters})
			open, held = true, nil
			continue
		}
		if line == "" || !vtt && strings.TrimSpace(line) == "" {
			open = false
		}
		s := plainCaption(line)
		if !open && !vtt && len(cues) > 0 && s != "" {
			held = append(held, s)
		}
		if open && s != "" {
			c := &cues[len(cues)-1]
			c.lines = append(c.lines, s)
			if m := voice.FindStringSubmatch(line); m != nil && c.speaker == "" {
				c.speaker = oneLine(html.UnescapeString(m[1]), 100)
			}
		}
	}
	if n := len(held); n > 0 && atoi(held[n-1], -1) >= 0 {
		held = held[:n-1]
	}
	if len(cues) > 0 {
		cues[len(cues)-1].lines = append(cues[len(cues)-1].lines, held...)
	}
	return slices.DeleteFunc(cues, func(c cue) bool { return len(c.lines) == 0 && c.chapter })
}

// clock reads H:MM:SS.mmm or MM:SS.mmm, in seconds.
func clock(s string) float64 {
	var total float64
	for part := range strings.SplitSeq(strings.Replace(s, ",", ".", 1), ":") {
		var v float64
		fmt.Sscanf(part, "%f", &v)
		total = total*60 + v
	}
	return min(total, 1e6)
}

// plainCaption drops tags and styling and collapses white space; "" if nothing is left to see.
func plainCaption(s string) string {
	if strings.ContainsRune(s, '{') {
		s = ass.ReplaceAllString(s, "")
	}
	if strings.ContainsRune(s, '<') {
		s = stamp.ReplaceAllString(s, "")
	}
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if s = oneLine(b.String(), 1<<20); !visible(s) {
				return ""
			}
			return s
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}
