// The client of the extension's own authors has a question researched, answers what is asked meanwhile, and prints what came of
// it. Arguments: the folder of packages, the server's address, the question.
const [packages, url, question] = process.argv.slice(2);
const { withTasks } = await import(packages + "/@modelcontextprotocol/ext-tasks/dist/client/index.js");
const meta = "io.modelcontextprotocol/";
let requests = 0;

// port carries requests over HTTP, each by itself.
const port = {
  endpointId: url,
  taskCapabilities: { generation: "v2", capabilities: {} },
  invalidated: false,
  onServerRequest: () => () => {},
  onNotification: () => () => {},
  onInvalidated: () => () => {},
  async dispatch(request, options) {
    const params = { ...request.params };
    params._meta = {
      ...params._meta,
      [meta + "protocolVersion"]: "2026-07-28",
      [meta + "clientInfo"]: { name: "tasks", version: "1" },
      [meta + "clientCapabilities"]: { ...params._meta?.[meta + "clientCapabilities"], elicitation: { form: {} } },
    };
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": request.method,
        ...(params.name === undefined ? {} : { "Mcp-Name": params.name }),
        ...options?.context?.headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++requests, method: request.method, params }),
    });
    const text = await response.text();
    const message = JSON.parse(text.split("\n").findLast((line) => line.startsWith("data: "))?.slice(6) ?? text);
    return message.error ? { kind: "error", error: message.error } : { kind: "result", result: message.result };
  },
};

const asked = [];
const session = withTasks(port, {
  onError: (error) => console.error(error),
  onInputRequest: async (request) => {
    asked.push(request);
    return { action: "accept", content: { allow: true, reason: "so it is" } };
  },
});
const execution = await session.callTool("research_start", { question });
const { outcome } = await execution.settle();
console.log(JSON.stringify({ kind: execution.kind, asked, outcome }));
await session.close();
