package extract

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// cueJSON is a caption in the JSON forms in use: a list of {start, text}, the segments of a speech recogniser, or the
// events of YouTube's json3.
type cueJSON struct {
	Start    *float64 `json:"start"`
	End      float64  `json:"end"`
	Duration float64  `json:"duration"`
	Text     string   `json:"text"`
	StartMs  *float64 `json:"tStartMs"`
	LengthMs float64  `json:"dDurationMs"`
	Segs     []struct {
		Text string `json:"utf8"`
	} `json:"segs"`
}

// looksLikeCues is a cheap look at the beginning, before JSON is parsed as captions.
func looksLikeCues(body []byte) bool {
	head := bytes.TrimSpace(body[:min(len(body), 4096)])
	if len(head) == 0 || head[0] != '[' && head[0] != '{' {
		return false
	}
	timed := bytes.Contains(head, []byte(`"start"`)) && bytes.Contains(head, []byte(`"text"`))
	return (timed || bytes.Contains(head, []byte(`"tStartMs"`))) && len(parseCues(body)) > 0
}

// parseCues reads captions in JSON; nil if they are none.
func parseCues(body []byte) []cue {
	var list []cueJSON
	if json.Unmarshal(body, &list) != nil {
		var doc struct {
			Events     []cueJSON `json:"events"`
			Segments   []cueJSON `json:"segments"`
			Transcript []cueJSON `json:"transcript"`
		}
		if json.Unmarshal(body, &doc) != nil {
			return nil
		}
		list = append(append(doc.Events, doc.Segments...), doc.Transcript...)
	}
	var cues []cue
	for _, j := range list {
		c := cue{}
		switch {
		case j.Start != nil:
			c.start = *j.Start
			c.end = max(j.End, c.start+j.Duration)
		case j.StartMs != nil:
			c.start = *j.StartMs / 1000
			c.end = c.start + j.LengthMs/1000
			for _, s := range j.Segs {
				j.Text += s.Text
			}
		default:
			continue
		}
		if c.start < 0 || c.start > 1e6 || math.IsNaN(c.start) {
			continue
		}
		for line := range strings.SplitSeq(j.Text, "\n") {
			if s := plainCaption(line); s != "" {
				c.lines = append(c.lines, s)
			}
		}
		if len(c.lines) > 0 {
			cues = append(cues, c)
		}
	}
	return cues
}
