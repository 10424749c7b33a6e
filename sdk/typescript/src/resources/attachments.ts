// Files of memories.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";
import type { Bundle } from "../streams.js";

/** Files of memories: listed, sent, fetched, and erased with their memories. */
export class Attachments {
  constructor(private readonly connection: Connection) {}

  /** List files, the newest first, or those of one memory. */
  list(params: Params<"list_attachments"> = {}, options?: RequestOptions): Promise<Answer<"list_attachments">> {
    return this.connection.call("list_attachments", params, options);
  }

  /** Keep a file with a memory of its caption, name and text. A stream can be sent only once: it is not tried again. */
  add(name: string, file: Bundle, params: Omit<Params<"attach_file">, "name"> = {}, options?: RequestOptions): Promise<Answer<"attach_file">> {
    return this.connection.send("attach_file", { ...params, name }, file, options);
  }

  /** Read the bytes of a memory's file. */
  async *bytes(id: string, params: Params<"get_attachment"> = {}, options?: RequestOptions): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await this.connection.open("get_attachment", { ...params, memory_id: id }, options);
  }

  /** Erase a memory with its files. */
  remove(id: string, params: Params<"remove_attachment"> = {}, options?: RequestOptions): Promise<Answer<"remove_attachment">> {
    return this.connection.call("remove_attachment", { ...params, memory_id: id }, options);
  }
}
