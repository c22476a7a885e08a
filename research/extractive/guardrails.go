package extractive

import (
	"strings"

	"ibid/internal/lazyregexp"
)

// Text that talks to a machine instead of to a reader. It is never recorded, and nothing here could obey it: this
// researcher calls tools by its own rules alone.
var (
	override = lazyregexp.New(`(?i)\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.!?]{0,60}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders|policy|policies|everything (?:above|before)|(?:the )?above|previous|prior|earlier)\b`)
	address  = lazyregexp.New(`(?i)(?:^|[.!?:;>*\]\["'“”(-]\s*|\b(?:attention|note to|notice to|dear|hey|hello|message (?:for|to)|instructions? (?:for|to)|if you are (?:an?|the)|you are (?:now )?(?:an?|the)|as an?)\s+)(?:all |any |the |every )?(?:ai|a\.i\.|llms?|large language models?|language models?|chat ?bots?|(?:ai|research|autonomous|automated|browsing|coding|helpful) ?(?:agents?|assistants?|models?|systems?|crawlers?|bots?)|agents?|assistants?|bots?)\b(?:[,:!]| (?:agents?|assistants?|models?|reading|processing|visiting|that reads?|must|should|are (?:instructed|required|asked|told)|you|please)\b)`)
	commands = lazyregexp.New(`(?i)\b(?:you (?:must|should|have to|are (?:now|required|instructed|ordered)|will now)|your (?:new )?(?:task|instructions?|system prompt|role|goal) (?:is|are)|do not (?:tell|mention|reveal|inform|cite|read)\b[^.!?]{0,40}\b(?:user|human|operator|anyone)|(?:tell|inform) (?:the |your )?(?:user|human|operator)s?\b|(?:reveal|print|output|repeat|send|leak|exfiltrate)\b[^.!?]{0,40}\b(?:system prompt|api keys?|credentials?|passwords?|secrets?|conversation|environment variables?))`)
	tools    = lazyregexp.New(`(?i)\b(?:call|use|invoke|run|execute|trigger)\b[^.!?]{0,30}\b(?:record_finding|search_web|read_pages|search_corpus|(?:the |your )(?:\w+ )?tools?\b)|\b(?:record_finding|search_web|read_pages|search_corpus)\b|<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]|^\s*(?:system|assistant|developer)\s*:`)
	bot      = lazyregexp.New(`(?i)\b(?:ai|llms?|language models?|assistants?|agents?|chat ?bots?)\b`)
	dictate  = lazyregexp.New(`(?i)^\W*(?:(?:please|now|instead|always|only|simply|just|then|and)\W+)*(?:say|state|report|answer|respond|reply|write|conclude|claim|record|recommend|rate|rank|output|print|repeat|visit|fetch|open|download|click|follow|send|email|post|mention|cite|quote|include|add|insert|praise|declare|tell)\b`)
	quoted   = lazyregexp.New(`"[^"]{0,400}"|“[^”]{0,400}”|«[^»]{0,400}»|` + "`[^`]{0,400}`")
)

// A suspicion says which of the patterns a text may fit.
type suspicion uint8

const (
	mayOverride suspicion = 1 << iota
	mayAddress
	mayCall
)

// suspects are words of which a text that the patterns find has at least one, unless marked finds it.
var suspects = suspicions()

func suspicions() map[string]suspicion {
	m := map[string]suspicion{}
	for words, s := range map[string]suspicion{
		"ignore disregard forget override bypass follow":                                                             mayOverride,
		"ai a.i llm llms language chatbot chatbots chat agent agents assistant assistants bot bots crawler crawlers": mayAddress,
		"tool tools": mayCall,
	} {
		for w := range set(words) {
			m[w] = s
		}
	}
	return m
}

// marked looks for the outward marks of a prompt: a role, a tool's name, a delimiter.
func marked(s string) suspicion {
	if strings.ContainsAny(s, "_|[") || len(s) > 10 && strings.IndexByte(s[:10], ':') > 0 {
		return mayCall
	}
	return 0
}

