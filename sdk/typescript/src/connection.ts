// One server: requests of operations, again where that helps, and their answers.

import { baseOf, filled, query, type Values } from "./address.js";
import { AgentOSError, ConnectionFailed, errorOf, UnexpectedAnswer, type ProblemDetails } from "./errors.js";
import { OPERATIONS, VERSION, type Operation, type Operations } from "./generated.js";
import { Gate } from "./gate.js";
import { retryAfterMs, waitBefore, type RetryPolicy } from "./retries.js";
import { bodyOf, causeOf, chunks, text, type Bundle } from "./streams.js";
import { pause, Watch } from "./watch.js";

const MOST_BYTES = 256 * 2 ** 20;
const MOST_BYTES_OF_A_PROBLEM = 2 ** 16;
/** The media types of bodies. */
const TYPES = { body: "application/json", bundle: "application/x-ndjson", file: "application/octet-stream", query: "" };
const LONGEST_MS = 2 ** 31 - 1;
/** What a key and the values of headers are made of. */
const VISIBLE = /^[\x21-\x7e]+$/;

export type Name = keyof Operations;
/** The parameters of an operation, without those of its path. */
export type Params<N extends Name> = Operations[N]["params"];
/** All parameters of an operation. */
export type Arguments<N extends Name> = Operations[N]["path"] & Operations[N]["params"];
/** What an operation answers, and what is only told where it applies. */
export type Answer<N extends Name> = Operations[N]["result"] & {
  /** The secrets that were taken out of the texts: how many of each kind. */
  redacted?: { [kind: string]: number };
  /** The namespace that it went to, where a policy chose another one. */
  namespace?: string;
};

/** How one request is made. */
export interface RequestOptions {
  /** Ends the request, its retries and its stream; what was sent may still be done. */
  signal?: AbortSignal | undefined;
  /** How long the server may be silent, in milliseconds; each attempt has as long. */
  timeoutMs?: number | undefined;
  /** How often it is tried again. */
  retries?: number | undefined;
  /** The Idempotency-Key; without one, each call of what changes something makes its own. */
  idempotencyKey?: string | undefined;
  /** Further headers, for a proxy. */
  headers?: { readonly [name: string]: string } | undefined;
}

/** What a client is made with. */
export interface AgentOSOptions {
  /** Where `agentos serve` is, with the base path if it has one. Default: AGENTOS_URL, else http://127.0.0.1:8420. */
  url?: string | undefined;
  /** A key of `agentos keys create`, or a token. Default: AGENTOS_KEY. */
  key?: string | undefined;
  /** The namespace of calls that name none. Default: that of the key. */
  namespace?: string | undefined;
  /** How long the server may be silent, in milliseconds. Default: 65 s, a little more than the server takes. */
  timeoutMs?: number | undefined;
  /** How often a call is tried again. Default: 3. */
  retries?: number | undefined;
  /** The longest Retry-After that is waited for, in milliseconds; else the call fails at once. Default: 30 s. */
  maxWaitMs?: number | undefined;
  /** How many calls are under way at once; further ones wait for their turn. Open streams do not count. Default: 32. */
  concurrency?: number | undefined;
  /** Further headers of every request, for a proxy. */
  headers?: { readonly [name: string]: string } | undefined;
  /** What makes requests; for client certificates, proxies. Default: the global fetch. */
  fetch?: typeof fetch | undefined;
}

interface Prepared {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export class Connection {
  readonly #base: string;
  readonly #key: string;
  readonly #namespace: string | undefined;
  readonly #timeoutMs: number;
  readonly #policy: RetryPolicy;
  readonly #headers: { readonly [name: string]: string };
  readonly #fetch: typeof fetch;
  readonly #gate: Gate;

  /** Throws TypeError where an option cannot be used. */
  constructor(options: AgentOSOptions) {
    const key = options.key ?? process.env["AGENTOS_KEY"] ?? "";
    if (!VISIBLE.test(key)) throw new TypeError("key: give the secret of `agentos keys create`, or set AGENTOS_KEY");
    this.#base = baseOf(options.url ?? (process.env["AGENTOS_URL"] || "http://127.0.0.1:8420"));
    this.#key = key;
    this.#namespace = options.namespace;
    this.#timeoutMs = milliseconds("timeoutMs", options.timeoutMs ?? 65_000);
    this.#policy = {
      retries: count("retries", options.retries ?? 3),
      maxWaitMs: milliseconds("maxWaitMs", options.maxWaitMs ?? 30_000),
    };
    this.#gate = new Gate(count("concurrency", options.concurrency ?? 32) || 1);
    this.#headers = options.headers ?? {};
    this.#fetch = options.fetch ?? fetch;
  }

