package report

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ibid/audit"
	"ibid/evidence"
)

func TestCompute(t *testing.T) {
	in := ferry(t)
	for _, c := range []struct{ draft, want string }{
		{"The county puts the cost {compute: F1:14.2 - F2} lower [F1, F2].",
			"The county puts the cost 1.1 million lower (computed: 14.2 million − 13.1 million = 1.1 million, from [S1 para.2; S5 para.1])."},
		{"Cancelled departures fell by {compute: round(fall(F5:46, F5:12), 0)} from the first winter to the second. Two caveats apply.",
			"Cancelled departures fell by 74 percent from the first winter to the second (computed: (46 − 12) ÷ 46 ≈ 74 percent, from [S1 para.3]). Two caveats apply."},
		{"Masts of the second type lasted {compute: F6:310 / F6:140} times as many dock calls [F6], the auditors found [F7].",
			"Masts of the second type lasted 2.21 times as many dock calls [S2 p.4], the auditors found (computed: 310 ÷ 140 ≈ 2.21, from [S2 p.4]) [S2 p.5]."},
		{"- The cost was about {compute: F1:11} over the budget\n- Two caveats apply.",
			"- The cost was about 11 percent over the budget (computed: 11 percent = about 11 percent, from [S1 para.2])\n- Two caveats apply."},
		{"| Mast | Median calls |\n|---|---|\n| second type, in parts of the first | {compute: percent(F6:310/F6:140)} |",
			"| second type, in parts of the first | 221.4 percent (computed: 310 ÷ 140 ≈ 221.4 percent, from [S2 p.4]) |"},
		{"The line cost {compute: F1:14.2 - F1:12.8} more than its\nbudget of 12.8 million crowns.",
			"The line cost 1.4 million more than its\nbudget of 12.8 million crowns (computed: 14.2 million − 12.8 million = 1.4 million, from [S1 para.2])."},
	} {
		md, err := Compose("## Summary\n\n"+c.draft+"\n", in)
		if err != nil {
			t.Errorf("%s: %v", c.draft, err)
			continue
		}
		if !strings.Contains(string(md), c.want) {
			t.Errorf("%s gives\n%s\nwant %s", c.draft, md, c.want)
			continue
		}
		if r := audit.Report(md, in.Record); !r.OK || r.Computed != 1 {
			t.Errorf("%s: %d computed\n%s", c.want, r.Computed, blocks(r))
		}
	}
}

func TestComputeRefuses(t *testing.T) {
	for _, c := range []struct{ draft, says string }{
		{"It fell {compute: F9 - F1}.", "no finding F9"},
		{"It fell {compute: F1 - F2}.", "14.2 million; two years; 11 percent; 12.8 million"},
		{"It fell {compute: F2 - F4}.", "time"},
		{"It fell {compute: 14.2 - 13.1}.", "typed"},
		{"It fell {compute: F1:15.2 - F2}.", `no figure "15.2"`},
		{"It fell {compute: }.", "ends where"},
		{"It fell {compute F1 - F2}.", "{compute: F1 - F2}"},
		{"It fell {compute: F5:46\n- F5:12}.", "on one line"},
		{"It fell {compute: fall(F5:46, F5:12)} percent.", "Leave it out"},
		{"It cost {compute: F1:14.2 - F2} million crowns.", "Leave it out"},
	} {
		_, err := Compose(c.draft, ferry(t))
		var bad *DraftError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a DraftError that says %q", c.draft, err, c.says)
		}
	}
}

// TestComputedKinds: what may be of two kinds is added up, and flagged.
func TestComputedKinds(t *testing.T) {
	in := ferry(t)
	md, err := Compose("The cost and the calls are {compute: F1:14.2 + F6:310} together.\n", in)
	if err != nil {
		t.Fatal(err)
	}
	r := audit.Report(md, in.Record)
	if !slices.ContainsFunc(r.Failures, func(f audit.Failure) bool { return f.Code == audit.FigureDerived && f.Severity == audit.Flag }) {
		t.Errorf("%s\n%s", blocks(r), md)
	}
}

