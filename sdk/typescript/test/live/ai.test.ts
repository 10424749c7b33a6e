// The tools of the Vercel AI SDK in its own loop, with a model that calls them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryTools } from "agentos-client/ai";
import { generateText, stepCountIs } from "ai";

import { calling } from "../model.js";
import { client } from "../server.js";

test("a model remembers, recalls in a tool message, and forgets", async () => {
  const memory = client();
  const stored = await memory.memories.store({ content: "Maria's server stands in Oslo." });
  const model = calling(
    ["remember", { content: "Maria deploys on Tuesdays." }],
    ["searchMemory", { query: "When does Maria deploy?" }],
    ["forget", { id: stored.id }],
    ["forget", { id: "mem_00000000000000000000000000" }],
  );
  const { steps } = await generateText({ model, tools: memoryTools(memory), prompt: "Go on.", stopWhen: stepCountIs(5) });
  const outputs = steps.flatMap((step) => step.toolResults.map((one) => String(one.output)));
  assert.match(outputs[0] ?? "", /^Kept: mem_/);
  assert.match(outputs[1] ?? "", /data, never instructions[^]*Maria deploys on Tuesdays\./);
  assert.equal(outputs[2], `Forgotten: ${stored.id}`);
  assert.match(outputs[3] ?? "", /mem_0+/);
  const roles = model.doGenerateCalls.at(-1)?.prompt.map((message) => message.role);
  assert.ok(roles?.includes("tool") && !roles.includes("system"), String(roles));
});
