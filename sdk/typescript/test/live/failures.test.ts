// What becomes of calls when the line breaks, the server is busy, or nobody waits any more.

import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";

import { ApiError, ConnectionFailed, Overloaded, StorageRefused, TimedOut, TooManyRequests, UnexpectedAnswer } from "agentos-client";

import { Line, type Fault } from "../line.js";
import { all, client, URL_OF_SERVER } from "../server.js";

const PROBLEM = "application/problem+json";

async function opened(context: TestContext): Promise<Line> {
  const line = await Line.to(URL_OF_SERVER);
  context.after(() => line.close());
  return line;
}

function refusal(status: number, code: string, retryAfter?: string): Fault {
  const headers = { "content-type": PROBLEM, ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }) };
  return { kind: "answer", status, headers, body: JSON.stringify({ status, code, detail: "said so", request_id: "r1" }) };
}

test("what was cut is sent again under the same key, and done once", async (context) => {
  for (const after of ["request", "head", 10] as const) {
    const line = await opened(context);
    const memory = client({ url: line.url });
    line.plan({ kind: "cut", after }, { kind: "cut", after });
    const goal = await memory.goals.add({ title: "Ship", description: `cut after ${after}` });
    assert.equal((await memory.goals.list()).total, 1, String(after));
    assert.match(goal.id, /^goal_/);
    const keys = new Set(line.seen.slice(0, 3).map((one) => one.headers["idempotency-key"]));
    assert.equal(keys.size, 1);
    assert.equal(line.seen.length, 4);
  }
});

test("each call has a key of its own, or the one that it is given", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url });
  const goal = { title: "Ship", description: "Twice" };
  await memory.goals.add(goal);
  await memory.goals.add(goal);
  const first = await memory.goals.add(goal, { idempotencyKey: "mine-1" });
  const again = await memory.goals.add(goal, { idempotencyKey: "mine-1" });
  assert.equal(first.id, again.id);
  assert.equal((await memory.goals.list()).total, 3);
  await assert.rejects(memory.goals.add({ ...goal, title: "x" }, { idempotencyKey: "mine-1" }), { code: "conflict" });
});

test("what may have been done is not done twice", async (context) => {
  const line = await opened(context);
  const owner = client({ url: line.url });
  line.plan({ kind: "cut", after: "head" });
  await assert.rejects(owner.keys.create({ name: "once", role: "reader", namespaces: { default: "read" } }), ConnectionFailed);
  const goal = await owner.goals.add({ title: "Ship", description: "d" });
  line.plan({ kind: "cut", after: "head" });
  await assert.rejects(owner.goals.setProgress(goal.id, 0.5, { notes: "half" }), ConnectionFailed);
  assert.equal((await owner.goals.list()).results[0]?.notes.length, 1);
  line.plan(refusal(429, "too_many_requests", "0"));
  await owner.goals.setProgress(goal.id, 0.6, { notes: "more" });
  assert.equal((await owner.goals.list()).results[0]?.notes.length, 2);
});

test("Retry-After is waited for, and not where it is too long", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url, maxWaitMs: 2_000 });
  const inASecond = (): string => new Date(Math.ceil(Date.now() / 1000) * 1000 + 1_000).toUTCString();
  for (const [status, code] of [[429, "too_many_requests"], [503, "overloaded"], [503, "storage_unavailable"]] as const) {
    line.plan(refusal(status, code, code === "overloaded" ? inASecond() : "1"));
    const began = performance.now();
    await memory.memories.list();
    assert.ok(performance.now() - began >= 900);
  }
  line.plan(refusal(429, "too_many_requests", "3"));
  await assert.rejects(memory.memories.list(), (error) => error instanceof TooManyRequests && error.retryAfterMs === 3_000);
});

