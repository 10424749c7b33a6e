// Server-sent events: every change as it happens, gone on with where the stream was cut.

import type { Connection, Params, RequestOptions } from "./connection.js";
import { UnexpectedAnswer } from "./errors.js";
import { growing, isPassing } from "./retries.js";
import { lines } from "./streams.js";
import { pause } from "./watch.js";

/** The server says every 15 s that it is there. */
const SILENT_MS = 45_000;
const LONGEST_WAIT_MS = 15_000;
const MOST_CHARACTERS = 2 ** 20;

/** A change, without texts; `id` is the cursor that goes on after it. */
export interface ChangeEvent {
  id: number;
  /** `memory.store`, `goal.add`, … */
  type: string;
  /** The id of what changed. */
  subject: string;
  namespace: string;
  at: string;
  detail: { [name: string]: unknown };
}

/** How events are followed. */
export interface EventOptions extends Pick<RequestOptions, "signal" | "timeoutMs" | "retries" | "headers"> {
  /** How long it tries to come back to a server that is away, in milliseconds. Default: 5 minutes. */
  reconnectForMs?: number | undefined;
}

/** Yield events until the signal is aborted or the loop is left. Throws AgentOSError, and the signal's reason. */
export async function* follow(
  connection: Connection,
  { cursor, ...wanted }: Params<"stream_events">,
  { reconnectForMs = 300_000, ...options }: EventOptions,
): AsyncGenerator<ChangeEvent, void, undefined> {
  let last: string | undefined;
  let waitMs = 1_000;
  let failures = 0;
  let givesUpAt: number | undefined;
  for (;;) {
    const begin = last === undefined && cursor !== undefined ? { cursor } : {};
    const headers = { ...options.headers, ...(last === undefined ? {} : { "last-event-id": last }) };
    try {
      const parts = await connection.open("stream_events", { ...wanted, ...begin }, { timeoutMs: SILENT_MS, ...options, headers });
      givesUpAt = Date.now() + reconnectForMs;
      for await (const block of blocks(lines(parts, MOST_CHARACTERS))) {
        failures = 0;
        waitMs = block.retryMs ?? waitMs;
        last = block.id ?? last;
        if (block.data !== "" && last !== undefined) yield { ...eventOf(block.data), id: Number(last) };
        givesUpAt = Date.now() + reconnectForMs;
      }
    } catch (error) {
      if (givesUpAt === undefined || Date.now() >= givesUpAt || !isPassing(error)) throw error;
      failures += 1;
    }
    await pause(growing(failures, waitMs, LONGEST_WAIT_MS), options.signal);
  }
}

interface Block {
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
  readonly data: string;
}

/** Yield the blocks of a stream; one that was cut is left out. */
async function* blocks(read: AsyncIterable<string>): AsyncGenerator<Block, void, undefined> {
  let id: string | undefined;
  let retryMs: number | undefined;
  let data: string[] = [];
  let size = 0;
  for await (const line of read) {
    if (line === "") {
      yield { id, retryMs, data: data.join("\n") };
      id = retryMs = undefined;
      data = [];
      size = 0;
      continue;
    }
    size += line.length;
    if (size > MOST_CHARACTERS) throw new UnexpectedAnswer(`an event has more than ${MOST_CHARACTERS} characters`, 200);
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "id" && /^\d{1,18}$/.test(value)) id = value;
    else if (field === "retry" && /^\d{1,6}$/.test(value)) retryMs = Number(value);
    else if (field === "data") data.push(value);
  }
}

function eventOf(data: string): Omit<ChangeEvent, "id"> {
  try {
    return JSON.parse(data) as Omit<ChangeEvent, "id">;
  } catch (error) {
    throw new UnexpectedAnswer(`an event is no JSON: ${String(error)}`, 200);
  }
}
