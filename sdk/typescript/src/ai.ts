// The Vercel AI SDK: memory as tools of a model. Needs the package `ai`.

import { jsonSchema, tool, type Tool } from "ai";

import type { AgentOS } from "./client.js";
import { memoryActs, textOf, type MemoryAct } from "./acts.js";

export { NOTICE } from "./acts.js";

export type MemoryTools = {
  searchMemory: Tool<{ query: string }, string>;
  remember: Tool<{ content: string }, string>;
  forget: Tool<{ id: string }, string>;
};

/**
 * The tools `searchMemory`, `remember` and `forget`, for `generateText({ tools })`. A model that calls one wrongly is
 * told why; other failures are errors of the run.
 */
export function memoryTools(memory: AgentOS, options: { limit?: number } = {}): MemoryTools {
  const acts = memoryActs(memory, options.limit ?? 5);
  return {
    searchMemory: taking("query", acts.searchMemory),
    remember: taking("content", acts.remember),
    forget: taking("id", acts.forget),
  };
}

function taking<Name extends string>(name: Name, { description, act }: MemoryAct): Tool<Record<Name, string>, string> {
  const inputSchema = jsonSchema<Record<Name, string>>(textOf(name));
  return tool({ description, inputSchema, execute: (input: Record<Name, string>) => act(input[name]) });
}
