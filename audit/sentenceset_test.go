package audit

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"ibid/internal/testset"
)

func TestSentencesOfManyKinds(t *testing.T) {
	for _, want := range [][]string{
		{"Smith et al. (2019) found none.", "Jones et al. Nature 2020 found two."},
		{"Use a tool, e.g. Go or Rust.", "It works."},
		{"See Fig. 3 and Figs. 4–6.", "Fig. 7 is new."},
		{"The letter is by J. R. R. Tolkien.", "He wrote it in 1937."},
		{"S. P. Balasubrahmanyam sang.", "So did H. P. Lovecraft."},
		{"It rose by 3.5 percent to 1.234,5.", "That is 0.4 more."},
		{"We waited... and waited.", "Then… nothing.", "So we left ...", "The end."},
		{"He said: “It is over.”", "She agreed (more or less).", "[It was late.]", "They slept."},
		{"He asked \"Why?\"", "Nobody knew."},
		{`Some call it "calm. "`, "Others do not."},
		{"It was made in the U.S.", "The rest came from Peru."},
		{"It is Bach vs. Händel.", "Roe v. Wade was decided (0.76 v. 0.58)."},
		{"Platform No. 5 is closed.", "The answer is no.", "It stays so."},
		{"It takes approx. 20 min. and then stops.", "Boil it for 10 min.", "Let it rest for 2 h.", "Serve."},
		{"It flows at 25 m/min.", "Immediately after it slows.", "The dose was 5 mg/d.", "Vitamin C was added."},
		{"1. Open the lid.", "2. Press the button.", "3. Wait."},
		{"これは本です。", "本当ですか？", "はい！", "「行きます。」", "终于到了。"},
		{"यह किताब है।", "यह अच्छी है।"},
		{"هل هذا صحيح؟", "نعم."},
		{"¿Qué hora es?", "¡Son las tres!", "Vamos."},
		{"El Sr. García vive en EE. UU. desde 1990.", "Trabaja p. ej. en casa."},
		{"Viele Tiere, z. B. Hunde, bellen.", "Das gilt auch, d. h. immer.", "Er mag z.B. Äpfel."},
		{"Der 3. Oktober ist ein Feiertag.", "Im 19. Jahrhundert war das anders.", "Am 12. März kam er."},
		{"Das kostet 16,86 Mio. Euro.", "Von 2,1 Mrd. Menschen leben 300 Tsd. Kinder dort.", "Es sind 3 Mio.", "Der Rest fehlt."},
		{"Es kostet ca. 5 Euro.", "Die Fa. Meier zahlt usw.", "Die Frist endet."},
		{"M. Dupont est venu.", "Mme Curie aussi."},
		{"Он родился в 1990 г. в Москве.", "Это т. е. давно."},
		{"Read https://go.dev/doc/go1.22.html?a=b.c for more.", "Open main.go, then v1.2.3-rc.1 of node.js.", "Done."},
		{"Yahoo! said so.", "Yahoo! Finance agreed.", "Wow!", "Great."},
		{"Dr. A. B. Weir met Prof. Hall at 5 p.m. on Mon. 3 May.", "He left at 6 p.m.", "The rest stayed."},
		{"She holds a Ph.D.", "She teaches at Halden Co. Ltd.", "The band of Sgt. Pepper Jr. played."},
		{"It binds HR.", "Mechanistically, this matters.", "We tested MS.", "Imaging followed."},
		{"Signals go through NF-κB.", "mTOR inhibits it.", "p53 does not.", "β-catenin may."},
		{"Rhys (d. 1093, b. c. 1020) was king.", "He fell."},
		{"Contents . . . . . . . . 3", "Next . . . . . . . . 5"},
		{"Zu ihrem 100. Geburtstag kam er.", "Es waren 100.", "Die Leute gingen."},
		{"It opens on Jan. 1 of next year.", "It fell in Jan.", "The rest stayed."},
		{"See request No. USCA-03-R-0045 of the office.", "It fell."},
		{"It belongs to Dell Publishing Co.", "Dell is a printer."},
		{"Beneath... Between... Beyond... is an album.", "It sold."},
		{"The college (known as T.M. Landry) is small."},
		{"Ken Markow (b. 1960) is a painter.", "He fell (c. 1990) ill."},
		{`He was in "Trot Lovers" (2014), "Cheer Up!" (2015) and more.`, `It is "done!"`, "(She left.)"},
		{`It wrote "Nihtes... Magikes" and more.`, `He said "It is... well" and left.`},
		{"We saw carcinoma (OSCC) and neoplasm (SIN).", "cDNA showed it [in all].", "mtDNA did (see e.g. p53) not."},
		{"Output of the array"},
	} {
		text := strings.Join(want, " ")
		if got := split(text); !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	if got := split("Costs\n\nThe costs rose.\nThey fell"); len(got) != 3 {
		t.Errorf("a heading without a stop: %q", got)
	}
}

// TestSentencesOfSets puts the sentences of documents, which were split by others, one after the other and finds them
// again. The three abstracts left out hold tables of contents, of whose rows of dots each is a sentence there.
func TestSentencesOfSets(t *testing.T) {
	for set, least := range map[string]float64{"scifact": 0.9905, "hotpot100s": 0.990} {
		f, err := os.Open(testset.Path(t, "data", "retrieval", set, "corpus.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		scan := bufio.NewScanner(f)
		scan.Buffer(nil, 1<<24)
		found, wrong, missed := 0, 0, 0
		for scan.Scan() {
			var d struct{ Sents []string }
			if err := json.Unmarshal(scan.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			d.Sents = slices.DeleteFunc(d.Sents, func(s string) bool { return strings.TrimSpace(s) == "" }) // no sentence
			text := strings.Join(d.Sents, " ")
			if strings.Contains(text, ". . . .") {
				continue
			}
			gold, at := map[int]bool{}, 0
			for _, s := range d.Sents[:max(0, len(d.Sents)-1)] {
				at += len(s) + 1
				gold[at] = true
			}
			missed += len(gold)
			for i, r := range Sentences(text) {
				switch {
				case i == 0:
				case gold[r.Start]:
					found, missed = found+1, missed-1
				default:
					wrong++
				}
			}
		}
		if err := scan.Err(); err != nil {
			t.Fatal(err)
		}
		f1 := 2 * float64(found) / float64(2*found+wrong+missed)
		t.Logf("%s: boundaries found %d, wrong %d, missed %d, F1 %.4f", set, found, wrong, missed, f1)
		if f1 < least {
			t.Errorf("%s: F1 %.4f, want at least %.3f", set, f1, least)
		}
	}
}
