package server

import (
	"net/http"
	"time"

	"ibid/journal"
	"ibid/runs"
)

// States that runs are listed by: those that are stored.
var states = []string{string(journal.StateQueued), string(journal.StateWorking), string(journal.StateParked), string(journal.StateDone),
	string(journal.StatePartial), string(journal.StateFailed), string(journal.StateCancelled)}

// table is all that the server serves.
func (s *Server) table() []route {
	key := param{name: "Idempotency-Key", kind: "string", header: true, about: "A second request with the same key starts nothing and gets the run of the first."}
	list := []route{
		{"GET", "/healthz", "healthy", "Say that the process lives.", "", nil, gives(http.StatusOK, (*call).healthy)},
		{"GET", "/readyz", "ready", "Say whether requests can be served: the database answers, its schema is this program's.", "", nil, gives(http.StatusOK, (*call).ready)},
		{"GET", "/openapi.json", "describe", "This document.", "", nil, writes((*call).document, "application/json")},
		{"GET", "/problems/{problem}", "explain", "What a type of problem means.", "", nil, writes((*call).explained, "text/plain; charset=utf-8")},

		{"POST", "/v1/runs", "startRun", "Start a run. It is queued; workers take it.", Write, []param{key}, takes(http.StatusAccepted, (*call).start)},
		{"GET", "/v1/runs", "listRuns", "List runs, the newest first.", Read, []param{
			{name: "after", kind: "string", about: "The run that ended the page before."},
			{name: "limit", kind: "integer", about: "Runs of a page, 1 to 200; 20 if left out."},
			{name: "state", kind: "string", one: states, about: "Only runs that stand so."}}, gives(http.StatusOK, (*call).list)},
		{"GET", "/v1/runs/{run}", "showRun", "Show how a run stands, what it has spent and how it ended.", Read, nil, gives(http.StatusOK, (*call).show).heavily()},
		{"DELETE", "/v1/runs/{run}", "deleteRun", "Delete a run with all that it holds.", Write, nil, does((*call).erase).heavily()},
		{"GET", "/v1/runs/{run}/events", "watchRun", "Give a run's events: a stream until it is over, or with follow=0 or Accept: application/json what there is.", Read, []param{
			{name: "after", kind: "string", about: "The id of the last event that was received."},
			{name: "Last-Event-ID", kind: "string", header: true, about: "The same, as browsers send it; it comes before the query."},
			{name: "follow", kind: "boolean", about: "Whether to wait for more; true if left out."},
			{name: "limit", kind: "integer", about: "Without follow: events of a page, 1 to 500."}}, s.watching()},
		{"POST", "/v1/runs/{run}/stop", "stopRun", "Ask a run to answer with what it has.", Write, nil, gives(http.StatusOK, (*call).stop)},
		{"POST", "/v1/runs/{run}/cancel", "cancelRun", "End a run without an answer.", Write, nil, gives(http.StatusOK, (*call).cancel)},
		{"POST", "/v1/runs/{run}/resume", "resumeRun", "Queue a run again that is parked or interrupted.", Write, nil, gives(http.StatusOK, (*call).resume)},
		{"POST", "/v1/runs/{run}/fork", "forkRun", "Start a run over the recorded evidence of another, with another prompt, model or budget.", Write, []param{key}, takes(http.StatusAccepted, (*call).fork)},
		{"POST", "/v1/runs/{run}/replay", "replayRun", "Run a run again from its record, with another system prompt or the recorded one, and give its report. Nothing is performed.", Read, nil, replaying()},
		{"GET", "/v1/runs/{run}/compare", "compareRuns", "Set two runs side by side, claim by claim.", Read, []param{{name: "with", kind: "string", about: "The other run."}}, gives(http.StatusOK, (*call).compare).heavily()},
		{"GET", "/v1/runs/{run}/report", "getReport", "Give the report in one of its forms.", Read, []param{
			{name: "form", kind: "string", one: formNames(), about: "The form; if left out, the one that Accept likes best."}}, writes((*call).report, formTypes()...).heavily()},
	}
	for _, f := range runs.Forms {
		list = append(list, route{"GET", "/v1/runs/{run}/report" + f.Ending, "getReport_" + f.Name, "Give the report as " + f.Name + ".", Read, nil,
			writes(func(c *call) error { return c.print(f.Name) }, f.Type).heavily()})
	}
	return append(list, []route{
		{"GET", "/v1/runs/{run}/findings", "listFindings", "List what a run found, and what was refused: with the rules that block it.", Read, nil, gives(http.StatusOK, (*call).findings).heavily()},
		{"POST", "/v1/runs/{run}/findings/{finding}/reject", "rejectFinding", "Take a finding out of the report, which is made again without it.", Write, nil, takes(http.StatusOK, (*call).reject).heavily()},
		{"POST", "/v1/runs/{run}/findings/{finding}/accept", "acceptFinding", "Take a finding into the report though rules block it. The report says so, with the reason.", Write, nil, takes(http.StatusOK, (*call).accept).heavily()},
		{"POST", "/v1/runs/{run}/findings/{finding}/undo", "undoFinding", "Take back that a finding was rejected or accepted.", Write, nil, takes(http.StatusOK, (*call).undo).heavily()},
		{"GET", "/v1/runs/{run}/sources", "listSources", "List what a run read.", Read, nil, gives(http.StatusOK, (*call).sources).heavily()},
		{"GET", "/v1/runs/{run}/sources/{source}", "getSource", "Give a source with its text, span by span.", Read, nil, gives(http.StatusOK, (*call).source).heavily()},
		{"GET", "/v1/runs/{run}/sources/{source}/raw", "getRawSource", "Give a source as it was fetched, as a file.", Read, nil, writes((*call).raw, "application/octet-stream").heavily()},
		{"GET", "/v1/runs/{run}/journal", "exportRun", "Give a run's whole journal as JSON Lines.", Read, nil, writes((*call).export, "application/jsonl").heavily()},
		{"GET", "/v1/runs/{run}/bundle", "bundleRun", "Give a run as one file that anybody can check.", Read, nil, writes((*call).pack, "application/wacz").heavily()},

		{"GET", "/v1/gates", "listGates", "List what waits for a person.", Read, []param{
			{name: "run", kind: "string", about: "Of this run alone."},
			{name: "all", kind: "boolean", about: "Also what was decided."}}, gives(http.StatusOK, (*call).gates)},
		{"GET", "/v1/gates/{gate}", "getGate", "Show what a gate asks.", Read, nil, gives(http.StatusOK, (*call).gate)},
		{"POST", "/v1/gates/{gate}/decision", "decideGate", "Decide, on what was shown: the hash says what that was.", Gates, nil, takes(http.StatusOK, (*call).decide)},
		{"PUT", "/v1/gates/{gate}/plan", "editPlan", "Change a plan that waits for a yes. What is approved then is what stands there.", Gates, []param{
			{name: "If-Match", kind: "string", header: true, about: "The ETag of the gate that was seen."}}, takes(http.StatusOK, (*call).edit)},

		{"GET", "/v1/webhooks", "listWebhooks", "List where you are told of your runs.", Read, nil, gives(http.StatusOK, (*call).webhooks)},
		{"POST", "/v1/webhooks", "addWebhook", "Be told of your runs at an address. The answer holds the secret that signs what is sent, this once.", Write, nil, takes(http.StatusCreated, (*call).addWebhook)},
		{"GET", "/v1/webhooks/{webhook}", "getWebhook", "Show a webhook.", Read, nil, gives(http.StatusOK, (*call).webhook)},
		{"PUT", "/v1/webhooks/{webhook}", "changeWebhook", "Give a webhook another address or other events; one that was disabled is told again.", Write, nil, takes(http.StatusOK, (*call).changeWebhook)},
		{"DELETE", "/v1/webhooks/{webhook}", "deleteWebhook", "Be told no more at an address.", Write, nil, does((*call).deleteWebhook)},
		{"POST", "/v1/webhooks/{webhook}/secrets", "rotateSecret", "Make another secret, shown this once. Those before it sign too for a day.", Write, nil, gives(http.StatusCreated, (*call).rotateSecret)},
		{"POST", "/v1/webhooks/{webhook}/test", "tryWebhook", "Be told of nothing, to see whether it is heard.", Write, nil, gives(http.StatusAccepted, (*call).tryWebhook)},
		{"GET", "/v1/webhooks/{webhook}/deliveries", "listDeliveries", "List what a webhook was told or is to be told, the newest first.", Read, nil, gives(http.StatusOK, (*call).deliveries)},

		{"GET", "/v1/datasets", "listDatasets", "List your knowledge bases.", Read, nil, gives(http.StatusOK, (*call).datasets)},
		{"GET", "/v1/datasets/{dataset}", "showDataset", "Tell what a dataset holds.", Read, nil, gives(http.StatusOK, (*call).dataset)},
		{"DELETE", "/v1/datasets/{dataset}", "deleteDataset", "Delete a dataset with all that is in it.", Write, nil, does((*call).forget).heavily()},
		{"POST", "/v1/datasets/{dataset}/snippets", "remember", "Have a text remembered; the dataset is made if it is not there.", Write, nil, takes(http.StatusAccepted, (*call).remember).heavily()},
		{"POST", "/v1/datasets/{dataset}/absorb", "absorb", "Absorb what waits in the queue of a dataset and needs no model.", Write, nil, gives(http.StatusOK, (*call).absorb).heavily()},
		{"POST", "/v1/datasets/{dataset}/query", "queryDataset", "Ask a dataset: the facts that fit, with where they are from.", Read, nil, takes(http.StatusOK, (*call).inquire).heavily()},
		{"GET", "/v1/datasets/{dataset}/facts", "listFacts", "List facts in the order in which they came.", Read, []param{
			{name: "after", kind: "integer", about: "After the fact of this number."},
			{name: "limit", kind: "integer", about: "At most so many: 1 to 1000, 100 if left out."}}, gives(http.StatusOK, (*call).facts)},
		{"GET", "/v1/datasets/{dataset}/export", "exportDataset", "Give a dataset as JSON Lines.", Read, nil, writes((*call).exportDataset, "application/jsonl").heavily()},

		{"POST", "/v1/verify", "verify", "Check a report: its JSON form, its Markdown against its run, or a bundle.", Read, []param{
			{name: "run", kind: "string", about: "The run that a report in Markdown is of."}}, s.verifying()},
		{"POST", "/v1/audit/pairs", "auditPairs", "Hold claims against their evidence by rules: pairs in JSON Lines in, judgements out, as they come.", Read, nil, s.pairing()},
	}...)
}

func (s *Server) watching() work {
	w := writes((*call).events, "text/event-stream")
	w.stream = true
	return w
}

func replaying() work {
	w := takes(http.StatusOK, func(*call, Prompt) (string, error) { return "", nil })
	w.out, w.gives, w.do = nil, []string{"text/markdown; charset=utf-8"}, (*call).replay
	return w.heavily()
}

func (s *Server) verifying() work {
	w := gives(http.StatusOK, (*call).verify).heavily()
	w.takes = []string{"application/json", "text/markdown", "application/wacz", "application/zip"}
	return w
}

func (s *Server) pairing() work {
	w := writes((*call).pairs, "application/jsonl").heavily()
	w.takes, w.time = []string{"application/jsonl", "application/x-ndjson"}, 30*time.Minute
	return w
}
