package index

import (
	"encoding/json"
	"ibid/internal/testset"
	"os"
	"testing"
)

func TestSameQuery(t *testing.T) {
	same := [][2]string{
		{"cost of running agents", "running agents: the cost"},
		{"What makes agent runs expensive?", "what makes an agent run expensive"},
		{"how do I cache prompts", "How to cache a prompt?"},
		{"prompt caching guide", "prompt caching"},
		{"Please explain prompt caching", "prompt caching explained"},
		{"kafka vs rabbitmq", "RabbitMQ versus Kafka"},
		{"compare Kafka and RabbitMQ latency", "compare RabbitMQ and Kafka latency"},
		{"ulcers caused by aspirin", "does aspirin cause ulcers"},
		{"imports from Norway to Estonia", "imports to Estonia from Norway"},
		{"is kafka faster than rabbitmq", "kafka faster than rabbitmq?"},
		{"café opening hours", "cafe opening hours"},
		{"revenue of 6,814,000 in 2023", "revenue of 6814000 in 2023"},
		{"main causes of the war", "war main causes"},
		{"doesn't aspirin cause ulcers", "does aspirin not cause ulcers"},
		{"token cost growth in long running multi agent research systems", "token cost growth in long running multi agent research systems today"},
		{"夜班 码头", "码头 夜班"},
		{"effects of climate change on coral reefs", "climate change effects on coral reefs"},
		{"what causes inflation", "inflation causes"},
		{"author of war and peace", "war and peace author"},
		{"grid losses 2024", "2024 losses grid"},
		{"weather in Oslo", "weather for Oslo"},
		{"countries without an army", "without army countries"},
		{"wars between russia and ukraine", "wars between ukraine and russia"},
		{"heat-pump efficiency", "efficiency heat pump"},
		{"tidal power in 2024", "2024 tidal power"},
		{"can't dogs eat grapes", "can dogs not eat grapes"},
		{"население москвы", "москвы население"},
		{"", "  "},
		{"the who", "The Who"},
		{"?", "?"},
	}
	distinct := [][2]string{
		{"halden port revenue 2023", "halden port revenue"},
		{"gpt 4 pricing", "gpt 4.1 pricing"},
		{"go 1.25 release notes", "go 1.26 release notes"},
		{"world war ii tanks", "world war iii tanks"},
		{"vitamin b deficiency", "vitamin d deficiency"},
		{"C memory model", "C++ memory model"},
		{"who built the bridge", "when was the bridge built"},
		{"why was the bridge built", "when was the bridge built"},
		{"how many bridges in halden", "how old are the bridges in halden"},
		{"advantages of caching", "drawbacks of caching"},
		{"pros of remote work", "cons of remote work"},
		{"increase in crane fees", "decrease in crane fees"},
		{"agents with caching", "agents without caching"},
		{"which foods contain gluten", "which foods don't contain gluten"},
		{"python can fork", "python cannot fork"},
		{"is kafka faster than rabbitmq", "is rabbitmq faster than kafka"},
		{"migrate mysql to postgres", "migrate postgres to mysql"},
		{"how to migrate from mysql to postgres", "how to migrate from postgres to mysql"},
		{"does aspirin cause ulcers", "do ulcers cause aspirin"},
		{"aspirin caused by ulcers", "aspirin causes ulcers"},
		{"flights Oslo Tallinn", "flights Tallinn Oslo"},
		{"from New York to New Jersey by train", "from New Jersey to New York by train"},
		{"rain before snow", "snow before rain"},
		{"token cost growth in long running multi agent research systems", "token cost growth in long running multi agent research systems 2024"},
		{"token cost growth in long running multi agent research systems", "token cost growth in long running multi agent research systems at Halden"},
		{"postgres vacuum", "mysql vacuum"},
		{"hypertension in adults", "hypotension in adults"},
		{"tidal power", "tidal power subsidies"},
		{"crane costs january", "crane costs february"},
		{"effects of caffeine on sleep", "effects of sleep on caffeine"},
		{"effects on sleep", "effects of sleep"},
		{"children of immigrants", "immigrants of children"},
		{"treatment of pain with heat", "treatment of heat with pain"},
		{"Obama on Trump", "Trump on Obama"},
		{"dog bites man", "man bites dog"},
		{"wind power, not solar power", "solar power, not wind power"},
		{"drugs that interact with warfarin", "drugs that do not interact with warfarin"},
		{"english-french dictionary", "french-english dictionary"},
		{"what causes inflation", "what does inflation cause"},
		{"who is taller than messi", "who is messi taller than"},
		{"UK exports to US", "US exports to UK"},
		{"us imports from china", "china imports from us"},
		{"US unemployment rate", "unemployment rate"},
		{"WHO guidelines on salt", "guidelines on salt"},
		{"temperature -40", "temperature 40"},
		{"jaguar -car", "jaguar car"},
		{"Ausfuhr von Norwegen nach Estland", "Ausfuhr von Estland nach Norwegen"},
		{"hilft aspirin in hoher dosis gegen starke kopfschmerzen bei kindern", "hilft aspirin in hoher dosis nicht gegen starke kopfschmerzen bei kindern"},
		{"est-ce que l'aspirine cause des ulcères", "est-ce que l'aspirine ne cause pas des ulcères"},
		{"", "tidal power"},
		{"夜班 码头", "白班 码头"},
	}
	check := func(pairs [][2]string, want bool) {
		for _, p := range pairs {
			for _, q := range [][2]string{p, {p[1], p[0]}} {
				if got := SameQuery(q[0], q[1]); got != want {
					t.Errorf("SameQuery(%q, %q) = %v", q[0], q[1], got)
				}
			}
			for _, q := range p {
				if !SameQuery(q, q) {
					t.Errorf("SameQuery(%q) is not the same as itself", q)
				}
			}
		}
	}
	check(same, true)
	check(distinct, false)
}

func TestSameQueryCases(t *testing.T) {
	body, err := os.ReadFile(testset.Path(t, "cases", "101-near-duplicate-queries", "pairs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][3]string
	if err := json.Unmarshal(body, &pairs); err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if got := SameQuery(p[0], p[1]); got != (p[2] == "duplicate") {
			t.Errorf("SameQuery(%q, %q) = %v, want %s", p[0], p[1], got, p[2])
		}
	}
}

func FuzzSameQuery(f *testing.F) {
	f.Add("imports from norway to estonia", "isn't C++ 1.2.3?")
	f.Add("\xff'", "ท่าเรือ 夜班")
	f.Fuzz(func(t *testing.T, a, b string) {
		if SameQuery(a, b) != SameQuery(b, a) {
			t.Errorf("SameQuery(%q, %q) depends on the order", a, b)
		}
		if !SameQuery(a, a) {
			t.Errorf("SameQuery(%q) is not the same as itself", a)
		}
	})
}
