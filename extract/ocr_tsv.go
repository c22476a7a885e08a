package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// unsure is the mean certainty of a line's words, in percent, below which it is taken for a picture's ornament.
const unsure = 40

// recognised makes lines of tesseract's table of words: level, page, block, paragraph, line, word, left, top, width,
// height, certainty, text. scale is in pixels per point.
func recognised(table string, scale float64) []pdfLine {
	var lines []pdfLine
	var at, paragraph string // of the line that is being put together, and of the last one kept
	var sure float64
	end := func() {
		n := len(lines) - 1
		if n < 0 || lines[n].Size != 0 {
			return
		}
		if l := &lines[n]; sure/float64(len(l.Words)) < unsure || !strings.ContainsFunc(l.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			lines = lines[:n]
			return
		}
		key, _, _ := strings.Cut(at, "/")
		lines[n].settle(key != paragraph)
		paragraph = key
	}
	for row := range strings.Lines(table) {
		c := strings.SplitN(strings.TrimRight(row, "\r\n"), "\t", 12)
		if len(c) < 12 || c[0] != "5" || !visible(c[11]) {
			continue
		}
		var n [4]float64
		valid := true
		for i := range n {
			v, err := strconv.Atoi(c[6+i])
			n[i], valid = float64(v)/scale, valid && err == nil
		}
		certainty, err := strconv.ParseFloat(c[10], 64)
		if !valid || err != nil {
			continue
		}
		if key := c[2] + "." + c[3] + "/" + c[4]; key != at || len(lines) == 0 || lines[len(lines)-1].Size != 0 {
			end()
			at, sure = key, 0
			lines = append(lines, pdfLine{})
		}
		l := &lines[len(lines)-1]
		if l.Text != "" {
			l.Text += " "
		}
		l.Text += shownLine(c[11], maxParagraph)
		l.Words = append(l.Words, pdfWord{End: len(l.Text), Left: n[0], Top: n[1], Right: n[0] + n[2], Bottom: n[1] + n[3]})
		sure += certainty
	}
	end()
	evenSizes(lines)
	return lines
}

// settle finds where a line of words stands.
func (l *pdfLine) settle(begins bool) {
	var bottoms, heights []float64
	l.X, l.Right = l.Words[0].Left, l.Words[0].Right
	for _, w := range l.Words {
		l.X, l.Right = min(l.X, w.Left), max(l.Right, w.Right)
		bottoms, heights = append(bottoms, w.Bottom), append(heights, w.Bottom-w.Top)
	}
	slices.Sort(bottoms)
	slices.Sort(heights)
	l.Y = bottoms[len(bottoms)/4] // most words have letters that go below the line
	l.Size = max(heights[len(heights)*3/4], 0.01)
	l.Begins = begins
}

// evenSizes gives the lines that are about as high as most the same size: how high a line's words are depends on which
// letters they have.
func evenSizes(lines []pdfLine) {
	var sizes []float64
	for _, l := range lines {
		sizes = append(sizes, l.Size)
	}
	if len(sizes) == 0 {
		return
	}
	slices.Sort(sizes)
	median := sizes[len(sizes)/2]
	for i := range lines {
		if s := lines[i].Size; s < 1.4*median && s > 0.7*median {
			lines[i].Size = median
		}
	}
}
