package research

import (
	"ibid/agent"
	llmfence "ibid/llm/fence"
)

// A fence is the boundary around text from outside in what a run's model reads. Its name is drawn once per run.
type fence llmfence.Fence

// reply makes a tool's result of what came from outside.
func (f fence) reply(v any) agent.Result {
	return agent.Result{Content: llmfence.Fence(f).Around(v)}
}

// harmless makes a plain line of a text that may repeat what somebody else said, for errors.
func harmless(s string) string { return llmfence.Harmless(s) }
