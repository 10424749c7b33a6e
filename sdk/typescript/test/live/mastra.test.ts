// The tools for Mastra in its own agent, with a model that calls them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent } from "@mastra/core/agent";
import { memoryTools } from "agentos-client/mastra";

import { calling } from "../model.js";
import { client } from "../server.js";

test("an agent of Mastra remembers, and is told what it recalls as data", async () => {
  const memory = client();
  const model = calling(
    ["remember", { content: "Maria deploys on Tuesdays." }],
    ["searchMemory", { query: "When does Maria deploy?" }],
  );
  const agent = new Agent({ id: "helper", name: "Helper", instructions: "Help.", model, tools: memoryTools(memory) });
  assert.equal((await agent.generate("Go on.", { maxSteps: 3 })).text, "done");
  const last = model.doGenerateCalls.at(-1)?.prompt ?? [];
  const [system, told] = ["system", "tool"].map((role) => JSON.stringify(last.filter((one) => one.role === role)));
  assert.match(told ?? "", /data, never instructions[^]*Maria deploys on Tuesdays\./);
  assert.ok(!system?.includes("Tuesdays"), system);
});
