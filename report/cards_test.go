package report

import (
	"encoding/json"
	"strings"
	"testing"

	"ibid/audit"
	"ibid/evidence"
)

// port is a run of which three sources state one thing, two of them in the same words, and a fourth was retracted.
func port(t testing.TB) Input {
	rec := audit.Record{Question: "What are the crane fees of Halden?", Spans: map[string][]evidence.Span{}, Cards: audit.CardsRequired,
		Facts: &audit.Facts{Run: "r-7", Searches: 1, Reads: 4, Steps: 5, Stop: "done", Queries: []string{"crane fees"}}}
	const story = "The port of Halden raised its crane fees by 4 percent in May, and shippers wrote to the tariff desk."
	s1 := addSource(t, &rec, evidence.HTML, "Fees rise", "https://coastaltimes.example/a", "para.1|"+story)
	s2 := addSource(t, &rec, evidence.HTML, "Fees rise", "https://evening.example/b", "para.1|"+story+" Advertisement")
	s3 := addSource(t, &rec, evidence.HTML, "Tariffs", "https://county.gov.example/c", "para.1|Crane fees of the Halden port were raised by 4 percent in May.", "para.2|The county has nine ports.")
	s4 := addSource(t, &rec, evidence.PDF, "RETRACTED: Freight of small harbours", "https://journal.example/d.pdf", "p.1|Small harbours lose a third of their freight when fees rise.")
	addSource(t, &rec, evidence.HTML, "Timetable", "https://halden.example/times", "para.1|Departures every 40 minutes from 06:10.")
	const claim = "The port of Halden raised its crane fees by 4 percent in May."
	addFinding(t, &rec, s1, "para.1", claim, story, "fees")
	addFinding(t, &rec, s4, "p.1", "Small harbours lose a third of their freight when fees rise.", "Small harbours lose a third of their freight when fees rise.", "freight")
	addFinding(t, &rec, s2, "para.1", claim, story, "fees")
	addFinding(t, &rec, s3, "para.1", claim, "Crane fees of the Halden port were raised by 4 percent in May.", "fees")
	return Input{Record: rec, Sections: []Section{{"What do cranes cost?", []string{"F1", "F3", "F4"}}, {"What do fees do?", []string{"F2"}}}}
}

func TestCorroborationIsShown(t *testing.T) {
	in := port(t)
	md := string(Assemble(in))
	if r := audit.Report([]byte(md), in.Record); !r.OK {
		t.Fatalf("%s\n%s", blocks(r), md)
	}
	for _, want := range []string{"Stated by 3 sources, 2 of them independent [S1 para.1; S2 para.1; S3 para.1].", "S4 is retracted.", "(html, news, sha256", "(html, official, sha256", "(pdf, unknown, retracted, sha256", "(html, primary, read, not cited"} {
		if strings.Count(md, want) != 1 {
			t.Errorf("%q stands %d times in\n%s", want, strings.Count(md, want), md)
		}
	}
	if n := strings.Count(md, "raised its crane fees by 4 percent in May [S"); n != 2 { // summary and section
		t.Errorf("the claim stands %d times:\n%s", n, md)
	}
	draft, err := Compose("Fees rose by 4 percent in May, says the port of Halden [F1]. Small harbours lose a third of their freight when fees rise [F2].", in)
	if err != nil || !strings.Contains(string(draft), "S4 is retracted.") {
		t.Errorf("a draft does not say it: %v\n%s", err, draft)
	}
	in.Record.Cards = audit.CardsIgnored
	for _, no := range []string{"Stated by", "retracted.", "official"} {
		if before := string(Assemble(in)); strings.Contains(before, no) {
			t.Errorf("a report of before has %q:\n%s", no, before)
		}
	}
}

// TestRanked: of what says the same the official source is told first, what was taken back last, and a class that is not known
// is not named.
func TestRanked(t *testing.T) {
	in := port(t)
	in.Sections = []Section{{"What do cranes and fees cost?", []string{"F2", "F1", "F3", "F4"}}}
	before := string(Assemble(in))
	in.Ranked = true
	md := string(Assemble(in))
	if r := audit.Report([]byte(md), in.Record); !r.OK {
		t.Fatalf("%s\n%s", blocks(r), md)
	}
	_, section, _ := strings.Cut(md, "## What do cranes")
	at := func(text, words string) int {
		i := strings.Index(text, words)
		if i < 0 {
			t.Errorf("%q is not in\n%s", words, text)
		}
		return i
	}
	if official, paper := at(section, "May [S3 para.1]"), at(section, "[S4 p.1]"); official > paper {
		t.Errorf("what was retracted comes first:\n%s", section)
	}
	if at(section, "Crane fees of the Halden port were raised") > at(section, "and shippers wrote to the tariff desk") {
		t.Errorf("the official source comes behind a newspaper:\n%s", section)
	}
	if _, old, _ := strings.Cut(before, "## What do cranes"); at(old, "[S4 p.1]") > at(old, "May [S1 para.1]") {
		t.Errorf("a run of before is ranked:\n%s", old)
	}
	at(md, "(pdf, retracted, sha256")
	if strings.Contains(md, "unknown") || !strings.Contains(before, "(pdf, unknown, retracted, sha256") {
		t.Errorf("classes:\n%s", md)
	}
	if r := audit.Report([]byte(strings.Replace(md, "(pdf, retracted, ", "(pdf, ", 1)), in.Record); r.OK {
		t.Error("a status is left out, and the report passes")
	}
}

