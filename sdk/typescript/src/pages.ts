// Results in pages: the first by `await`, all of them by `for await`.

import { UnexpectedAnswer } from "./errors.js";

/** A page, and where the next one begins. */
export interface Page<Item> {
  readonly results: readonly Item[];
  readonly next_cursor: string | null;
}

/**
 * Results that are asked for when they are awaited (the first page) or iterated over (every result of every page).
 */
export class Paged<Item, P extends Page<Item>> implements Promise<P>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = "Paged";
  readonly #ask: (cursor: string | undefined) => Promise<P>;
  #first: Promise<P> | undefined;

  constructor(ask: (cursor: string | undefined) => Promise<P>) {
    this.#ask = ask;
  }

  then<Done = P, Failed = never>(
    done?: ((page: P) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    this.#first ??= this.#ask(undefined);
    return this.#first.then(done, failed);
  }

  catch<Failed = never>(failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<P | Failed> {
    return this.then(undefined, failed);
  }

  finally(last?: (() => void) | null): Promise<P> {
    return this.then().finally(last);
  }

  /** Yield every page. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined;
    do {
      const page: P = cursor === undefined ? await this : await this.#ask(cursor);
      yield page;
      if (page.next_cursor !== null && page.next_cursor === cursor) throw new UnexpectedAnswer("the pages go round in a circle", 200);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Yield every result. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.results;
  }
}
