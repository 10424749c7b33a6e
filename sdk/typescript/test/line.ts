// A line to the server that can break: a proxy whose faults a test plans.

import { createServer as createHttp, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of a request: it is passed on, or not, and the answer is cut, held back or another one. */
export type Fault =
  | { kind: "pass" }
  | { kind: "cut"; after: "request" | "head" | "part" | number }
  | { kind: "silence" }
  | { kind: "answer"; status: number; headers?: { [name: string]: string }; body?: string };

/** A request as it went through, by its headers. */
export interface Seen {
  method: string;
  path: string;
  headers: { [name: string]: string | string[] | undefined };
}

export class Line {
  readonly seen: Seen[] = [];
  readonly #faults: Fault[] = [];
  readonly #server: Server;

  private constructor(private readonly target: string) {
    this.#server = createHttp((asked, answer) => this.#pass(asked, answer));
  }

  /** Open a line to a server. */
  static async to(target: string): Promise<Line> {
    const line = new Line(target);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Plan what becomes of the next requests, one after the other; those beyond pass. */
  plan(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    this.seen.push({ method: asked.method ?? "", path: asked.url ?? "", headers: asked.headers });
    const fault = this.#faults.shift() ?? { kind: "pass" };
    if (fault.kind === "answer") {
      asked.resume();
      answer.writeHead(fault.status, fault.headers).end(fault.body);
      return;
    }
    if (fault.kind === "cut" && fault.after === "request") {
      asked.socket.destroy();
      return;
    }
    const { hostname, port } = new URL(this.target);
    const headers = { ...asked.headers, host: `${hostname}:${port}` };
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers }, (told) => {
      if (fault.kind === "silence") return void told.resume();
      if (fault.kind === "cut" && fault.after === "head") return void told.resume().on("end", () => asked.socket.destroy());
      answer.writeHead(told.statusCode ?? 502, told.headers);
      let left = fault.kind === "cut" && typeof fault.after === "number" ? fault.after : Infinity;
      if (fault.kind === "cut" && fault.after === "part") told.once("data", () => (left = 0));
      told.on("data", (part: Buffer) => {
        if (left < 0) return;
        answer.write(left === 0 ? part : part.subarray(0, left));
        left -= part.length;
        if (left > 0) return;
        left = -1;
        asked.socket.destroySoon();
      });
      told.on("end", () => answer.end());
    });
    passed.on("error", () => asked.socket.destroy());
    answer.on("close", () => passed.destroy());
    asked.pipe(passed);
  }
}