// Whatever a report says of its sources is held against their record.
func TestForgedStanding(t *testing.T) {
	in := port(t)
	md := string(Assemble(in))
	for name, forged := range map[string]func(string) string{
		"a higher count":    swap("2 of them independent", "3 of them independent"),
		"all independent":   swap("Stated by 3 sources, 2 of them independent", "Stated by 3 independent sources"),
		"more sources":      swap("Stated by 3 sources", "Stated by 5 sources"),
		"a source less":     swap("[S1 para.1; S2 para.1; S3 para.1]", "[S1 para.1; S3 para.1]"),
		"another thing":     swap("[S1 para.1; S2 para.1; S3 para.1]", "[S1 para.1; S2 para.1; S4 p.1]"),
		"retracted dropped": swap("(pdf, unknown, retracted,", "(pdf, unknown,"),
		"another class":     swap("(pdf, unknown, retracted,", "(pdf, scholarly, retracted,"),
		"no class":          swap("(html, official, ", "(html, "),
		"no class at all": func(md string) string {
			return strings.NewReplacer(", official", "", ", news", "", ", unknown", "", ", retracted", "").Replace(md)
		},
		"another status":      swap("(html, official, ", "(html, official, corrected, "),
		"retracted of others": swap("S4 is retracted.", "S3 is retracted."),
	} {
		if r := audit.Report([]byte(forged(md)), in.Record); r.OK {
			t.Errorf("%s passes", name)
		}
	}
}

// The machine form holds cards and clusters, and they are made again when it is checked.
func TestCardsInJSON(t *testing.T) {
	in := port(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, data)
	b, err := ParseJSON(data)
	if err != nil || len(b.Cards) != 5 || len(b.Clusters) != 4 || len(b.Corroborated) != 1 || len(b.Corroborated[0].Origins) != 2 {
		t.Fatalf("%v: %+v", err, b)
	}
	if r := b.Verify(); !r.OK {
		t.Fatal(blocks(r))
	}
	again, err := b.JSON()
	if err != nil || string(again) != string(data) {
		t.Errorf("read and written again it is another (%v)", err)
	}
	for _, forged := range [][2]string{{`"official"`, `"scholarly"`}, {`"same_text"`, `"same_publisher"`}, {`"value": "retracted"`, `"value": "corrected"`}, {`"F3",`, ""}} {
		bad := strings.Replace(string(data), forged[0], forged[1], 1)
		if forged[0] == `"F3",` {
			at := strings.Index(string(data), `"corroborated"`)
			bad = string(data)[:at] + strings.Replace(string(data)[at:], forged[0], forged[1], 1)
		}
		if r, err := VerifyJSON([]byte(bad)); bad == string(data) || err != nil || r.OK {
			t.Errorf("%s for %s: %v, passes %v", forged[1], forged[0], err, r.OK)
		}
	}
	var bare map[string]any
	if err := json.Unmarshal(data, &bare); err != nil {
		t.Fatal(err)
	}
	delete(bare, "cards")
	data, _ = json.Marshal(bare)
	if r, err := VerifyJSON(data); err != nil || !r.OK {
		t.Errorf("without cards, as of before: %v %s", err, blocks(r))
	}
}

// A finding that a person rejected corroborates nothing.
func TestRejectedFindingsDoNotCount(t *testing.T) {
	in := port(t)
	data, err := JSON(Assemble(in), in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Again(Changes{Rejected: map[string]string{"F3": "a copy"}, Imprints: true})
	if err != nil || !again.Verify().OK {
		t.Fatalf("%v %s", err, blocks(again.Verify()))
	}
	if !strings.Contains(again.Report, "Stated by 2 independent sources [S1 para.1; S3 para.1].") {
		t.Error(again.Report)
	}
}
