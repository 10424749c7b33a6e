// A server below a base path, with a small rate of requests.

import assert from "node:assert/strict";
import test from "node:test";

import { AgentOS, TooManyRequests } from "agentos-client";

import { URL_OF_SERVER } from "../server.js";

test("more calls than the rate allows are spread, and all are answered", { timeout: 120_000 }, async () => {
  const memory = new AgentOS({ retries: 20 });
  const calls = Array.from({ length: 130 }, () => memory.auth.caller());
  assert.ok((await Promise.all(calls)).every((one) => one.role === "owner"));
  const impatient = new AgentOS({ retries: 0 });
  const outcomes = await Promise.allSettled(Array.from({ length: 130 }, () => impatient.auth.caller()));
  const refused = outcomes.filter((one) => one.status === "rejected").map((one) => one.reason as unknown);
  assert.ok(refused.length > 0 && refused.every((one) => one instanceof TooManyRequests && (one.retryAfterMs ?? 0) >= 1_000));
});

test("a base path may end in a slash", async () => {
  for (const url of [URL_OF_SERVER, `${URL_OF_SERVER}/`]) assert.ok((await new AgentOS({ url, retries: 20 }).health()).version);
});
