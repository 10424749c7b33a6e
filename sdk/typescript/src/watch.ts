// How long an answer is waited for, and what ends the wait.

import { TimedOut } from "./errors.js";

/** Ends what is under way when the caller says so, or when nothing has come for some time. */
export class Watch {
  readonly #own = new AbortController();
  readonly #silentMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** What a request is made with. */
  readonly signal: AbortSignal;

  constructor(outer: AbortSignal | undefined, silentMs: number) {
    this.#silentMs = silentMs;
    this.signal = outer === undefined ? this.#own.signal : AbortSignal.any([outer, this.#own.signal]);
  }

  /** Wait for something, for as long as the server may be silent. Throws TimedOut, the caller's reason, what fails. */
  async during<Value>(waited: () => Promise<Value>): Promise<Value> {
    const isLate = (): void => this.#own.abort(new TimedOut(`the server was silent for ${this.#silentMs} ms`));
    this.#timer = setTimeout(isLate, this.#silentMs);
    try {
      this.signal.throwIfAborted();
      return await waited();
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Begin the wait anew: something was sent. */
  stir(): void {
    this.#timer?.refresh();
  }

  /** Close the connection if it is still in use; who waits gets the reason. */
  end(reason?: unknown): void {
    this.#own.abort(reason);
  }
}

/** Wait so many milliseconds. Throws the signal's reason when it is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await unlessAborted(signal, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
  } finally {
    clearTimeout(timer);
  }
}

/** Return what is waited for. Throws the signal's reason when it is aborted before. */
export async function unlessAborted<Value>(signal: AbortSignal | undefined, waited: Promise<Value>): Promise<Value> {
  if (signal === undefined) return waited;
  const own = AbortSignal.any([signal]); // one that many calls share would warn of many listeners
  own.throwIfAborted();
  return new Promise<Value>((resolve, reject) => {
    const onAbort = (): void => reject(own.reason);
    own.addEventListener("abort", onAbort, { once: true });
    void waited.then(resolve, reject).finally(() => own.removeEventListener("abort", onAbort));
  });
}
