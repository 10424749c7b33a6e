// The server that the tests are given, and what they need of it.

import { randomUUID } from "node:crypto";

import { AgentOS, type AgentOSOptions } from "agentos-client";

export const URL_OF_SERVER = process.env["AGENTOS_URL"] ?? "";

/** A client in a namespace of its own, so that no test sees what another one left. */
export function client(options: AgentOSOptions = {}): AgentOS {
  return new AgentOS({ namespace: `test-${randomUUID().slice(0, 8)}`, ...options });
}

/** All that an iterable yields. */
export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
