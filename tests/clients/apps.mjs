// The official TypeScript SDK at a server: its views and forms, told as one line of JSON.
// node apps.mjs ERA COMMAND…, where ERA is legacy or auto
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";
import { EXTENSION_ID } from "@modelcontextprotocol/ext-apps/server";

const [mode, command, ...args] = process.argv.slice(2);
const asked = [];

const capabilities = {
  elicitation: { form: {} },
  extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } },
};
const client = new Client({ name: "typescript", version: "1" }, { capabilities, versionNegotiation: { mode } });
client.setRequestHandler("elicitation/create", async ({ params }) => {
  asked.push(params.message);
  return { action: "accept", content: { answer: "the newer replaces the older" } };
});
await client.connect(new StdioClientTransport({ command, args, env: process.env }));

const tools = (await client.listTools()).tools.map(tool => [tool.name, getToolUiResourceUri(tool)]);
const views = Object.fromEntries(tools.filter(([, uri]) => uri !== undefined));
const pages = {};
for (const uri of new Set(Object.values(views))) {
  const [page] = (await client.readResource({ uri })).contents;
  pages[uri] = page.mimeType === RESOURCE_MIME_TYPE && page.text.startsWith("<!doctype html>");
}
const refused = await client.readResource({ uri: "ui://agentos/other" }).then(() => false, () => true);
await client.callTool({ name: "memory_questions", arguments: { ask: true } });
let open = 1;
for (let left = 200; open && left; left--) {
  // before 2026-07-28 the answer comes before the question
  open = (await client.callTool({ name: "memory_questions", arguments: {} })).structuredContent.questions?.length ?? 0;
}
console.log(JSON.stringify({ views, pages, refused, asked, open }));
await client.close();
