// Every resource at a real server.

import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import test from "node:test";
import { inspect } from "node:util";

import { AgentOS, Conflict, InvalidInput, NotFound, Unauthenticated, type FullHit } from "agentos-client";

import { all, client, URL_OF_SERVER } from "../server.js";

test("a memory is stored, found, changed, judged and deleted", async () => {
  const memory = client();
  const stored = await memory.memories.store({ content: "Maria deploys on Tuesdays.", tags: ["deploys"] });
  const page = await memory.search({ query: "When does Maria deploy?" });
  const hit: FullHit | undefined = page.results[0];
  assert.equal(hit?.content, "Maria deploys on Tuesdays.");
  assert.deepEqual(hit?.tags, ["deploys"]);
  const lean = await memory.search({ query: "Maria", detail: "lean" });
  assert.match(lean.results[0]?.date ?? "", /^\d{4}-/);

  const changed = await memory.memories.update(stored.id, { content: "Maria deploys on Fridays.", version: 1 });
  await assert.rejects(memory.memories.update(stored.id, { content: "x", version: 1 }), Conflict);
  assert.equal(changed.version, 2);
  const details = await memory.memories.get(stored.id);
  assert.equal(details.history[0]?.content, "Maria deploys on Tuesdays.");
  await memory.memories.setImportance(stored.id, 0.9);
  assert.equal((await memory.memories.timeline(stored.id)).results.length, 1);
  assert.equal((await memory.memories.feedback(stored.id, { verdict: "confirm" })).id, stored.id);
  assert.equal((await memory.memories.delete(stored.id)).deleted, 1);
  await assert.rejects(memory.memories.get("mem_00000000000000000000"), NotFound);
});

test("a batch says which memories were refused, and pages go on until the last", async () => {
  const memory = client();
  const batch = Array.from({ length: 45 }, (_, number) => ({ content: `Item ${number} is in box ${number * 7}.`, tags: ["box"] }));
  const done = await memory.memories.storeBatch([...batch, { content: "" }]);
  assert.equal(done.results.length, 45);
  assert.equal(done.refused.length, 1);
  const listed = memory.memories.list({ limit: 10, tags: ["box"] });
  const first = await listed;
  assert.equal(first.results.length, 10);
  assert.equal(first.total, 45);
  assert.equal(new Set((await all(listed)).map((one) => one.id)).size, 45);
  assert.equal((await all(memory.memories.list({ limit: 20, detail: "lean" }).pages())).length, 3);
  const hits = await all(memory.search({ query: "Which item is in a box?", limit: 10 }));
  assert.equal(new Set(hits.map((one) => one.id)).size, hits.length);
  assert.ok(hits.length > 10);
  for await (const one of memory.memories.list({ limit: 3 })) {
    assert.ok(one.version >= 1);
    break;
  }
  const before = new Date(Date.now() + 60_000).toISOString();
  assert.equal((await memory.memories.deleteWhere({ tags: ["box"], before })).deleted, 45);
});

test("goals, reflections, patterns, insights, procedures and approvals", async () => {
  const memory = client();
  const goal = await memory.goals.add({ title: "Ship 2.0", description: "All tests pass.", tags: ["release"] });
  assert.equal((await memory.goals.list()).results[0]?.description, "All tests pass.");
  assert.equal((await memory.goals.list({ detail: "lean" })).results[0]?.title, "Ship 2.0");
  assert.equal((await memory.goals.active()).results[0]?.id, goal.id);
  assert.equal((await memory.goals.tree()).total, 1);
  await memory.goals.update(goal.id, { title: "Ship 2.0 in May" });
  assert.equal((await memory.goals.setProgress(goal.id, 0.5)).progress, 0.5);
  assert.equal((await memory.goals.setStatus(goal.id, "paused")).status, "paused");

  await memory.reflections.log({ action: "deploy", outcome: "It worked.", success: true, goal_id: goal.id });
  assert.equal((await memory.reflections.analyze()).total_actions, 1);
  assert.equal((await memory.reflections.summary({ days: 7 })).total_actions, 1);
  assert.ok(Array.isArray((await memory.patterns.list()).patterns));
  await assert.rejects(memory.insights.setStatus("insight_00000000000000000000", "dismissed"), NotFound);
  assert.deepEqual((await memory.procedures.relevant({ query: "deploy" })).procedures, []);
  await memory.procedures.mine();
  await assert.rejects(memory.procedures.promote("proc_00000000000000000000"), NotFound);

  const request = { action: "deploy", subject: "production", reason: "2.0", impact: 0.9, reversibility: 0.1, sensitivity: 0.5 };
  const approval = await memory.approvals.request(request);
  assert.equal((await memory.approvals.get(approval.id)).status, "pending");
  assert.equal((await memory.approvals.list()).total, 1);
});