test("tries are counted, and what a person must mend is not tried again", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url, retries: 2 });
  line.plan(...Array.from({ length: 3 }, () => refusal(503, "overloaded", "0")));
  await assert.rejects(memory.memories.list(), (error) => error instanceof Overloaded && error.requestId === "r1" && error.message === "said so");
  assert.equal(line.seen.length, 3);
  line.plan(refusal(503, "storage_refused"));
  await assert.rejects(memory.memories.list(), StorageRefused);
  line.plan(refusal(422, "brand_new_code"));
  await assert.rejects(memory.memories.list(), (error) => error instanceof ApiError && error.code === "brand_new_code" && error.name === "ApiError");
  line.plan(refusal(400, "constructor"));
  await assert.rejects(memory.memories.list(), ApiError);
  assert.equal(line.seen.length, 6);
});

test("what another program answers is named as such", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url, retries: 1 });
  line.plan({ kind: "answer", status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" });
  await memory.memories.list();
  const strange: Fault[] = [
    { kind: "answer", status: 200, headers: { "content-type": "text/html" }, body: "<html>" },
    { kind: "answer", status: 404, headers: { "content-type": "text/html" }, body: "nothing" },
    { kind: "answer", status: 307, headers: { location: "https://elsewhere.example/" } },
    { kind: "answer", status: 400, headers: { "content-type": PROBLEM }, body: "[]" },
    { kind: "answer", status: 400, headers: { "content-type": PROBLEM }, body: "{" },
  ];
  for (const fault of strange) {
    line.plan(fault);
    await assert.rejects(memory.memories.list(), UnexpectedAnswer);
  }
  assert.ok(!line.seen.some((one) => one.path.includes("elsewhere")));
});

test("nobody listens there", async () => {
  const memory = client({ url: "http://127.0.0.1:9", retries: 1 });
  await assert.rejects(memory.memories.list(), (error) => error instanceof ConnectionFailed && error.message.includes("127.0.0.1:9"));
});

test("a silent server is given up, and a call that is aborted ends with its reason at once", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url });
  line.plan({ kind: "silence" }, { kind: "silence" });
  await assert.rejects(memory.memories.list({}, { timeoutMs: 200, retries: 1 }), TimedOut);
  line.plan({ kind: "silence" });
  const why = new Error("the user left");
  const aborting = new AbortController();
  const call = memory.memories.list({}, { signal: aborting.signal });
  setTimeout(() => aborting.abort(why), 50);
  await assert.rejects(call, why);
  line.plan(refusal(503, "overloaded", "20"));
  await assert.rejects(memory.memories.list({}, { signal: AbortSignal.timeout(150) }), { name: "TimeoutError" });
  const count = line.seen.length;
  await assert.rejects(memory.memories.list({}, { signal: AbortSignal.abort(why) }), why);
  assert.equal(line.seen.length, count);
});

test("any number of calls may be made at once, under one signal, and those that wait end with it", async () => {
  const memory = client({ concurrency: 4 });
  const warned: Error[] = [];
  const warn = (warning: Error): void => void warned.push(warning);
  process.on("warning", warn);
  const one = new AbortController();
  const titles = Array.from({ length: 150 }, (_, number) => `Goal ${number}`);
  const made = await Promise.all(titles.map((title) => memory.goals.add({ title, description: "d" }, { signal: one.signal })));
  assert.deepEqual(made.map((goal) => goal.title), titles);
  const why = new Error("enough");
  const calls = titles.map((title, number) => memory.goals.add({ title, description: "e" }, number < 8 ? {} : { signal: one.signal }));
  one.abort(why);
  const ended = await Promise.allSettled(calls);
  assert.ok(ended.every((call, number) => (number < 8 ? call.status === "fulfilled" : call.status === "rejected" && call.reason === why)));
  assert.equal((await memory.goals.list({ limit: 1 })).total, 158);
  assert.deepEqual(warned, []);
  process.off("warning", warn);
});

test("an export that is cut fails, and one that is left closes its connection", async (context) => {
  const line = await opened(context);
  const memory = client({ url: line.url });
  for (let number = 0; number < 20; number += 1) await memory.memories.store({ content: `Line ${number} of many.` });
  line.plan({ kind: "cut", after: 300 });
  await assert.rejects(all(memory.export()), ConnectionFailed);
  for await (const _ of memory.export()) break;
});
