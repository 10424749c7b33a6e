// Mastra: memory as tools of an agent. Needs the package `@mastra/core`.

import { createTool, type Tool } from "@mastra/core/tools";

import type { AgentOS } from "./client.js";
import { memoryActs, textOf, type MemoryAct } from "./acts.js";

export { NOTICE } from "./acts.js";

export type MemoryTools = Record<"searchMemory" | "remember" | "forget", Tool>;

/**
 * The tools `searchMemory`, `remember` and `forget`, for `new Agent({ tools })`. A model that calls one wrongly is told
 * why; other failures are errors of the tool.
 */
export function memoryTools(memory: AgentOS, options: { limit?: number } = {}): MemoryTools {
  const acts = memoryActs(memory, options.limit ?? 5);
  return {
    searchMemory: taking("searchMemory", "query", acts.searchMemory),
    remember: taking("remember", "content", acts.remember),
    forget: taking("forget", "id", acts.forget),
  };
}

function taking(id: string, name: string, { description, act }: MemoryAct): Tool {
  const execute = (input: unknown) => act((input as Record<string, string>)[name] ?? "");
  return createTool({ id, description, inputSchema: textOf(name), execute }) as Tool;
}
