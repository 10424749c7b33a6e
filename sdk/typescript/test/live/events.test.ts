// Events: each once, in order, over broken connections.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test from "node:test";

import { AgentOS, InvalidInput, Unauthenticated } from "agentos-client";

import { Line } from "../line.js";
import { client, URL_OF_SERVER } from "../server.js";

const WITHIN_MS = 60_000;

test("changes are followed by their types, and a loop that is left ends the stream", async () => {
  const memory = client();
  const stored = await memory.memories.store({ content: "Before." });
  const goal = await memory.goals.add({ title: "Ship", description: "d" });
  for await (const event of memory.events({ cursor: 0, types: ["goal"] })) {
    assert.equal(event.subject, goal.id);
    assert.equal(event.type, "goal.add");
    assert.ok(event.id > 0 && Date.parse(event.at) > 0);
    break;
  }
  for await (const event of memory.events({ cursor: 0 })) {
    assert.equal(event.subject, stored.id);
    break;
  }
});

test("a stream that is cut again and again misses nothing and tells nothing twice", { timeout: WITHIN_MS }, async (context) => {
  const line = await Line.to(URL_OF_SERVER);
  context.after(() => line.close());
  const namespace = `test-${randomUUID().slice(0, 8)}`;
  const direct = new AgentOS({ namespace });
  await direct.memories.store({ content: "The namespace is there." });
  for (const after of ["part", "request", 400, 150, "request"] as const) line.plan({ kind: "cut", after });
  const events = new AgentOS({ url: line.url, namespace }).events();
  const first = events.next(); // from here on
  while (line.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const stored: string[] = [];
  for (let number = 0; number < 12; number += 1) stored.push((await direct.memories.store({ content: `Fact ${number} of ${namespace}` })).id);
  const seen: string[] = [];
  for (let next = await first; ; next = await events.next()) {
    assert.ok(next.done !== true);
    seen.push(next.value.subject);
    if (seen.length === stored.length) break;
  }
  await events.return();
  assert.deepEqual(seen, stored);
  assert.ok(line.seen.slice(1).every((one) => one.headers["last-event-id"] !== undefined));
});

test("a stream ends by its signal, by what is refused, and when the server stays away", { timeout: WITHIN_MS }, async (context) => {
  const memory = client();
  await memory.memories.store({ content: "The namespace is there." });
  const aborting = new AbortController();
  const why = new Error("enough");
  const next = memory.events({}, { signal: aborting.signal }).next();
  setTimeout(() => aborting.abort(why), 100);
  await assert.rejects(next, why);
  await assert.rejects(memory.events({ types: ["weather"] }).next(), InvalidInput);
  await assert.rejects(new AgentOS({ key: "a-key-that-opens-nothing" }).events().next(), Unauthenticated);

  const line = await Line.to(URL_OF_SERVER);
  context.after(() => line.close());
  const lost = new AgentOS({ url: line.url, retries: 0 }).events({ cursor: 0 }, { reconnectForMs: 1 });
  await lost.next();
  line.close();
  await assert.rejects(async () => {
    for await (const _ of lost);
  }, { name: "ConnectionFailed" });
});
