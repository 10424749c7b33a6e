// JavaScript clients of the gateway: `node javascript_clients.mjs FOLDER OPENAI ANTHROPIC`, with the packages in FOLDER.
// Each says a fact and asks for one, plainly and as a stream; one line of JSON a client says what it was answered.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, openaiUrl, anthropicUrl] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
globalThis.AI_SDK_LOG_WARNINGS = false; // stdout is for the answers
const ASKED = "Which port does our staging database listen on?";
const fact = (client) => `The ${client} pump is serviced by Noor of ${client}.`;
const user = (content) => [{ role: "user", content }];

async function openai() {
  const { OpenAI } = await load("openai");
  const client = new OpenAI({ baseURL: openaiUrl, apiKey: "sk-own", maxRetries: 0 });
  await client.chat.completions.create({ model: "gpt-4o", messages: user(fact("openai-js")) });
  const plain = await client.chat.completions.create({ model: "gpt-4o", messages: user(ASKED) });
  let streamed = "";
  for await (const event of await client.chat.completions.create({ model: "gpt-4o", messages: user(ASKED), stream: true }))
    streamed += event.choices[0]?.delta?.content ?? "";
  const response = await client.responses.create({ model: "gpt-4o", input: ASKED });
  return [plain.choices[0].message.content, streamed, response.output_text];
}

async function anthropic() {
  const { Anthropic } = await load("@anthropic-ai/sdk");
  const client = new Anthropic({ baseURL: anthropicUrl, apiKey: "sk-ant-own", maxRetries: 0 });
  const ask = { model: "claude-x", max_tokens: 500 };
  await client.messages.create({ ...ask, messages: user(fact("anthropic-js")) });
  const plain = await client.messages.create({ ...ask, messages: user(ASKED) });
  const streamed = await client.messages.stream({ ...ask, messages: user(ASKED) }).finalMessage();
  return [plain.content[0].text, streamed.content[0].text];
}

async function vercel() {
  const { generateText, streamText } = await load("ai");
  const { createOpenAI } = await load("@ai-sdk/openai");
  const { createAnthropic } = await load("@ai-sdk/anthropic");
  const chat = createOpenAI({ baseURL: openaiUrl, apiKey: "sk-own" });
  const claude = createAnthropic({ baseURL: `${anthropicUrl}/v1`, apiKey: "sk-ant-own" });
  await generateText({ model: chat.chat("gpt-4o"), prompt: fact("vercel") });
  const texts = [];
  for (const model of [chat.chat("gpt-4o"), chat.responses("gpt-4o"), claude("claude-x")]) {
    texts.push((await generateText({ model, prompt: ASKED, maxRetries: 0 })).text);
    texts.push(await streamText({ model, prompt: ASKED, maxRetries: 0 }).text);
  }
  return texts;
}

for (const [client, ask] of Object.entries({ "openai-js": openai, "anthropic-js": anthropic, vercel }))
  process.stdout.write(`${JSON.stringify({ client, texts: await ask() })}\n`);
