// How many requests are under way at once.

import { unlessAborted } from "./watch.js";

/** Lets so many in at once, the others in the order in which they came. */
export class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  /** Do something when its turn has come. Throws what it throws, and the signal's reason when it is aborted before. */
  async through<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    let come = (): void => undefined;
    const turn = new Promise<void>((resolve) => (come = resolve));
    this.#waiting.push(come);
    try {
      await unlessAborted(signal, turn);
    } catch (error) {
      const place = this.#waiting.indexOf(come);
      if (place < 0) this.#leave(); // its turn came in that moment
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
