// Package telemetry shows what runs do from outside: Prometheus metrics, and OpenTelemetry spans by the GenAI conventions
// (COST-2, BUDGET-7). It looks on, and changes nothing; neither carries a question, a text or the id of a run as a label.
package telemetry

// The names of attributes by the OpenTelemetry conventions for generative AI, which are still in development: what they
// rename is renamed here alone.
const (
	attrOperation    = "gen_ai.operation.name"
	attrProvider     = "gen_ai.provider.name"
	attrModel        = "gen_ai.request.model"
	attrConversation = "gen_ai.conversation.id"
	attrAgent        = "gen_ai.agent.name"
	attrTool         = "gen_ai.tool.name"
	attrIn           = "gen_ai.usage.input_tokens"
	attrOut          = "gen_ai.usage.output_tokens"
	attrCacheRead    = "gen_ai.usage.cache_read.input_tokens"
	attrCacheWrite   = "gen_ai.usage.cache_write.input_tokens"
	attrReasoning    = "gen_ai.usage.reasoning.output_tokens"
	attrPrompt       = "gen_ai.prompt.version"
	attrError        = "error.type"

	// What the conventions have no name for.
	attrStep = "ibid.step"
	attrStop = "ibid.stop"
	attrCost = "ibid.cost_usd"

	opChat  = "chat"
	opAgent = "invoke_agent"
	opTool  = "execute_tool"
)
