// How long an answer is waited for, and what ends the wait.

import { TimedOut } from "./errors.js";

/** Ends what is under way when the caller says so, or when nothing has come for some time. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #silentMs: number;
  #timer: NodeJS.Timeout | undefined;
  #ended: unknown;

  constructor(outer: AbortSignal | undefined, silentMs: number) {
    this.#outer = outer;
    this.#silentMs = silentMs;
    if (outer?.aborted) this.#abort(outer.reason);
    else outer?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** What a request is made with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Wait for something, for as long as the server may be silent. Throws TimedOut, the caller's reason, what fails. */
  async during<Value>(waited: () => Promise<Value>): Promise<Value> {
    this.#timer = setTimeout(() => this.#abort(new TimedOut(`the server was silent for ${this.#silentMs} ms`)), this.#silentMs);
    try {
      return await waited();
    } catch (error) {
      throw this.#controller.signal.aborted ? this.#ended : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Begin the wait anew: something was sent. */
  stir(): void {
    this.#timer?.refresh();
  }

  /** Close the connection if it is still in use. */
  end(): void {
    this.#outer?.removeEventListener("abort", this.#onAbort);
    this.#abort(undefined);
  }

  readonly #onAbort = (): void => this.#abort(this.#outer?.reason);

  #abort(reason: unknown): void {
    if (this.#controller.signal.aborted) return;
    this.#ended = reason;
    this.#controller.abort(reason);
  }
}

/** Wait so many milliseconds. Throws the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
