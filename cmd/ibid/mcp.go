package main

// mcpCmd is what ibid does with the Model Context Protocol.
type mcpCmd struct {
	Serve mcpServeCmd `cmd:"" default:"withargs" help:"Be an MCP server on stdin and stdout, for the program that started it (the default)."`
	Tools mcpToolsCmd `cmd:"" help:"List the MCP servers of the configuration and their tools, and which of them runs may call."`
}
