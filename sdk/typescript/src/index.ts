// What this package offers.

export { AgentOS, type BundleLine } from "./client.js";
export type { AgentOSOptions, Answer, Arguments, Params, RequestOptions } from "./connection.js";
export * from "./errors.js";
export type { ChangeEvent, EventOptions } from "./events.js";
export type * from "./generated.js";
export type { Page, Paged } from "./pages.js";
export type { Detail, Hits, Listed, ListParams, MemoryPage, NewMemory, SearchPage, SearchParams } from "./resources/memories.js";
export type { GoalListParams, GoalPage, ListedGoals } from "./resources/work.js";
export type { Bundle } from "./streams.js";
