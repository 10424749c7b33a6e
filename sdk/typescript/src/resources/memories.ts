// Memories and what searches of them answer; sealed memories, which the server cannot read.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";
import type { BriefHit, FullHit, MemoryList, MemoryResult, RecordView, SearchResults, StoredBatch } from "../generated.js";
import { Paged } from "../pages.js";

/** How much is told of each memory. */
export type Detail = "lean" | "compact" | "full";
/** A hit of a search, by how much is told of it. */
export interface Hits {
  lean: MemoryResult;
  compact: BriefHit;
  full: FullHit;
}
/** A memory of a list, by how much is told of it. */
export interface Listed {
  lean: MemoryResult;
  full: RecordView;
}
export type SearchPage<D extends Detail = "full"> = Omit<SearchResults, "results"> & { results: Hits[D][] };
export type MemoryPage<D extends keyof Listed = "full"> = Omit<MemoryList, "results"> & { results: Listed[D][] };
export type SearchParams<D extends Detail = Detail> = Omit<Params<"memory_search_post_search">, "detail"> & { detail?: D | undefined };
export type ListParams<D extends keyof Listed = keyof Listed> = Omit<Params<"memory_list">, "detail"> & { detail?: D | undefined };
/** A memory of a batch. */
export type NewMemory = Omit<Params<"memory_store">, "namespace">;

export function search<D extends Detail = "full">(
  connection: Connection,
  params: SearchParams<D>,
  options?: RequestOptions,
): Paged<Hits[D], SearchPage<D>> {
  return new Paged(async (cursor) => {
    const given = cursor === undefined ? params : { ...params, cursor };
    return (await connection.call("memory_search_post_search", given, options)) as unknown as SearchPage<D>;
  });
}

export class Memories {
  constructor(private readonly connection: Connection) {}

  /** Keep one self-contained fact, event or how-to. */
  store(params: Params<"memory_store">, options?: RequestOptions): Promise<Answer<"memory_store">> {
    return this.connection.call("memory_store", params, options);
  }

  /** Keep up to 200 at once; one that is refused does not stop the others. */
  storeBatch(memories: readonly NewMemory[], params: Pick<Params<"memory_store_batch">, "namespace"> = {}, options?: RequestOptions): Promise<StoredBatch> {
    return this.connection.call("memory_store_batch", { ...params, memories: memories.map((one) => ({ ...one })) }, options);
  }

  /** List memories, newest first: a page by `await`, all of them by `for await`. */
  list<D extends keyof Listed = "full">(params: ListParams<D> = {}, options?: RequestOptions): Paged<Listed[D], MemoryPage<D>> {
    return new Paged(async (cursor) => {
      const given = cursor === undefined ? params : { ...params, cursor };
      return (await this.connection.call("memory_list", given, options)) as unknown as MemoryPage<D>;
    });
  }

  /** Read a memory with its history. */
  get(id: string, params: Params<"memory_get"> = {}, options?: RequestOptions): Promise<Answer<"memory_get">> {
    return this.connection.call("memory_get", { ...params, memory_id: id }, options);
  }

  /** Change a memory; with `version`, only while it has that version (else Conflict). */
  update(id: string, params: Params<"memory_update">, options?: RequestOptions): Promise<Answer<"memory_update">> {
    return this.connection.call("memory_update", { ...params, memory_id: id }, options);
  }

  /** Delete a memory: archive it, or erase it for good, as `mode` says; with `version`, only while it has that version. */
  delete(
    id: string,
    params: Params<"memory_delete_one"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"memory_delete_one">> {
    return this.connection.call("memory_delete_one", { ...params, memory_id: id }, options);
  }

  /** Delete every memory that a filter finds. */
  deleteWhere(params: Omit<Params<"memory_delete">, "memory_id">, options?: RequestOptions): Promise<Answer<"memory_delete">> {
    return this.connection.call("memory_delete", params, options);
  }

  /** Forget a topic, or these memories; see first what it would be. */
  forget(params: Params<"memory_forget">, options?: RequestOptions): Promise<Answer<"memory_forget">> {
    return this.connection.call("memory_forget", params, options);
  }

  /** Read what was remembered before and after a memory. */
  timeline(id: string, params: Params<"memory_timeline"> = {}, options?: RequestOptions): Promise<Answer<"memory_timeline">> {
    return this.connection.call("memory_timeline", { ...params, memory_id: id }, options);
  }

  /** Set how important a memory is, 0 to 1. */
  setImportance(
    id: string,
    importance: number,
    params: Pick<Params<"memory_update_importance">, "namespace"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"memory_update_importance">> {
    return this.connection.call("memory_update_importance", { ...params, memory_id: id, importance }, options);
  }

  /** Say whether a memory is right. */
  feedback(id: string, params: Params<"memory_feedback">, options?: RequestOptions): Promise<Answer<"memory_feedback">> {
    return this.connection.call("memory_feedback", { ...params, memory_id: id }, options);
  }

  /** Undo that a memory was replaced. */
  revert(id: string, params: Params<"memory_revert"> = {}, options?: RequestOptions): Promise<Answer<"memory_revert">> {
    return this.connection.call("memory_revert", { ...params, memory_id: id }, options);
  }
}

export class SealedMemories {
  constructor(private readonly connection: Connection) {}

  /** Keep a text that you encrypted, under a vector that you made. */
  store(params: Params<"store_sealed">, options?: RequestOptions): Promise<Answer<"store_sealed">> {
    return this.connection.call("store_sealed", params, options);
  }

  /** Find the sealed texts whose vectors are nearest. */
  search(params: Params<"search_sealed">, options?: RequestOptions): Promise<Answer<"search_sealed">> {
    return this.connection.call("search_sealed", params, options);
  }

  /** Read a sealed text. */
  get(id: string, params: Params<"get_sealed"> = {}, options?: RequestOptions): Promise<Answer<"get_sealed">> {
    return this.connection.call("get_sealed", { ...params, memory_id: id }, options);
  }

  /** Erase a sealed text with its vector. */
  delete(id: string, params: Params<"delete_sealed"> = {}, options?: RequestOptions): Promise<Answer<"delete_sealed">> {
    return this.connection.call("delete_sealed", { ...params, memory_id: id }, options);
  }
}
