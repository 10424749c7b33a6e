// Whether a failed request is made again, and when.

import { ApiError, ConnectionFailed, TimedOut, UnexpectedAnswer } from "./errors.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;
/** What failed before anything was sent. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
/** What a proxy answers while the server behind it is away. */
const PASSING = new Set([429, 502, 503, 504]);

/** How often a request is made again, and for how long it waits when the server says how long. */
export interface RetryPolicy {
  readonly retries: number;
  readonly maxWaitMs: number;
}

/**
 * Return how many milliseconds to wait before the next attempt; undefined to give up.
 *
 * `attempt` counts from 0. What is not `repeatable` is made again only where it was certainly not done.
 */
export function waitBefore(error: unknown, attempt: number, repeatable: boolean, policy: RetryPolicy): number | undefined {
  if (attempt >= policy.retries || !(wasNotDone(error) || (repeatable && isPassing(error)))) return undefined;
  const asked = error instanceof ApiError || error instanceof UnexpectedAnswer ? error.retryAfterMs : undefined;
  if (asked !== undefined) return asked <= policy.maxWaitMs ? asked + Math.random() * FIRST_WAIT_MS : undefined;
  return growing(attempt, FIRST_WAIT_MS, LONGEST_WAIT_MS);
}

/** Return a wait that doubles with each attempt up to a limit, spread so that clients do not come all at once. */
export function growing(attempt: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 30)) * (0.5 + Math.random() / 2);
}

function wasNotDone(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof UnexpectedAnswer) return error.status === 429;
  return error instanceof ConnectionFailed && NEVER_SENT.has(codeOf(error.cause));
}

/** Return whether the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionFailed || error instanceof TimedOut) return true;
  if (error instanceof UnexpectedAnswer) return PASSING.has(error.status);
  // 503 without a time is what a person must mend
  return error instanceof ApiError && (error.status === 429 || (error.status === 503 && error.retryAfterMs !== undefined));
}

function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError) return codeOf(cause.errors[0]);
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "";
}

/** Return the milliseconds that a Retry-After asks for: seconds or a date. */
export function retryAfterMs(header: string | null, now: number = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = /[a-z]{3}/i.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
