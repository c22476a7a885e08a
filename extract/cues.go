package extract

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// cueJSON is a caption in the JSON forms in use: a list of {start, text}, the segments of a speech recogniser, the
// events of YouTube's json3, the segments and the chapters of a podcast.
type cueJSON struct {
	Start     *float64 `json:"start"`
	End       float64  `json:"end"`
	Duration  float64  `json:"duration"`
	Text      string   `json:"text"`
	StartMs   *float64 `json:"tStartMs"`
	LengthMs  float64  `json:"dDurationMs"`
	StartTime *float64 `json:"startTime"`
	EndTime   float64  `json:"endTime"`
	Body      string   `json:"body"`
	Title     string   `json:"title"`
	Speaker   any      `json:"speaker"` // a name, or a number of the recogniser
	Segs      []struct {
		Text string `json:"utf8"`
	} `json:"segs"`
}

// looksLikeCues is a cheap look at the beginning, before JSON is parsed as captions.
func looksLikeCues(body []byte) bool {
	head := bytes.TrimSpace(body[:min(len(body), 4096)])
	if len(head) == 0 || head[0] != '[' && head[0] != '{' {
		return false
	}
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	timed := has("start") && has("text") || has("tStartMs") || has("startTime") && (has("body") || has("chapters") && has("title"))
	return timed && len(parseCues(body)) > 0
}

// parseCues reads captions in JSON; nil if they are none.
func parseCues(body []byte) []cue {
	var list, chapters []cueJSON
	if json.Unmarshal(body, &list) != nil {
		var doc struct {
			Events     []cueJSON `json:"events"`
			Segments   []cueJSON `json:"segments"`
			Transcript []cueJSON `json:"transcript"`
			Chapters   []cueJSON `json:"chapters"`
		}
		if json.Unmarshal(body, &doc) != nil {
			return nil
		}
		list, chapters = append(append(doc.Events, doc.Segments...), doc.Transcript...), doc.Chapters
	}
	cues := make([]cue, 0, len(list))
	for _, j := range list {
		if c, ok := j.cue(); ok {
			cues = append(cues, c)
		}
	}
	if 2*len(cues) < len(list) { // a list of something else, some of which have such fields
		return nil
	}
	for _, j := range chapters {
		j.Text, j.Body = "", j.Title
		if c, ok := j.cue(); ok {
			c.chapter = true
			cues = append(cues, c)
		}
	}
	return cues
}

// cue reads one caption; not ok if it is none, or says nothing.
func (j cueJSON) cue() (c cue, ok bool) {
	text := j.Text + j.Body
	switch {
	case j.Start != nil:
		c.start = *j.Start
		c.end = max(j.End, c.start+j.Duration)
	case j.StartTime != nil:
		c.start, c.end = *j.StartTime, j.EndTime
	case j.StartMs != nil:
		c.start = *j.StartMs / 1000
		c.end = c.start + j.LengthMs/1000
		for _, s := range j.Segs {
			text += s.Text
		}
	default:
		return c, false
	}
	if c.start < 0 || c.start > 1e6 || math.IsNaN(c.start) {
		return c, false
	}
	if name, isName := j.Speaker.(string); isName {
		c.speaker = oneLine(name, 100)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if s := plainCaption(line); s != "" {
			c.lines = append(c.lines, s)
		}
	}
	return c, len(c.lines) > 0
}