test("sessions, turns, observations, consolidations and tiers", async () => {
  const memory = client();
  const session = `chat ${Date.now()} – Grüße 🌻`;
  const added = await memory.turns.add(session, { role: "user", content: "Which database do we use?", answer: "SQLite.", key: "1" });
  assert.ok(!added.duplicate);
  assert.ok((await memory.turns.add(session, { role: "user", content: "Which database do we use?", answer: "SQLite.", key: "1" })).duplicate);
  assert.equal((await memory.turns.window(session)).results.length, 2);
  const kept = await memory.add([{ role: "user", content: "I live in Porto." }, { role: "assistant", content: null }]);
  assert.equal(kept.new, 1);
  assert.deepEqual(kept.facts?.map((one) => one.text), ["The user lives in Porto."]);
  assert.deepEqual(kept.skipped, { "messages without text": 1 });
  const turn = (await memory.turns.window(session)).results[0];
  const branch = await memory.sessions.branch(`${session} again`, { parent: session });
  assert.equal(branch.parent, session);
  assert.ok(turn !== undefined);
  await memory.sessions.consolidate(session);
  assert.ok(Array.isArray((await memory.consolidations.list()).summaries));
  assert.ok((await memory.tiers.status()).short !== undefined);
  assert.ok((await memory.tiers.recall({ query: "database" })).short_term !== undefined);
  await assert.rejects(memory.tiers.restore("seg_00000000000000000000"), NotFound);
  const opened = await memory.sessions.open({ name: "s1", folder: "/srv/project", title: "First" });
  await memory.sessions.update(opened.id, { title: "Second" });
  assert.equal((await memory.sessions.list()).results.find((one) => one.id === opened.id)?.title, "Second");
  assert.ok(Array.isArray((await memory.sessions.timeline(opened.id)).results));
  assert.deepEqual((await memory.observations.search({ query: "database" })).results, []);
  assert.equal((await memory.observations.read(["obs_00000000000000000000"])).missing.length, 1);
});

test("the profile and the graph", async () => {
  const memory = client();
  const { key } = await memory.profile.set("language", "English");
  assert.equal((await memory.profile.get({ keys: [key] })).entries[0]?.values[0]?.value, "English");
  const { graph } = memory;
  const service = await graph.addNode({ node_type: "concept", label: "billing" });
  const store = await graph.addNode({ node_type: "concept", label: "ledger" });
  await graph.addEdge({ source_node_id: service.id, target_node_id: store.id, edge_type: "depends_on" });
  await graph.addAlias(store.id, "the books");
  assert.equal((await graph.findNodes({ label_contains: "bill" })).total, 1);
  assert.equal((await graph.neighbours(service.id)).outgoing.length, 1);
  assert.equal((await graph.impact(store.id)).total_affected, 1);
  assert.equal((await graph.path({ source_node_id: service.id, target_node_id: store.id })).hops, 1);
  assert.ok((await graph.stats()).total_nodes >= 2);
  assert.ok((await graph.subgraph({ query: "billing" })).nodes.length >= 1);
  assert.equal((await graph.extract({ text: "Maria works on Atlas." })).method, "rules");
  assert.equal((await graph.deleteNode(store.id)).deleted, true);
});