// computedDraft has two computations, of one finding and of two.
const computedDraft = `## Summary

The county puts the cost {compute: F1:14.2 - F2} lower than the operator does. Cancelled departures fell by {compute: fall(F5:46, F5:12)} from the first winter to the second.

`

// TestComputedForgeries: what is changed in a computation of a finished report is noticed, each thing by its code.
func TestComputedForgeries(t *testing.T) {
	in := ferry(t)
	made, err := Compose(computedDraft, in)
	if err != nil {
		t.Fatal(err)
	}
	clean := string(made)
	clean = clean[:strings.Index(clean, "## How")]
	if r := audit.Report(made, in.Record); !r.OK || r.Computed != 2 {
		t.Fatalf("%s\n%s", blocks(r), clean)
	}
	for _, f := range []struct {
		name, old, forged string
		want              audit.Code
	}{
		{"result in the sentence", "the cost 1.1 million", "the cost 1.2 million", audit.DerivedWrong},
		{"result in the note", "= 1.1 million", "= 1.2 million", audit.DerivedWrong},
		{"both results", "1.1 million", "1.2 million", audit.DerivedWrong},
		{"scale of the result", "1.1 million", "1.1 billion", audit.DerivedWrong},
		{"rounded result said to be exact", "≈ 73.9", "= 73.9", audit.DerivedWrong},
		{"operand", "14.2 million − 13.1", "14.3 million − 13.1", audit.OperandAbsent},
		{"operand of another finding", "14.2 million − 13.1", "310 − 13.1", audit.OperandUncited},
		{"other figure of the quote", "14.2 million − 13.1", "12.8 million − 13.1", audit.MalformedComp},
		{"operands turned round", "(46 − 12) ÷ 46", "(12 − 46) ÷ 46", audit.MalformedComp},
		{"other base", "(46 − 12) ÷ 46", "(46 − 12) ÷ 12", audit.DerivedWrong},
		{"operator", "14.2 million − 13.1", "14.2 million + 13.1", audit.DerivedWrong},
		{"typed constant", "14.2 million − 13.1 million", "14.2 million − 13.1 million − 1", audit.MalformedComp},
		{"no citation", ", from [S1 para.2; S5 para.1])", ")", audit.UncitedClaim},
		{"one citation missing", "[S1 para.2; S5 para.1]", "[S1 para.2]", audit.OperandUncited},
		{"citation that gives nothing", "from [S1 para.3]", "from [S1 para.3; S2 p.4]", audit.ClaimMismatch},
		{"not recorded citation", "from [S1 para.3]", "from [S1 para.4]", audit.Unrecorded},
		{"other direction", "departures fell by", "departures rose by", audit.DerivedWrong},
		{"unit", "73.9 percent", "73.9 days", audit.DerivedWrong},
		{"no result", " = 1.1 million,", ",", audit.MalformedComp},
		{"no expression", "14.2 million − 13.1 million =", "=", audit.MalformedComp},
		{"other word", "(computed: 14.2", "(calculated: 14.2", audit.MalformedComp},
		{"open bracket", "S5 para.1])", "S5 para.1]", audit.MalformedComp},
		{"in code", "(computed: 14.2 million − 13.1 million = 1.1 million,", "`(computed: 14.2 million − 13.1 million = 1.1 million`,", audit.MalformedComp},
	} {
		md := strings.ReplaceAll(clean, f.old, f.forged)
		if md == clean {
			t.Errorf("%s: %q is not there:\n%s", f.name, f.old, clean)
		}
		r := audit.Fragment([]byte(md), in.Record)
		found := false
		for _, x := range r.Failures {
			found = found || x.Code == f.want && x.Severity == audit.Block
		}
		if !found {
			t.Errorf("%s: want %s to block, got:\n%s", f.name, f.want, blocks(r))
		}
	}
}

