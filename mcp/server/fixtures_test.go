//lint:file-ignore SA1019 the suite calls what older revisions of the protocol have

package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the official conformance suite calls, offered beside ibid's own tools, behind the same handler. The names and answers are
// the suite's.

// fixtureOptions are capabilities that ibid itself has no use for.
func fixtureOptions(o *mcp.ServerOptions) {
	o.Capabilities = &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}

// say is a result of one text.
func say(format string, a ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, a...)}}}
}

// A dot of one pixel, and a recording of nothing.
var (
	dot, _     = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence, _ = base64.StdEncoding.DecodeString("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

type fixture func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error)

func offer(s *mcp.Server, name, schema string, f fixture) {
	if schema == "" {
		schema = `{"type":"object"}`
	}
	s.AddTool(&mcp.Tool{Name: name, Description: "of the conformance suite", InputSchema: json.RawMessage(schema)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r, err := f(ctx, req)
		var protocol *jsonrpc.Error
		if err != nil && !errors.As(err, &protocol) {
			return refusal(err.Error()), nil
		}
		return r, err
	})
}

func fixtures(s *mcp.Server) {
	content(s)
	conversations(s)
	rounds(s)
	changes(s)
	resources(s)
	prompts(s)
}

// content are tools that answer with each kind of it.
func content(s *mcp.Server) {
	one := func(name string, c ...mcp.Content) {
		offer(s, name, "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: c}, nil
		})
	}
	image := &mcp.ImageContent{Data: dot, MIMEType: "image/png"}
	embedded := func(uri, text string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
	}
	one("test_simple_text", &mcp.TextContent{Text: "This is a simple text response for testing."})
	one("test_image_content", image)
	one("test_audio_content", &mcp.AudioContent{Data: silence, MIMEType: "audio/wav"})
	one("test_embedded_resource", embedded("test://embedded-resource", "This is an embedded resource"))
	one("test_multiple_content_types", &mcp.TextContent{Text: "This is text content"}, image, embedded("test://embedded-in-multiple", "This is an embedded resource"))
	one("test_streaming_elicitation", &mcp.TextContent{Text: "a result and nothing before it"})
	offer(s, "test_error_handling", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("this tool intentionally returns an error for testing")
	})
	offer(s, "json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say("called with %s", req.Params.Arguments), nil
	})
	offer(s, "test_x_mcp_header", `{"type":"object","properties":{"region":{"type":"string","description":"mirrored into Mcp-Param-Region","x-mcp-header":"Region"},
		"level":{"type":"integer","description":"not mirrored"}}}`, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say("called with %s", req.Params.Arguments), nil
	})
}

// conversations are tools that say something before they answer, or ask back in a session.
func conversations(s *mcp.Server) {
	offer(s, "test_tool_with_logging", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: text}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return say("Tool with logging executed successfully"), nil
	})
	offer(s, "test_logging_tool", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return say("logged, if that is wanted"), req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "test_logging_tool executed"})
	})
	offer(s, "test_tool_with_progress", "", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for _, n := range []float64{0, 50, 100} {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100, Message: fmt.Sprintf("Completed step %g of 100", n)}); err != nil {
				return nil, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return say("%v", token), nil
	})
	offer(s, "test_reconnection", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Extra != nil && req.Extra.CloseSSEStream != nil {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond)
		return say("Reconnection test completed successfully."), nil
	})
	offer(s, "test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Prompt string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		r, err := req.Session.CreateMessage(ctx, sampling(in.Prompt))
		if err != nil {
			return nil, err
		}
		answer, _ := r.Content.(*mcp.TextContent)
		return say("LLM response: %s", answer.Text), nil
	})
	elicit := func(name, schema string) {
		offer(s, name, `{"type":"object","properties":{"message":{"type":"string"}}}`, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			in := struct{ Message string }{"Please fill this in"}
			if len(req.Params.Arguments) > 0 {
				if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
					return nil, err
				}
			}
			r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Message, RequestedSchema: json.RawMessage(schema)})
			if err != nil {
				return nil, err
			}
			return say("Elicitation result: action=%s, content=%v", r.Action, r.Content), nil
		})
	}
	elicit("test_elicitation", `{"type":"object","properties":{"username":{"type":"string","description":"Your preferred username"}},"required":["username"]}`)
	elicit("test_elicitation_sep1034_defaults", `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
		"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	elicit("test_elicitation_sep1330_enums", `{"type":"object","properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}}}`)
	offer(s, "test_missing_capability", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
			return say("the client can sample"), nil
		}
		return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client must be able to sample", Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`)}
	})
}

func sampling(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{MaxTokens: 100, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: prompt}}}}
}

