package extractive

import (
	"encoding/json"
	"strconv"
	"strings"

	"ibid/internal/lazyregexp"
)

// The shapes of the research tools' arguments and results, as far as this researcher reads them.

type planArgs struct {
	Subquestions []string `json:"subquestions"`
	Reason       string   `json:"reason"`
}

type subquestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Findings int    `json:"findings"`
}

type planResult struct {
	Plan []subquestion `json:"plan"`
}

type spawnArgs struct {
	Task         string   `json:"task"`
	Reason       string   `json:"reason"`
	Subquestions []string `json:"subquestions"`
}

type searchArgs struct {
	Query string `json:"query"`
}

type hit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

type searchResult struct {
	Outcome string `json:"outcome"`
	Results []hit  `json:"results"`
}

type readArgs struct {
	URLs   []string `json:"urls"`
	Reason string   `json:"reason"`
}

type block struct {
	At      string `json:"at"`
	Role    string `json:"role"`
	Text    string `json:"text"`
	Level   int    `json:"level"` // of a heading; 0: not told
	Columns words  `json:"columns"`
	Caption words  `json:"caption"`
}

type link struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

type page struct {
	URL     string          `json:"url"`
	Source  string          `json:"source"`
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Type    string          `json:"type"` // of a web page: article, forum …
	SameAs  string          `json:"same_as"`
	Flags   []string        `json:"flags"`
	Text    json.RawMessage `json:"untrusted_text"` // []block, read when it is wanted
	Links   []link          `json:"links"`
	Outcome string          `json:"outcome"`
	Error   string          `json:"error"`
}

type readResult struct {
	Pages []page `json:"pages"`
}

type corpusArgs struct {
	Query string `json:"query"`
	K     int    `json:"k"`
}

type span struct {
	Span  string `json:"span"`
	Title string `json:"source_title"`
	URL   string `json:"url"`
	Role  string `json:"role"`
	Text  string `json:"untrusted_text"`

	Heading words `json:"heading"`
	Columns words `json:"columns"`
	Caption words `json:"caption"`
}

type queryArgs struct {
	Question string `json:"question"`
}

type queryResult struct {
	Facts []struct {
		Text    string `json:"untrusted_text"`
		Sources []struct {
			URL   string `json:"url"`
			Title string `json:"untrusted_title"`
			Kept  bool   `json:"kept"`
		} `json:"sources"`
	} `json:"facts"`
}

// words are a text, or a list of them joined.
type words string

func (w *words) UnmarshalJSON(b []byte) error {
	var one string
	var list []string
	switch {
	case json.Unmarshal(b, &one) == nil:
		*w = words(one)
	case json.Unmarshal(b, &list) == nil:
		*w = words(strings.Join(list, " | "))
	}
	return nil
}

type corpusResult struct {
	Spans []span `json:"spans"`
}

type findingArgs struct {
	Claim       string `json:"claim"`
	Quote       string `json:"quote"`
	Span        string `json:"span"`
	Subquestion string `json:"subquestion"`
}

type findingResult struct {
	Finding string        `json:"finding"`
	Plan    []subquestion `json:"plan"`
}

// decode reads the JSON object of a tool's result. The line of the fence before it, and what follows it, are left alone.
func decode(content string, v any) bool {
	if rest, fenced := strings.CutPrefix(content, "[untrusted "); fenced {
		_, content, _ = strings.Cut(rest, "\n")
	}
	return json.NewDecoder(strings.NewReader(content)).Decode(v) == nil
}

// left are the counts of a budget line: [3 searches; 1 read; 2 steps left].
var left = lazyregexp.New(`\[((?:\d+ [a-z]+(?:; )?)+) left\]`)

// budgetLine reads what is left from the end of a tool's result, where page text cannot stand.
func budgetLine(content string) map[string]int {
	tail := content[max(0, len(content)-300):]
	if i := strings.LastIndexByte(tail, '}'); i >= 0 {
		tail = tail[i+1:]
	}
	all := left.FindAllStringSubmatch(tail, -1)
	if len(all) == 0 {
		return nil
	}
	counts := map[string]int{}
	for _, part := range strings.Split(all[len(all)-1][1], "; ") {
		number, what, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		switch {
		case strings.HasPrefix(what, "search"):
			counts["searches"] = n
		case strings.HasPrefix(what, "read"):
			counts["reads"] = n
		case strings.HasPrefix(what, "step"):
			counts["steps"] = n
		}
	}
	return counts
}