test("the snapshot, the context, the usage and the health", async () => {
  const memory = client();
  await memory.memories.store({ content: "The release is on Friday." });
  assert.equal((await memory.snapshot()).top_memories[0]?.content, "The release is on Friday.");
  assert.ok((await memory.context({ query: "When is the release?", max_tokens: 500 })).parts.length >= 1);
  assert.ok(Array.isArray((await memory.usage({ days: 1 })).results));
  assert.ok((await memory.health()).components["store"]);
});

test("namespaces, grants, keys, tokens, backups, jobs and sealed memories", async () => {
  const owner = new AgentOS();
  assert.equal((await owner.auth.caller()).role, "owner");
  await owner.memories.store({ content: "A note of the team.", namespace: "team" });
  assert.ok((await owner.namespaces.list()).results.some((one) => one.name === "team"));
  assert.deepEqual((await owner.namespaces.set("team", { reads: [] })).reads, []);
  const made = await owner.keys.create({ name: "reader", role: "reader", namespaces: { team: "read" } });
  const reader = new AgentOS({ key: made.secret ?? "" });
  assert.equal((await reader.memories.list()).total, 1);
  await assert.rejects(reader.memories.store({ content: "x" }), { code: "permission_denied", status: 403 });
  const token = await reader.auth.token({ seconds: 60 });
  assert.equal((await new AgentOS({ key: token.token }).memories.list()).total, 1);
  await owner.grants.create({ namespace: "default", principal: made.principal, right: "read" });
  assert.ok((await owner.grants.list()).results.some((one) => one.principal === made.principal));
  assert.ok((await owner.grants.remove({ namespace: "default", principal: made.principal })).removed);
  const next = await owner.keys.rotate(made.prefix, { overlap_hours: 0 });
  assert.notEqual(next.secret, made.secret);
  await owner.keys.revoke(next.prefix);
  assert.equal((await owner.keys.list()).results.find((one) => one.prefix === next.prefix)?.secret, null);
  await assert.rejects(new AgentOS({ key: next.secret ?? "" }).memories.list(), Unauthenticated);

  const backup = await owner.backups.make();
  assert.ok((await owner.backups.list()).results.some((one) => one.name === backup.name));
  assert.ok(Array.isArray((await owner.jobs.list()).results));
  await assert.rejects(owner.jobs.run("task_00000000000000000000"));
  await assert.rejects(owner.jobs.cancel("task_00000000000000000000"));

  const sealed = await owner.sealed.store({ content: "b64:x9", embedding: [1, 0, 0] });
  assert.equal((await owner.sealed.search({ embedding: [1, 0, 0] })).results[0]?.id, sealed.id);
  assert.equal((await owner.sealed.get(sealed.id)).content, "b64:x9");
  assert.equal((await owner.sealed.delete(sealed.id)).deleted, 1);
});

test("a file is kept, given back and erased", async () => {
  const memory = new AgentOS({ namespace: "files" });
  const data = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(200_000)]);
  const { attachment } = await memory.attachments.add("Plan ü.png", data, { caption: "Plan of the kiln" });
  assert.equal((await memory.attachments.list()).results[0]?.name, "Plan ü.png");
  assert.deepEqual(Buffer.concat(await all(memory.attachments.bytes(attachment.memory_id))), data);
  assert.equal((await memory.attachments.remove(attachment.memory_id)).deleted, 1);
});

test("where no folder is followed no code is tied to notes", async () => {
  const memory = new AgentOS({ namespace: "anchors" });
  const { id } = await memory.memories.store({ content: "The retry lives in src/net.py." });
  assert.deepEqual((await memory.anchors.list({ marked: true })).results, []);
  assert.deepEqual((await memory.anchors.confirm(id)).results, []);
  await assert.rejects(memory.anchors.drop(id), NotFound);
});

