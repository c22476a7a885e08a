package extractive

import (
	"regexp"
	"strings"
)

// Text that talks to a machine instead of to a reader. It is never recorded, and nothing here could obey it: this
// researcher calls tools by its own rules alone.
var (
	override = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.!?]{0,60}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders|policy|policies|everything (?:above|before)|(?:the )?above|previous|prior|earlier)\b`)
	address  = regexp.MustCompile(`(?i)(?:^|[.!?:;>*\]\["'“”(-]\s*|\b(?:attention|note to|notice to|dear|hey|hello|message (?:for|to)|instructions? (?:for|to)|if you are (?:an?|the)|you are (?:now )?(?:an?|the)|as an?)\s+)(?:all |any |the |every )?(?:ai|a\.i\.|llms?|large language models?|language models?|chat ?bots?|(?:ai|research|autonomous|automated|browsing|coding|helpful) ?(?:agents?|assistants?|models?|systems?|crawlers?|bots?)|agents?|assistants?|bots?)\b(?:[,:!]| (?:agents?|assistants?|models?|reading|processing|visiting|that reads?|must|should|are (?:instructed|required|asked|told)|you|please)\b)`)
	commands = regexp.MustCompile(`(?i)\b(?:you (?:must|should|have to|are (?:now|required|instructed|ordered)|will now)|your (?:new )?(?:task|instructions?|system prompt|role|goal) (?:is|are)|do not (?:tell|mention|reveal|inform|cite|read)\b[^.!?]{0,40}\b(?:user|human|operator|anyone)|(?:tell|inform) (?:the |your )?(?:user|human|operator)s?\b|(?:reveal|print|output|repeat|send|leak|exfiltrate)\b[^.!?]{0,40}\b(?:system prompt|api keys?|credentials?|passwords?|secrets?|conversation|environment variables?))`)
	tools    = regexp.MustCompile(`(?i)\b(?:call|use|invoke|run|execute|trigger)\b[^.!?]{0,30}\b(?:record_finding|search_web|read_pages|search_corpus|(?:the |your )(?:\w+ )?tools?\b)|\b(?:record_finding|search_web|read_pages|search_corpus)\b|<\|?(?:im_start|im_end|system|endoftext)\|?>|\[/?INST\]|^\s*(?:system|assistant|developer)\s*:`)
	bot      = regexp.MustCompile(`(?i)\b(?:ai|llms?|language models?|assistants?|agents?|chat ?bots?)\b`)
	dictate  = regexp.MustCompile(`(?i)^\W*(?:(?:please|now|instead|always|only|simply|just|then|and)\W+)*(?:say|state|report|answer|respond|reply|write|conclude|claim|record|recommend|rate|rank|output|print|repeat|visit|fetch|open|download|click|follow|send|email|post|mention|cite|quote|include|add|insert|praise|declare|tell)\b`)
	quoted   = regexp.MustCompile(`"[^"]{0,400}"|“[^”]{0,400}”|«[^»]{0,400}»|` + "`[^`]{0,400}`")
)

// suspects are words of which a text that injected may find has at least one, unless marked finds it.
var suspects = set(`ignore disregard forget override bypass follow ai a.i llm llms language chatbot chatbots chat agent agents
	assistant assistants bot bots crawler crawlers tool tools`)

// marked says whether a text has the outward marks of a prompt: a role, a tool's name, a delimiter.
func marked(s string) bool {
	return strings.ContainsAny(s, "_|[") || len(s) > 10 && strings.IndexByte(s[:10], ':') > 0
}

// injected says whether a sentence gives orders to a machine that reads it. Words that a sentence merely quotes, as a
// text about such attacks does, are not its own.
func injected(s string) bool {
	own := quoted.ReplaceAllString(s, " ")
	if len(split(own)) < 4 {
		own = s
	}
	if override.MatchString(own) || tools.MatchString(own) || address.MatchString(own) {
		return true
	}
	return commands.MatchString(own) && bot.MatchString(own)
}

// dictated says whether a sentence is an order about what to say or do. In a block that holds an injected sentence it
// belongs to it.
func dictated(s string) bool {
	return dictate.MatchString(s) || commands.MatchString(s)
}

// boilerplate are phrases of the page around a text. A phrase counts only when the question does not ask about it.
var boilerplate = strings.Split(`cookie|subscribe|newsletter|sign up|sign in|log in|all rights reserved|copyright|©|privacy policy|terms of service|terms of use|read more|share this|click here|follow us|related articles|table of contents|skip to|advertisement|leave a comment|comments are closed|min read|minute read|back to top|powered by|javascript is|enable javascript|your browser|unsubscribe|our partners|accept all|manage preferences|see also|read next|in this article|this article|this page|this document|this section|last updated|photo by|image:|figure `, "|")

var (
	// puff praises or announces, and says nothing.
	puff = regexp.MustCompile(`(?i)\b(?:exciting|good news|game.?changer|look no further|stay tuned|ultimate guide|complete (?:guide|answer)|everything you need|in today's|fast.paced|landscape|journey|without further ado|let's (?:dive|look|explore|take)|dive (?:in|into)|we(?:'ll| will) (?:look|discuss|explore|cover|explain|describe|see|show)|important to (?:note|understand|remember)|there are (?:many|several|various|a number of|lots of|plenty of|solutions|ways)|it depends|unlock|revolutioni[sz]e|hot topic|^these are |the following \w+ \w+|as follows|described (?:above|below|later)|(?:this|next|following|previous) (?:section|chapter|paragraph)|many people|a lot of people|wonder(?:ed|ing)? (?:why|how|what|whether))\b`)
	// method tells how something was looked at, not what was seen.
	method = regexp.MustCompile(`(?i)^\W*(?:we|the authors|i) (?:read|collected|surveyed|sampled|interviewed|asked|gathered|counted|logged|recorded|compared|analy[sz]ed|looked|examined|reviewed|considered|used|ran|took|thank)\b|\b(?:was|were) (?:switched on alone|sampled|collected|interviewed|recruited|randomi[sz]ed|selected at random)\b`)
)

// ballast says how many boilerplate phrases a sentence holds that the question lacks.
func ballast(s, question string) int {
	lower, asked := strings.ToLower(s), strings.ToLower(question)
	n := 0
	for _, phrase := range boilerplate {
		if strings.Contains(lower, phrase) && !strings.Contains(asked, phrase) {
			n++
		}
	}
	return n
}
