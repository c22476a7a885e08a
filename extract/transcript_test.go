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
