package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const rolling = `WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.310 align:start position:0%
 
the<00:00:00.480><c> tide</c><00:00:00.800><c> was</c>

00:00:02.310 --> 00:00:02.320 align:start position:0%
the tide was
 

00:00:02.320 --> 00:00:05.110 align:start position:0%
the tide was
no<00:00:02.560><c> no</c><00:00:02.800><c> no</c>

00:00:05.110 --> 00:00:05.120 align:start position:0%
no no no
 

00:00:05.120 --> 00:00:08.000 align:start position:0%
no no no
no<00:00:05.400><c> higher</c><00:00:05.700><c> than</c><00:00:06.000><c> four</c>

00:00:35.000 --> 00:00:38.000 align:start position:0%
 
next<00:00:36.000><c> window</c>
`

func TestTranscripts(t *testing.T) {
	for _, c := range []struct{ name, url, body, want string }{
		{"rolling captions say each word once", "https://a.example/talk.vtt", rolling, "t=00:00 the tide was no no no no higher than four\nt=00:35 next window"},
		{"plain WebVTT", "https://a.example/x.vtt", "WEBVTT\n\nNOTE a remark\n\nid-1\n00:16.000 --> 00:18.000\n<v Guide>Mind &amp; heed\nthe gap.\n\n00:50.000 --> 00:51.000\nYes.\n\n01:00:50.000 --> 01:00:51.000\nLate.",
			"t=00:16 Mind & heed the gap.\nt=00:50 Yes.\nt=1:00:50 Late."},
		{"blank lines in a cue", "https://a.example/x.srt", "1\n00:00:01,000 --> 00:00:02,000\n\nThe pier\n\nopens\n\n2\n00:00:03,000 --> 00:00:04,000\nat\n\n7\n\nthree\n00:00:05,000 --> 00:00:06,000\nsharp.\n\n4\n",
			"t=00:01 The pier opens at 7 sharp."},
		{"a refrain is said again", "https://a.example/x.srt", "1\n00:00:01,000 --> 00:00:02,000\nRow\n\n2\n00:00:03,000 --> 00:00:04,000\nRow\n\n3\n00:00:05,000 --> 00:00:06,000\n{\\an8}<i>Your boat</i>\n\n4\n00:00:08,000 --> 00:00:09,000\nGently\n\n5\n00:00:18,000 --> 00:00:19,000\nDown\n",
			"t=00:01 Row Row Your boat Gently Down"},
		{"list in JSON", "https://a.example/x.json", `[{"start":0.16,"duration":2,"text":"it&#39;s late"},{"start":31.2,"text":"<b>two</b>\nlines"}]`, "t=00:00 it's late\nt=00:31 two lines"},
		{"segments in JSON", "https://a.example/x.json", `{"segments":[{"start":4,"end":5,"text":" Hello."}]}`, "t=00:04 Hello."},
		{"json3", "https://a.example/x.json", `{"wireMagic":"pb3","events":[{"tStartMs":0,"dDurationMs":900000,"id":1},{"tStartMs":160,"dDurationMs":2000,"segs":[{"utf8":"good"},{"utf8":" morning","tOffsetMs":300}]},{"tStartMs":2160,"aAppend":1,"segs":[{"utf8":"\n"}]},{"tStartMs":2200,"segs":[{"utf8":"all"}]}]}`,
			"t=00:00 good morning all"},
		{"out of order", "https://a.example/x.vtt", "WEBVTT\n\n00:40.000 --> 00:41.000\nsecond\n\n00:01.000 --> 00:02.000\nfirst\n", "t=00:01 first\nt=00:40 second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, b := range read(t, c.url, "", c.body).Blocks {
				got = append(got, b.Locator.String()+" "+b.Text)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestTranscriptMarks(t *testing.T) {
	b := read(t, "https://a.example/talk.vtt", "", rolling).Blocks[0]
	for phrase, want := range map[string]string{"the tide": "t=00:00", "no no no": "t=00:02", "than four": "t=00:05"} {
		if got := b.At(strings.Index(b.Text, phrase)).String(); got != want {
			t.Errorf("%q is said at %s, want %s", phrase, got, want)
		}
	}
}

// Every window is at least thirty seconds from the one before, and no cue is lost.
func TestTranscriptWindows(t *testing.T) {
	var vtt strings.Builder
	vtt.WriteString("WEBVTT\n")
	for i := range 500 {
		fmt.Fprintf(&vtt, "\n%02d:%02d.500 --> %02d:%02d.000\nword%d\n", i*7/60, i*7%60, i*7/60+1, i*7%60, i)
	}
	p := read(t, "https://a.example/x.vtt", "", vtt.String())
	for i := 1; i < len(p.Blocks); i++ {
		if gap := p.Blocks[i].Locator.A - p.Blocks[i-1].Locator.A; gap < window || gap >= window+7 {
			t.Errorf("%s begins %d s after %s", p.Blocks[i].Locator, gap, p.Blocks[i-1].Locator)
		}
	}
	if n := len(strings.Fields(quotable(p))); n != 500 {
		t.Errorf("%d words of 500", n)
	}
}

func TestTimedText(t *testing.T) {
	for name, c := range map[string]struct{ body, want, language string }{
		"TTML": {`<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" ttp:frameRate="25" ttp:tickRate="10" xml:lang="de">
			<head><metadata><ttm:agent xml:id="a"><ttm:name>Ada</ttm:name></ttm:agent></metadata></head><body begin="1s"><div>
			<p begin="00:00:01.500" end="00:00:03" ttm:agent="a">Mind the<br/>gap <span>at low</span> tide.<span tts:display="none" xmlns:tts="http://www.w3.org/ns/ttml#styling">Never.</span></p><p begin="00:00:40:12" dur="2s">Frames.</p><p begin="500t">Ticks.</p><p begin="1.5h">Late.</p><p begin="soon">Never.</p></div></body></tt>`,
			"t=00:02 Mind the gap at low tide.\nt=00:41 Frames. Ticks.\nt=1:30:01 Late.", "de"},
		"spans":                  {`<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p><span begin="1s">One</span> <span begin="31s">two</span></p></div></body></tt>`, "t=00:01 One\nt=00:31 two", ""},
		"first form of YouTube":  {`<?xml version="1.0"?><transcript><text start="0.16" dur="2.1">it&amp;#39;s late</text><text start="31.2" dur="1">two</text></transcript>`, "t=00:00 it's late\nt=00:31 two", ""},
		"second form of YouTube": {`<?xml version="1.0"?><timedtext format="3"><body><p t="160" d="2000"><s>good</s><s t="300"> morning</s></p><p t="31000" d="1000">all</p></body></timedtext>`, "t=00:00 good morning\nt=00:31 all", ""},
		"SBV":                    {"0:00:01.000,0:00:03.000\nMind\nthe gap, 10:30.5,11:45.2 is a time.\n\n0:01:00.000,0:01:02.000\nYes.\n", "t=00:01 Mind the gap, 10:30.5,11:45.2 is a time.\nt=01:00 Yes.", ""},
		"times without zeros":    {"WEBVTT\n\n0:0:0.0 --> 0:0:3.540\nHi.\n\n0:1:5.2 --> 0:1:7.950\nThere.\n", "t=00:00 Hi.\nt=01:05 There.", ""},
	} {
		p := read(t, "https://a.example/x", "", c.body)
		if got := strings.Join(placed(p), "\n"); got != c.want || p.Language != c.language {
			t.Errorf("%s: language %q, -want +got\n%s", name, p.Language, cmp.Diff(c.want, got))
		}
	}
}

// The heading of a window is its chapter, else those who speak in it. A chapter begins a window.
func TestTranscriptHeadings(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"speakers of WebVTT": {"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada L.>Hello.\n\n00:03.000 --> 00:04.000\n<v.loud Ben>Hi.</v>\n\n00:05.000 --> 00:06.000\n<v Ada L.>So.\n\n00:40.000 --> 00:41.000\n<v Ben>Bye.\n",
			"t=00:01 [Ada L., Ben] Hello. Hi. So.\nt=00:40 [Ben] Bye."},
		"podcast": {`{"segments":[{"speaker":"Ada","startTime":0.5,"endTime":1,"body":"Hello."},{"speaker":"Ben","startTime":31,"body":"Hi."}]}`, "t=00:00 [Ada] Hello.\nt=00:31 [Ben] Hi."},
		"chapters": {`{"chapters":[{"startTime":0,"title":"Tides"},{"startTime":12,"title":"Piers"}],"segments":[{"start":0,"text":"One."},{"start":5,"text":"Two."},{"start":12.5,"text":"Three."},{"start":20,"text":"Four."}]}`,
			"t=00:00 [Tides] One. Two.\nt=00:12 [Piers] Three. Four."},
		"chapters alone": {`{"version":"1.2.0","chapters":[{"startTime":0,"title":"Tides"},{"startTime":75,"title":"Piers"}]}`, "t=00:00 [] Tides\nt=01:15 [] Piers"},
	} {
		var got []string
		for _, b := range read(t, "https://a.example/x", "", c.body).Blocks {
			got = append(got, b.Locator.String()+" ["+b.Heading+"] "+b.Text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