test("a bundle goes out line by line, and comes in as bytes, as a text and as a stream", async () => {
  const memory = new AgentOS();
  await memory.memories.store({ content: "Kept in a bundle: Grüße, 世界, 🌻.", namespace: "bundle" });
  const exported = await all(memory.export({ namespace: "bundle" }));
  assert.equal(exported[0]?.["agentos_bundle"], 1);
  assert.ok("end" in (exported.at(-1) ?? {}));
  assert.ok(JSON.stringify(exported).includes("Grüße, 世界, 🌻"));
  const bytes = Buffer.concat(await all(memory.exportBytes({ namespace: "bundle" })));
  assert.equal((await memory.import(bytes, { dry_run: true })).dry_run, true);
  assert.equal((await memory.import(bytes.toString())).new["memories"] ?? 0, 0);
  assert.ok(((await memory.import(memory.exportBytes({ namespace: "bundle" }))).known["memories"] ?? 0) >= 1);
  await assert.rejects(memory.import("no bundle"), InvalidInput);
  await assert.rejects(memory.import(createReadStream("nowhere.jsonl")), { code: "ENOENT" });
  await assert.rejects(new AgentOS({ key: "a-key-that-opens-nothing" }).import(memory.exportBytes()), Unauthenticated);
});

test("any operation can be called by its name, and what is redacted is told", async () => {
  const memory = client();
  const secret = ["ghp", "k3Jd82HsLq0Zx7Vb5Nm1Pw4Rt6Yu9Ea2Sc8F"].join("_");
  const stored = await memory.call("memory_store", { content: `My token is ${secret}.` });
  assert.equal(Object.values(stored.redacted ?? {}).length, 1);
  assert.ok(!(await memory.memories.get(stored.id)).content.includes(secret));
});

test("texts of any kind arrive as they are, and half a character as the sign for it", async () => {
  const memory = client();
  const content = 'Grüße "quoted" \\ 世界 🌻\n\u202eright to left\u202c \u0007 & ? # % + / =';
  const { id } = await memory.memories.store({ content });
  const { id: half } = await memory.memories.store({ content: "A flower 🌻 cut".slice(0, 10) });
  assert.ok((await memory.memories.get(id)).content.includes("世界 🌻"));
  assert.equal((await memory.memories.get(half)).content, "A flower \ufffd");
  const found = await memory.memories.list({ tags: ["ü&b=c d", "🌻"] });
  assert.equal(found.total, 0);
});

test("what cannot be sent is refused before anything is sent", async () => {
  for (const id of ["", ".", "..", "a/b", "\ud800"]) await assert.rejects(client().memories.delete(id), TypeError);
  assert.throws(() => new AgentOS({ key: "with\nnewline" }), /^TypeError: key: /);
  assert.throws(() => new AgentOS({ key: "" }), /AGENTOS_KEY/);
  assert.throws(() => new AgentOS({ url: "nowhere" }), /no address/);
  assert.throws(() => new AgentOS({ url: `${URL_OF_SERVER}/?x=1` }), /path/);
  for (const wrong of [NaN, Infinity, -1, 2 ** 40]) {
    assert.throws(() => new AgentOS({ timeoutMs: wrong }), /timeoutMs/);
    await assert.rejects(client().memories.list({}, { timeoutMs: wrong }), /timeoutMs/);
  }
  for (const wrong of [NaN, Infinity, -1, 0.5]) await assert.rejects(client().memories.list({}, { retries: wrong }), /retries/);
  assert.throws(() => new AgentOS({ url: "ftp://host" }), /http/);
  assert.throws(() => new AgentOS({ url: "http://user:secret@host" }), (error) => !String(error).includes("secret"));
  const secret = "a-secret-that-nobody-prints";
  assert.ok(!inspect(new AgentOS({ key: secret }), { depth: 9, showHidden: true }).includes(secret));
  await assert.rejects(client().search({ query: "" }), (error) => error instanceof InvalidInput && error.field === "query");
});