// TestComputedDigits: any single digit changed in a computed sentence is caught.
func TestComputedDigits(t *testing.T) {
	in := ferry(t)
	made, err := Compose(computedDraft, in)
	if err != nil {
		t.Fatal(err)
	}
	said := made[bytes.Index(made, []byte("The county puts")):bytes.Index(made, []byte("## How"))]
	said = said[:bytes.IndexByte(said, '\n')+1]
	if r := audit.Fragment(said, in.Record); !r.OK || r.Computed != 2 {
		t.Fatalf("%s\n%s", blocks(r), said)
	}
	for i := range said {
		if said[i] < '0' || said[i] > '9' {
			continue
		}
		for _, step := range []byte{1, 4, 7} {
			forged := bytes.Clone(said)
			if forged[i] = '0' + (said[i]-'0'+step)%10; audit.Fragment(forged, in.Record).OK {
				t.Errorf("%s passes", forged)
			}
		}
	}
}

// TestComputedJSON: the machine form lists what was computed, and a list of other computations is noticed.
func TestComputedJSON(t *testing.T) {
	in := ferry(t)
	made, err := Compose(computedDraft, in)
	if err != nil {
		t.Fatal(err)
	}
	data, err := JSON(made, in)
	if err != nil {
		t.Fatal(err)
	}
	valid(t, data)
	b, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []audit.Computation{
		{Expression: "14.2 million − 13.1 million", Operands: []audit.Operand{{Finding: "F1", Figure: "14.2 million"}, {Finding: "F2", Figure: "13.1 million"}}, Result: "1.1 million", Exact: true},
		{Expression: "(46 − 12) ÷ 46", Operands: []audit.Operand{{Finding: "F5", Figure: "46"}, {Finding: "F5", Figure: "12"}, {Finding: "F5", Figure: "46"}}, Result: "73.9 percent"},
	}
	if !reflect.DeepEqual(b.Computations, want) {
		t.Errorf("%+v", b.Computations)
	}
	if r := b.Verify(); !r.OK {
		t.Error(blocks(r))
	}
	for name, forge := range map[string]func(*Bundle){
		"another finding": func(b *Bundle) { b.Computations[0].Operands[1].Finding = "F3" },
		"another result":  func(b *Bundle) { b.Computations[0].Result = "1.2 million" },
		"one fewer":       func(b *Bundle) { b.Computations = b.Computations[:1] },
		"none":            func(b *Bundle) { b.Computations = nil },
	} {
		f, err := ParseJSON(data)
		if err != nil {
			t.Fatal(err)
		}
		forge(&f)
		if r := f.Verify(); r.OK || r.Failures[len(r.Failures)-1].Code != audit.DerivedWrong {
			t.Errorf("%s passes", name)
		}
	}
	if b, err = b.Again(Changes{Rejected: map[string]string{"F1": "old"}}); err != nil || len(b.Computations) != 0 || !b.Verify().OK {
		t.Errorf("without a finding that it computes with: %+v, %v", b.Computations, err)
	}
}

// TestSourceDeclaresNothing: what a source says in the form of a computation is its text, and computes nothing.
func TestSourceDeclaresNothing(t *testing.T) {
	in := ferry(t)
	const said = "The port took 9 million (computed: 4 − 3 = 1, from [S1 para.2])."
	id := addSource(t, &in.Record, evidence.HTML, "Port (computed: 1 − 1 = 0, from [S1 para.1])", "https://port.example/", "para.1|"+said)
	addFinding(t, &in.Record, id, "para.1", said, said, "cost")
	in.Sections[0].Findings = append(in.Sections[0].Findings, in.Record.Findings[len(in.Record.Findings)-1].ID)
	md := Assemble(in)
	if r := audit.Report(md, in.Record); !r.OK || r.Computed != 0 {
		t.Errorf("%d computed\n%s\n%s", r.Computed, blocks(r), md)
	}
}