  /** Return what an operation answers. Throws AgentOSError, and the reason of an aborted signal. */
  async call<N extends Name>(name: N, given: Arguments<N>, options: RequestOptions = {}): Promise<Answer<N>> {
    return this.#retried(OPERATIONS[name], given, options, undefined, async (response, watch) =>
      parsed(response.status, await text(response, watch, MOST_BYTES)),
    ) as Promise<Answer<N>>;
  }

  /** Return what an operation answers whose body is a bundle or a file. Throws as `call` does. */
  async send<N extends Name>(name: N, given: Arguments<N>, bundle: Bundle, options: RequestOptions = {}): Promise<Answer<N>> {
    return this.#retried(OPERATIONS[name], given, options, bundle, async (response, watch) =>
      parsed(response.status, await text(response, watch, MOST_BYTES)),
    ) as Promise<Answer<N>>;
  }

  /** Return the parts of a streamed answer, once it has begun; read them, or return them. Throws as `call` does. */
  open<N extends Name>(name: N, given: Arguments<N>, options: RequestOptions = {}): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
    return this.#retried(OPERATIONS[name], given, options, undefined, async (response, watch) => chunks(response, watch));
  }

  async #retried<Value>(
    operation: Operation,
    given: object,
    options: RequestOptions,
    bundle: Bundle | undefined,
    read: (response: Response, watch: Watch) => Promise<Value>,
  ): Promise<Value> {
    const prepared = this.#prepared(operation, given, options, bundle);
    const isOneTime = typeof bundle === "object" && !(bundle instanceof Uint8Array);
    const timeoutMs = milliseconds("timeoutMs", options.timeoutMs ?? this.#timeoutMs);
    const retries = isOneTime ? 0 : count("retries", options.retries ?? this.#policy.retries);
    const policy = { ...this.#policy, retries };
    for (let attempt = 0; ; attempt += 1) {
      const watch = new Watch(options.signal, timeoutMs);
      try {
        return await this.#gate.through(options.signal, async () => read(await this.#answered(operation, prepared, bundle, watch), watch));
      } catch (error) {
        watch.end();
        const wait = waitBefore(error, attempt, operation.repeatable, policy);
        if (wait === undefined) throw error;
        await pause(wait, options.signal);
      }
    }
  }

  #prepared(operation: Operation, given: object, options: RequestOptions, bundle: Bundle | undefined): Prepared {
    const own = operation.namespaced && this.#namespace !== undefined ? { namespace: this.#namespace } : {};
    const [path, values] = filled(operation.path, { ...own, ...withoutUndefined(given) });
    const hasBody = operation.sends === "body";
    const headers = new Headers({ ...this.#headers, ...options.headers });
    headers.set("authorization", `Bearer ${this.#key}`);
    headers.set("accept", "application/json, application/x-ndjson, text/event-stream, application/problem+json");
    headers.set("user-agent", `agentos-client/${VERSION} (TypeScript)`);
    if (hasBody || bundle !== undefined) headers.set("content-type", TYPES[operation.sends]);
    if (operation.once) headers.set("idempotency-key", options.idempotencyKey ?? crypto.randomUUID());
    return {
      url: this.#base + path + (hasBody ? "" : query(values)),
      headers,
      body: hasBody ? JSON.stringify(values, wellFormed) : undefined,
    };
  }

  async #answered(operation: Operation, prepared: Prepared, bundle: Bundle | undefined, watch: Watch): Promise<Response> {
    const init = {
      method: operation.method,
      headers: prepared.headers,
      body: bundle === undefined ? (prepared.body ?? null) : bodyOf(bundle, watch),
      redirect: "manual" as const,
      duplex: "half" as const,
      signal: watch.signal,
    };
    const response = await watch.during(async () => {
      try {
        return await this.#fetch(prepared.url, init);
      } catch (error) {
        const cause = causeOf(error);
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new ConnectionFailed(`${this.#base} could not be reached: ${why}`, { cause });
      }
    });
    if (response.ok) return response;
    throw await this.#refusal(response, watch);
  }

  async #refusal(response: Response, watch: Watch): Promise<AgentOSError> {
    const wait = retryAfterMs(response.headers.get("retry-after"));
    const kind = mediaType(response);
    if (kind === "application/problem+json") {
      const problem = parsed(response.status, await text(response, watch, MOST_BYTES_OF_A_PROBLEM));
      if (isProblem(problem)) return errorOf(problem, wait);
    }
    const goes = response.headers.get("location");
    const hint = goes === null ? `is ${this.#base} the address of AgentOS?` : `it leads to ${goes}: give that address as url`;
    return new UnexpectedAnswer(`answered with ${response.status} ${kind}, not by AgentOS: ${hint}`, response.status, wait);
  }
}

function parsed(status: number, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new UnexpectedAnswer(`the answer is no JSON: ${String(error)}`, status);
  }
}

function isProblem(value: unknown): value is ProblemDetails {
  return (
    typeof value === "object" &&
    value !== null &&
    ["code", "detail"].every((name) => typeof (value as Values)[name] === "string") &&
    typeof (value as Values)["status"] === "number"
  );
}

function mediaType(response: Response): string {
  return (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** Return a time that a timer can wait for. Throws TypeError. */
function milliseconds(name: string, value: number): number {
  if (value >= 0 && value <= LONGEST_MS) return value;
  throw new TypeError(`${name}: must be milliseconds, 0 to ${LONGEST_MS}`);
}

/** Return a number of things. Throws TypeError. */
function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new TypeError(`${name}: must be a whole number, 0 or more`);
}

function withoutUndefined(values: object): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Replace halves of characters, as a text cut by `slice` may end in, which are not valid Unicode. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}
