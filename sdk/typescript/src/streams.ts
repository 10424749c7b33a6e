// Bodies of answers: in parts, in lines, as a whole; each within a bound.

import { ConnectionFailed, UnexpectedAnswer } from "./errors.js";
import type { Watch } from "./watch.js";

/** Yield the parts of a body as they come, and close the connection at the end, whoever ends it. */
export async function* chunks(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const part = await watch.during(async () => {
        try {
          return await reader?.read();
        } catch (error) {
          throw new ConnectionFailed("the connection broke during the answer", { cause: causeOf(error) });
        }
      });
      if (part?.value === undefined) return;
      yield part.value;
    }
  } finally {
    watch.end();
  }
}

/** Yield lines without their ends; `most` is how many characters one may have. */
export async function* lines(parts: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const part of parts) {
    const [first = "", ...others] = decoder.decode(part, { stream: true }).split("\n");
    begun.push(first);
    length += first.length;
    for (const next of others) {
      if (length > most) break;
      yield begun.join("").replace(/\r$/, "");
      begun = [next];
      length = next.length;
    }
    if (length > most) throw new UnexpectedAnswer(`a line of the answer has more than ${most} characters`, 200);
  }
  const last = begun.join("") + decoder.decode();
  if (last !== "") yield last;
}

/** Return a body as text; `most` is how many bytes it may have. */
export async function text(response: Response, watch: Watch, most: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const part of chunks(response, watch)) {
    size += part.byteLength;
    if (size > most) throw new UnexpectedAnswer(`the answer has more than ${most} bytes`, response.status);
    parts.push(decoder.decode(part, { stream: true }));
  }
  return parts.join("") + decoder.decode();
}

/** Return what lies under an error of fetch, which says little itself. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** What a bundle may come as: a text, bytes, or a stream of either (a file's, another server's export). */
export type Bundle = string | Uint8Array | AsyncIterable<Uint8Array | string>;

/** Return a bundle as the body of a request, which ends where the bundle cannot be read. */
export function bodyOf(bundle: Bundle, watch: Watch): NonNullable<RequestInit["body"]> {
  if (typeof bundle === "string" || bundle instanceof Uint8Array) return bundle;
  const parts = bundle[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await parts.next();
        watch.stir();
        if (done === true) controller.close();
        else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      } catch (error) {
        watch.end(error);
        throw error;
      }
    },
    async cancel() {
      await parts.return?.();
    },
  });
}