// accepted is what a person filled in, or nil.
func accepted(in mcp.InputResponseMap, name string) map[string]any {
	if r, ok := in[name].(*mcp.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func sampled(in mcp.InputResponseMap, name string) (string, bool) {
	r, ok := in[name].(*mcp.CreateMessageWithToolsResult)
	if !ok || len(r.Content) == 0 {
		return "", false
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	return text.Text, ok
}

func form(message, schema string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)}
}

const (
	nameForm    = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
	confirmForm = `{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`
)

// rounds are tools that ask back in their results.
func rounds(s *mcp.Server) {
	type inputs = mcp.InputRequestMap
	back := func(state string, in inputs) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{InputRequests: in, RequestState: state}, nil
	}
	offer(s, "test_input_required_result_elicitation", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return say("Hello, %s!", name), nil
		}
		return back("", inputs{"user_name": form("What is your name?", nameForm)})
	})
	offer(s, "test_input_required_result_sampling", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if text, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
			return say("Sampling response: %s", text), nil
		}
		return back("", inputs{"capital_question": sampling("What is the capital of France?")})
	})
	offer(s, "test_input_required_result_list_roots", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok {
			return say("Client exposed %d root(s)", len(r.Roots)), nil
		}
		return back("", inputs{"client_roots": &mcp.ListRootsParams{}})
	})
	for name, state := range map[string]string{"test_input_required_result_request_state": "request_state", "test_input_required_result_tampered_state": "tampered_state"} {
		offer(s, name, "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			switch given := req.Params.RequestState; {
			case given != "" && given != state:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this requestState is not ours"}
			case given != "" && accepted(req.Params.InputResponses, "confirm") != nil:
				return say("state-ok: confirmed"), nil
			}
			return back(state, inputs{"confirm": form("Please confirm", confirmForm)})
		})
	}
	offer(s, "test_input_required_result_multiple_inputs", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string)
		greeting, greeted := sampled(req.Params.InputResponses, "greeting")
		roots, rooted := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult)
		if name != "" && greeted && rooted {
			return say("%s %s, %d root(s)", greeting, name, len(roots.Roots)), nil
		}
		return back("multiple_inputs", inputs{"user_name": form("What is your name?", nameForm), "greeting": sampling("Generate a greeting"), "client_roots": &mcp.ListRootsParams{}})
	})
	offer(s, "test_input_required_result_multi_round", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name, second := strings.CutPrefix(req.Params.RequestState, "2 ")
		switch {
		case req.Params.RequestState == "":
			return back("1", inputs{"step1": form("Step 1: What is your name?", nameForm)})
		case !second:
			return back(fmt.Sprintf("2 %v", accepted(req.Params.InputResponses, "step1")["name"]), inputs{"step2": form("Step 2: What is your favorite color?", `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`)})
		}
		return say("Multi-round complete: %s likes %v", name, accepted(req.Params.InputResponses, "step2")["color"]), nil
	})
	offer(s, "test_input_required_result_capabilities", "", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if len(req.Params.InputResponses) > 0 {
			return say("answered"), nil
		}
		in, c := inputs{}, req.ClientCapabilities()
		if c != nil && c.Elicitation != nil {
			in["user_name"] = form("What is your name?", nameForm)
		}
		if c != nil && c.Sampling != nil {
			in["greeting"] = sampling("Generate a short greeting")
		}
		if c != nil && c.RootsV2 != nil {
			in["client_roots"] = &mcp.ListRootsParams{}
		}
		if len(in) == 0 {
			return say("the client can be asked for nothing"), nil
		}
		return back("", in)
	})
}

// changes are tools that change what there is.
func changes(s *mcp.Server) {
	offer(s, "test_trigger_tool_change", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		offer(s, "transient_tool", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return say("here"), nil })
		return say("changed"), nil
	})
	offer(s, "test_trigger_prompt_change", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(&mcp.Prompt{Name: "transient_prompt", Description: "of the conformance suite"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		return say("changed"), nil
	})
}

func resources(s *mcp.Server) {
	one := func(uri, kind, text string, blob []byte) {
		s.AddResource(&mcp.Resource{Name: strings.TrimPrefix(uri, "test://"), Description: "of the conformance suite", URI: uri, MIMEType: kind}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: kind, Text: text, Blob: blob}}}, nil
		})
	}
	one("test://static-text", "text/plain", "This is the content of the static text resource.", nil)
	one("test://static-binary", "image/png", "", dot)
	one("test://watched-resource", "text/plain", "Watched resource content", nil)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "template", Description: "of the conformance suite", MIMEType: "application/json", URITemplate: "test://template/{id}/data"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		body, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(body)}}}, err
	})
}

func prompts(s *mcp.Server) {
	add := func(p *mcp.Prompt, f func(args map[string]string) []mcp.Content) {
		p.Description = "of the conformance suite"
		s.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			r := &mcp.GetPromptResult{}
			for _, c := range f(req.Params.Arguments) {
				r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: c})
			}
			return r, nil
		})
	}
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	needed := func(name string) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: "a word", Required: true}
	}
	add(&mcp.Prompt{Name: "test_simple_prompt"}, func(map[string]string) []mcp.Content {
		return []mcp.Content{text("This is a simple prompt for testing.")}
	})
	add(&mcp.Prompt{Name: "test_prompt_with_arguments", Arguments: []*mcp.PromptArgument{needed("arg1"), needed("arg2")}}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	})
	add(&mcp.Prompt{Name: "test_prompt_with_embedded_resource", Arguments: []*mcp.PromptArgument{needed("resourceUri")}}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}}, text("Please process the embedded resource above.")}
	})
	add(&mcp.Prompt{Name: "test_prompt_with_image"}, func(map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.ImageContent{Data: dot, MIMEType: "image/png"}, text("Please analyze the image above.")}
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "of the conformance suite"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if c := accepted(req.Params.InputResponses, "user_context"); c != nil {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: text(fmt.Sprintf("Context: %v", c["context"]))}}}, nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": form("Please provide context for the prompt", `{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}`)}}, nil
	})
}
