// The client: resources of a server, and what is asked of the server as a whole.

import { Connection, type AgentOSOptions, type Answer, type Arguments, type Name, type Params, type RequestOptions } from "./connection.js";
import { UnexpectedAnswer } from "./errors.js";
import { follow, type ChangeEvent, type EventOptions } from "./events.js";
import type { Paged } from "./pages.js";
import { Attachments } from "./resources/attachments.js";
import { Auth, Backups, Branches, Grants, Jobs, Keys, Namespaces } from "./resources/administration.js";
import { Consolidations, Observations, Sessions, Tiers, Turns } from "./resources/conversations.js";
import { Anchors, Graph, Lessons, Profile } from "./resources/knowledge.js";
import { Memories, search, SealedMemories, type Detail, type Hits, type SearchPage, type SearchParams } from "./resources/memories.js";
import { Approvals, Goals, Insights, Patterns, Procedures, Reflections } from "./resources/work.js";
import { lines, type Bundle } from "./streams.js";

const MOST_CHARACTERS_OF_A_LINE = 64 * 2 ** 20;

/** A line of a bundle: its head, a row of a table, or its end. */
export type BundleLine = { [name: string]: unknown };

/** The memory of an AgentOS server. One client serves a whole program, and needs no closing. */
export class AgentOS {
  readonly #connection: Connection;
  readonly memories: Memories;
  readonly sealed: SealedMemories;
  readonly attachments: Attachments;
  readonly goals: Goals;
  readonly reflections: Reflections;
  readonly patterns: Patterns;
  readonly insights: Insights;
  readonly procedures: Procedures;
  readonly approvals: Approvals;
  readonly sessions: Sessions;
  readonly turns: Turns;
  readonly observations: Observations;
  readonly consolidations: Consolidations;
  readonly tiers: Tiers;
  readonly profile: Profile;
  readonly graph: Graph;
  readonly lessons: Lessons;
  readonly anchors: Anchors;
  readonly namespaces: Namespaces;
  readonly grants: Grants;
  readonly keys: Keys;
  readonly branches: Branches;
  readonly auth: Auth;
  readonly backups: Backups;
  readonly jobs: Jobs;

  /** Nothing is sent yet. Throws TypeError where an option cannot be used. */
  constructor(options: AgentOSOptions = {}) {
    const connection = new Connection(options);
    this.#connection = connection;
    this.memories = new Memories(connection);
    this.sealed = new SealedMemories(connection);
    this.attachments = new Attachments(connection);
    this.goals = new Goals(connection);
    this.reflections = new Reflections(connection);
    this.patterns = new Patterns(connection);
    this.insights = new Insights(connection);
    this.procedures = new Procedures(connection);
    this.approvals = new Approvals(connection);
    this.sessions = new Sessions(connection);
    this.turns = new Turns(connection);
    this.observations = new Observations(connection);
    this.consolidations = new Consolidations(connection);
    this.tiers = new Tiers(connection);
    this.profile = new Profile(connection);
    this.graph = new Graph(connection);
    this.lessons = new Lessons(connection);
    this.anchors = new Anchors(connection);
    this.namespaces = new Namespaces(connection);
    this.grants = new Grants(connection);
    this.keys = new Keys(connection);
    this.branches = new Branches(connection);
    this.auth = new Auth(connection);
    this.backups = new Backups(connection);
    this.jobs = new Jobs(connection);
  }

  /** Store a conversation's messages, each once and in order, and the facts that they state. */
  add(
    messages: Params<"conversation_add">["messages"],
    params: Omit<Params<"conversation_add">, "messages"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"conversation_add">> {
    return this.#connection.call("conversation_add", { ...params, messages }, options);
  }

  /** Search memories: the best ones by `await`, further ones by `for await`. */
  search<D extends Detail = "full">(params: SearchParams<D>, options?: RequestOptions): Paged<Hits[D], SearchPage<D>> {
    return search(this.#connection, params, options);
  }

  /** Answer a question in sentences that name their memories, or say that it is not known. */
  ask(question: string, params: Omit<Params<"memory_ask">, "question"> = {}, options?: RequestOptions): Promise<Answer<"memory_ask">> {
    return this.#connection.call("memory_ask", { ...params, question }, options);
  }

  /** Read what an agent should know at its start. */
  snapshot(params: Params<"context_get_snapshot"> = {}, options?: RequestOptions): Promise<Answer<"context_get_snapshot">> {
    return this.#connection.call("context_get_snapshot", params, options);
  }

  /** Compile what matters for a query, within a budget of tokens. */
  context(params: Params<"context_compile"> = {}, options?: RequestOptions): Promise<Answer<"context_compile">> {
    return this.#connection.call("context_compile", params, options);
  }

  /** Tell the state of each component. */
  health(options?: RequestOptions): Promise<Answer<"health">> {
    return this.#connection.call("health", {}, options);
  }

  /** Tell what the tools are used for, day by day. */
  usage(params: Params<"usage"> = {}, options?: RequestOptions): Promise<Answer<"usage">> {
    return this.#connection.call("usage", params, options);
  }

  /** Follow every change from now on (or after `cursor`), also over restarts of the server. */
  events(params: Params<"stream_events"> = {}, options: EventOptions = {}): AsyncGenerator<ChangeEvent, void, undefined> {
    return follow(this.#connection, params, options);
  }

  /** Read what the key may read, line by line. To keep it, write `exportBytes` to a file: numbers stay as they are. */
  async *export(params: Params<"export_bundle"> = {}, options?: RequestOptions): AsyncGenerator<BundleLine, void, undefined> {
    for await (const line of lines(this.exportBytes(params, options), MOST_CHARACTERS_OF_A_LINE)) {
      try {
        yield JSON.parse(line) as BundleLine;
      } catch (error) {
        throw new UnexpectedAnswer(`a line of the bundle is no JSON: ${String(error)}`, 200);
      }
    }
  }

  /** Read what the key may read, as the bytes of a bundle. */
  async *exportBytes(params: Params<"export_bundle"> = {}, options?: RequestOptions): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await this.#connection.open("export_bundle", params, options);
  }

  /** Import a bundle. A stream can be sent only once, so that it is not tried again. */
  import(bundle: Bundle, params: Params<"import_bundle"> = {}, options?: RequestOptions): Promise<Answer<"import_bundle">> {
    return this.#connection.send("import_bundle", params, bundle, options);
  }

  /** Call an operation by its name in the OpenAPI document. */
  call<N extends Name>(name: N, params: Arguments<N>, options?: RequestOptions): Promise<Answer<N>> {
    return this.#connection.call(name, params, options);
  }
}
