// Knowledge: the profile of the user, and the graph of what is known.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";

export class Profile {
  constructor(private readonly connection: Connection) {}

  /** Read the profile. */
  get(params: Params<"profile_get"> = {}, options?: RequestOptions): Promise<Answer<"profile_get">> {
    return this.connection.call("profile_get", params, options);
  }

  /** Set what is known under a key. */
  set(
    key: string,
    value: Params<"profile_set">["value"],
    params: Pick<Params<"profile_set">, "namespace"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"profile_set">> {
    return this.connection.call("profile_set", { ...params, key, value }, options);
  }
}

export class Lessons {
  constructor(private readonly connection: Connection) {}

  /** List the lessons that name a tool, with how its runs went without them and after them. */
  list(params: Params<"list_lessons"> = {}, options?: RequestOptions): Promise<Answer<"list_lessons">> {
    return this.connection.call("list_lessons", params, options);
  }

  /** Read one lesson with its evidence. */
  get(id: string, params: Params<"get_lesson"> = {}, options?: RequestOptions): Promise<Answer<"get_lesson">> {
    return this.connection.call("get_lesson", { ...params, id }, options);
  }

  /** Tell a lesson no longer. */
  retire(id: string, params: Params<"retire_lesson"> = {}, options?: RequestOptions): Promise<Answer<"retire_lesson">> {
    return this.connection.call("retire_lesson", { ...params, id }, options);
  }

  /** Tell a retired lesson again. */
  restore(
    id: string,
    params: Params<"restore_lesson"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"restore_lesson">> {
    return this.connection.call("restore_lesson", { ...params, id }, options);
  }
}

export class Graph {
  constructor(private readonly connection: Connection) {}

  /** Find nodes by type and label. */
  findNodes(params: Params<"graph_find_nodes"> = {}, options?: RequestOptions): Promise<Answer<"graph_find_nodes">> {
    return this.connection.call("graph_find_nodes", params, options);
  }

  /** Add a node. */
  addNode(params: Params<"graph_add_node">, options?: RequestOptions): Promise<Answer<"graph_add_node">> {
    return this.connection.call("graph_add_node", params, options);
  }

  /** Delete a node with its edges. */
  deleteNode(
    id: string,
    params: Params<"graph_delete_node"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"graph_delete_node">> {
    return this.connection.call("graph_delete_node", { ...params, node_id: id }, options);
  }

  /** Read what a node is tied to. */
  neighbours(
    id: string,
    params: Params<"graph_get_neighbors"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"graph_get_neighbors">> {
    return this.connection.call("graph_get_neighbors", { ...params, node_id: id }, options);
  }

  /** Tell what depends on a node. */
  impact(
    id: string,
    params: Params<"graph_impact_analysis"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"graph_impact_analysis">> {
    return this.connection.call("graph_impact_analysis", { ...params, node_id: id }, options);
  }

  /** Give a node another name. */
  addAlias(
    id: string,
    alias: string,
    params: Pick<Params<"graph_add_alias">, "namespace"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"graph_add_alias">> {
    return this.connection.call("graph_add_alias", { ...params, node_id: id, alias }, options);
  }

  /** Tie two nodes. */
  addEdge(params: Params<"graph_add_edge">, options?: RequestOptions): Promise<Answer<"graph_add_edge">> {
    return this.connection.call("graph_add_edge", params, options);
  }

  /** Find how two nodes are tied. */
  path(params: Params<"graph_find_path">, options?: RequestOptions): Promise<Answer<"graph_find_path">> {
    return this.connection.call("graph_find_path", params, options);
  }

  /** Count nodes and edges. */
  stats(params: Params<"graph_stats"> = {}, options?: RequestOptions): Promise<Answer<"graph_stats">> {
    return this.connection.call("graph_stats", params, options);
  }

  /** Read what is known around a query. */
  subgraph(params: Params<"graph_subgraph">, options?: RequestOptions): Promise<Answer<"graph_subgraph">> {
    return this.connection.call("graph_subgraph", params, options);
  }

  /** Read nodes and edges out of a text. */
  extract(params: Params<"graph_extract_from_text">, options?: RequestOptions): Promise<Answer<"graph_extract_from_text">> {
    return this.connection.call("graph_extract_from_text", params, options);
  }
}

export class Anchors {
  constructor(private readonly connection: Connection) {}

  /** List the code that notes name, or only what became of it since. */
  list(params: Params<"list_anchors"> = {}, options?: RequestOptions): Promise<Answer<"list_anchors">> {
    return this.connection.call("list_anchors", params, options);
  }

  /** Confirm that a note holds for its code as that is now. */
  confirm(
    id: string,
    params: Params<"confirm_anchors"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"confirm_anchors">> {
    return this.connection.call("confirm_anchors", { ...params, memory_id: id }, options);
  }

  /** Drop the anchors of a note, or the one to a place, as PATH or PATH:SYMBOL. */
  drop(
    id: string,
    params: Params<"drop_anchors"> = {},
    options?: RequestOptions,
  ): Promise<Answer<"drop_anchors">> {
    return this.connection.call("drop_anchors", { ...params, memory_id: id }, options);
  }
}
