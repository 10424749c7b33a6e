// Work: goals, what was done and learned, what waits for a person.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";
import type { GoalList, GoalView, FullGoal } from "../generated.js";

/** A goal of a list, by how much is told of it. */
export interface ListedGoals {
  lean: GoalView;
  full: FullGoal;
}
export type GoalPage<D extends keyof ListedGoals = "full"> = Omit<GoalList, "results"> & { results: ListedGoals[D][] };
export type GoalListParams<D extends keyof ListedGoals = keyof ListedGoals> = Omit<Params<"goal_list">, "detail"> & { detail?: D | undefined };

export class Goals {
  constructor(private readonly connection: Connection) {}

  /** Add a goal. */
  add(params: Params<"goal_add">, options?: RequestOptions): Promise<Answer<"goal_add">> {
    return this.connection.call("goal_add", params, options);
  }

  /** List goals, most pressing first. */
  list<D extends keyof ListedGoals = "full">(params: GoalListParams<D> = {}, options?: RequestOptions): Promise<GoalPage<D>> {
    return this.connection.call("goal_list", params, options) as unknown as Promise<GoalPage<D>>;
  }

  /** List the goals to work on now, the most pressing first. */
  active(params: Params<"goal_get_active"> = {}, options?: RequestOptions): Promise<GoalPage<"lean">> {
    return this.connection.call("goal_get_active", params, options) as unknown as Promise<GoalPage<"lean">>;
  }

  /** Read the goals with their parts. */
  tree(params: Params<"goal_tree"> = {}, options?: RequestOptions): Promise<Answer<"goal_tree">> {
    return this.connection.call("goal_tree", params, options);
  }

  /** Change a goal; a note is added to those before. */
  update(id: string, params: Params<"goal_update"> = {}, options?: RequestOptions): Promise<Answer<"goal_update">> {
    return this.connection.call("goal_update", { ...params, goal_id: id }, options);
  }

  /** Set the progress, 0 to 1; 1 completes the goal. */
  setProgress(
    id: string,
    progress: number,
    params: Omit<Params<"goal_update_progress">, "progress"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"goal_update_progress">> {
    return this.connection.call("goal_update_progress", { ...params, goal_id: id, progress }, options);
  }

  /** Set the status. */
  setStatus(
    id: string,
    status: Params<"goal_update_status">["status"],
    params: Omit<Params<"goal_update_status">, "status"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"goal_update_status">> {
    return this.connection.call("goal_update_status", { ...params, goal_id: id, status }, options);
  }
}

export class Reflections {
  constructor(private readonly connection: Connection) {}

  /** Keep what was done and how it went. */
  log(params: Params<"reflection_log">, options?: RequestOptions): Promise<Answer<"reflection_log">> {
    return this.connection.call("reflection_log", params, options);
  }

  /** Find patterns in what was done. */
  analyze(params: Params<"reflection_analyze"> = {}, options?: RequestOptions): Promise<Answer<"reflection_analyze">> {
    return this.connection.call("reflection_analyze", params, options);
  }

  /** Read how the last days went. */
  summary(params: Params<"reflection_get_summary"> = {}, options?: RequestOptions): Promise<Answer<"reflection_get_summary">> {
    return this.connection.call("reflection_get_summary", params, options);
  }
}

export class Patterns {
  constructor(private readonly connection: Connection) {}

  /** List the patterns that were found. */
  list(params: Params<"reflection_get_patterns"> = {}, options?: RequestOptions): Promise<Answer<"reflection_get_patterns">> {
    return this.connection.call("reflection_get_patterns", params, options);
  }
}

export class Insights {
  constructor(private readonly connection: Connection) {}

  /** Say what became of an insight. */
  setStatus(
    id: string,
    status: Params<"insight_update">["status"],
    params: Pick<Params<"insight_update">, "namespace"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"insight_update">> {
    return this.connection.call("insight_update", { ...params, insight_id: id, status }, options);
  }
}

export class Procedures {
  constructor(private readonly connection: Connection) {}

  /** Find the procedures for a task. */
  relevant(params: Params<"procedures_relevant">, options?: RequestOptions): Promise<Answer<"procedures_relevant">> {
    return this.connection.call("procedures_relevant", params, options);
  }

  /** Make procedures of what was done repeatedly. */
  mine(params: Params<"procedures_mine"> = {}, options?: RequestOptions): Promise<Answer<"procedures_mine">> {
    return this.connection.call("procedures_mine", params, options);
  }

  /** Offer a procedure to every agent. */
  promote(id: string, params: Params<"procedure_promote"> = {}, options?: RequestOptions): Promise<Answer<"procedure_promote">> {
    return this.connection.call("procedure_promote", { ...params, id }, options);
  }
}

export class Approvals {
  constructor(private readonly connection: Connection) {}

  /** List the requests that wait for a person. */
  list(params: Params<"approval_list"> = {}, options?: RequestOptions): Promise<Answer<"approval_list">> {
    return this.connection.call("approval_list", params, options);
  }

  /** Ask a person before something risky. */
  request(params: Params<"approval_request">, options?: RequestOptions): Promise<Answer<"approval_request">> {
    return this.connection.call("approval_request", params, options);
  }

  /** See what became of a request. */
  get(id: string, params: Params<"approval_get"> = {}, options?: RequestOptions): Promise<Answer<"approval_get">> {
    return this.connection.call("approval_get", { ...params, approval_id: id }, options);
  }
}