// injected says whether a text gives orders to a machine that reads it.
func injected(s string) bool { return orders(s, mayOverride|mayAddress|mayCall) }

// orders is injected, with the patterns tried that there is a suspicion of. Words that a sentence merely quotes, as a
// text about such attacks does, are not its own.
func orders(s string, of suspicion) bool {
	own := s
	if strings.ContainsAny(s, "\"“«`") {
		if own = quoted.ReplaceAllString(s, " "); len(split(own)) < 4 {
			own = s
		}
	}
	return of&mayOverride != 0 && override.MatchString(own) ||
		of&mayCall != 0 && tools.MatchString(own) ||
		of&mayAddress != 0 && (address.MatchString(own) || commands.MatchString(own) && bot.MatchString(own))
}

// dictated says whether a sentence is an order about what to say or do. In a block that holds an injected sentence it
// belongs to it.
func dictated(s string) bool {
	return dictate.MatchString(s) || commands.MatchString(s)
}

// boilerplate are phrases of the page around a text. A phrase counts only when the question does not ask about it.
var boilerplate = strings.Split(`cookie|subscribe|newsletter|sign up|sign in|log in|all rights reserved|copyright|©|privacy policy|terms of service|terms of use|read more|share this|click here|follow us|related articles|table of contents|skip to|advertisement|leave a comment|comments are closed|min read|minute read|back to top|powered by|javascript is|enable javascript|your browser|unsubscribe|our partners|accept all|manage preferences|see also|read next|in this article|this article|this page|this document|this section|last updated|photo by|image:|figure `, "|")

// puff are phrases that praise or announce, and say nothing.
var puff = strings.Split(`exciting|good news|game changer|game-changer|look no further|stay tuned|ultimate guide|complete guide|complete answer|everything you need|in today's|fast-paced|fast paced|landscape|journey|without further ado|let's dive|let's look|let's explore|let's take|dive in|we'll look|we will look|we will discuss|we will explore|we will see|we will show|important to note|important to understand|important to remember|there are many|there are several|there are various|there are a number of|there are lots of|there are plenty of|there are solutions|it depends|unlock|revolutionis|revolutioniz|hot topic|many people|a lot of people|wondered why|wondered how|wonder why|wonder how|wonder what|as follows|described above|described below|described later|this section|next section|following section|previous section|this chapter|next chapter|this guide|this post|this talk|this video|the following formal|explains the difference|article explains|guide explains|following are|las siguientes|los siguientes|folgende|les suivant|seguenti|described in|are in the table|is in the table|listed in the|shown in the table|is a separate question`, "|")

// puffed says whether a sentence, in lower case, praises or announces.
func puffed(lower string) bool {
	for _, phrase := range puff {
		if strings.Contains(lower, phrase) {
			return true
		}
	}
	return strings.HasPrefix(lower, "these are ") || strings.HasPrefix(lower, "here's ") || strings.HasPrefix(lower, "here is ") || strings.HasPrefix(lower, "here are ")
}

// Openings of sentences that tell how something was looked at, not what was seen.
var (
	looking = set("read collected surveyed sampled interviewed asked gathered counted logged recorded compared analysed analyzed looked examined reviewed considered used ran took thank model present propose describe")
	lookers = set("we i authors")
)

// method says whether a sentence tells how something was looked at.
func method(ws []word) bool {
	for i := 0; i+1 < min(len(ws), 3); i++ {
		if lookers[strings.ToLower(ws[i].text)] {
			return looking[strings.ToLower(ws[i+1].text)]
		}
	}
	return false
}

// ballast says how many boilerplate phrases a sentence, in lower case, holds that the question lacks.
func ballast(lower, question string) int {
	asked := strings.ToLower(question)
	n := 0
	for _, phrase := range boilerplate {
		if strings.Contains(lower, phrase) && !strings.Contains(asked, phrase) {
			n++
		}
	}
	return n
}
