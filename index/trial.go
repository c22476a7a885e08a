package index

import (
	"context"
	"fmt"
	"slices"
)

// What a model has to show before its list counts.
const (
	probePass    = 0.75 // of the pairs without a common word
	titlePass    = 0.93 // of what words alone reach in finding documents by their titles
	titleSample  = 150  // documents that are looked for
	titlesNeeded = 30   // with fewer the pairs alone decide
)

// A Trial is what a model showed. Its list is fused only if it passed: a weak one costs more than a good one gains.
type Trial struct {
	Pairs          float64 // share of questions whose answer, which has no word of it, came first among all answers
	Titles         int     // documents that were looked for by their titles, among all
	Meaning, Words float64 // mean reciprocal rank of these documents without their titles: by meaning, by words
}

// Passed says whether the model may take part.
func (t Trial) Passed() bool {
	return t.Pairs >= probePass && (t.Titles < titlesNeeded || t.Meaning >= titlePass*t.Words)
}

func (t Trial) String() string {
	s := fmt.Sprintf("of %d questions and answers without a common word it joins %.0f %%", len(probe), 100*t.Pairs)
	if t.Titles > 0 {
		s += fmt.Sprintf("; it finds documents by their titles at %.2f where words do at %.2f", t.Meaning, t.Words)
	}
	return s
}

// Try puts the model to the proof, and returns what that took. First it has to join questions with answers that share no
// word: what only counts words, by hashing or by a decomposition of the very texts, cannot. Then it has to find documents
// of this set by their titles, the titles taken out of them, nearly as well as words do: a model that does not know the
// language or the field cannot.
func (m *Meaning) Try(ctx context.Context) (t Trial, tokens int64, err error) {
	if t.Pairs, tokens, err = m.tryPairs(ctx); err != nil || t.Pairs < probePass {
		return t, tokens, err
	}
	n, err := m.tryTitles(ctx, &t)
	return t, tokens + n, err
}

// tryTitles looks for documents by their titles, among all documents, once by meaning and once by words.
func (m *Meaning) tryTitles(ctx context.Context, t *Trial) (tokens int64, err error) {
	sample := m.titled()
	bodies := New(Config{Plain: true})
	for _, it := range m.openings {
		bodies.Add(Item{Key: it.Key, Body: it.Body})
	}
	m.openings = nil
	var titles, texts []string
	for _, it := range sample {
		titles, texts = append(titles, m.config.QueryPrefix+it.Title), append(texts, m.config.TextPrefix+it.Body)
	}
	asked, tokens, err := m.embed(ctx, titles)
	if err != nil {
		return tokens, err
	}
	bare, n, err := m.embed(ctx, texts)
	if tokens += n; err != nil {
		return tokens, err
	}
	for i, it := range sample {
		own, better := cosine(asked[i], bare[i]), 1
		for _, e := range m.entries {
			if e.key != it.Key && cosine(asked[i], e.vector) > own {
				better++
			}
		}
		t.Meaning += 1 / float64(better)
		hits := bodies.Search(it.Title, candidateCount)
		if rank := slices.IndexFunc(hits, func(h Hit) bool { return h.Key == it.Key }); rank >= 0 {
			t.Words += 1 / float64(rank+1)
		}
	}
	if t.Titles = len(sample); t.Titles > 0 {
		t.Meaning, t.Words = t.Meaning/float64(t.Titles), t.Words/float64(t.Titles)
	}
	return tokens, nil
}

// titled picks items that have a title and a text, evenly over all of them, whatever order they came in.
func (m *Meaning) titled() (sample []Item) {
	var all []Item
	for _, it := range m.openings {
		if it.Title != "" && it.Body != "" {
			all = append(all, it)
		}
	}
	slices.SortFunc(all, func(a, b Item) int { return compareKeys(a.Key, b.Key) })
	for i := range min(len(all), titleSample) {
		sample = append(sample, all[i*len(all)/min(len(all), titleSample)])
	}
	return sample
}

func (m *Meaning) tryPairs(ctx context.Context) (share float64, tokens int64, err error) {
	var questions, answers []string
	for _, p := range probe {
		questions, answers = append(questions, m.config.QueryPrefix+p[0]), append(answers, m.config.TextPrefix+p[1])
	}
	q, tokens, err := m.embed(ctx, questions)
	if err != nil {
		return 0, tokens, err
	}
	a, n, err := m.embed(ctx, answers)
	if tokens += n; err != nil {
		return 0, tokens, err
	}
	right := 0
	for i := range q {
		best := 0
		for j := range a {
			if cosine(q[i], a[j]) > cosine(q[i], a[best]) {
				best = j
			}
		}
		if best == i {
			right++
		}
	}
	return float64(right) / float64(len(probe)), tokens, nil
}

// probe is questions and answers in other words.
var probe = [][2]string{
	{"Which car is cheapest to run?", "Automobiles with small engines burn the least petrol."},
	{"How do I get rid of a cold?", "Rest and hot tea help against a runny nose and coughing."},
	{"What do cats eat?", "Felines live on mice, birds and tinned fish."},
	{"Why is the sea salty?", "Rivers carry dissolved minerals into the ocean, where they stay."},
	{"Who runs the country?", "The prime minister leads the government."},
	{"When do the shops open?", "Stores unlock their doors at nine in the morning."},
	{"How tall is the highest mountain?", "The summit of Everest lies 8,849 metres above sea level."},
	{"Is smoking bad for you?", "Tobacco causes lung cancer and heart disease."},
	{"How can I learn to play music?", "Take lessons on the piano and practise every day."},
	{"What makes bread rise?", "Yeast gives off gas, which lifts the dough."},
	{"How do planes stay in the air?", "Wings of an aircraft produce lift as it flies."},
	{"Where do penguins live?", "These flightless birds breed on the ice of Antarctica."},
	{"How is money made?", "Coins are minted, and banknotes are printed by the central bank."},
	{"Why did the company fire its staff?", "The firm laid off hundreds of employees because sales collapsed."},
	{"How do doctors treat a broken leg?", "The surgeon sets the fractured bone and puts it in plaster."},
	{"What is the weather like tomorrow?", "Rain is forecast, with strong winds from the west."},
	{"How do computers remember things?", "Data are stored in RAM and on disks."},
	{"Which language is spoken in Brazil?", "South America's largest nation talks Portuguese."},
	{"How do plants feed themselves?", "Leaves turn sunlight and carbon dioxide into sugar."},
	{"What happens when you don't sleep?", "Tired people lose concentration after a night awake."},
	{"How do I stop a child from crying?", "Hold the baby close and sing softly until it calms down."},
	{"Why are whales hunted?", "Fishermen killed these marine mammals for their oil and meat."},
	{"Who painted the ceiling of the chapel?", "Michelangelo worked on the frescoes in Rome for four years."},
	{"How fast does light travel?", "Photons move at about 300,000 kilometres per second."},
}
