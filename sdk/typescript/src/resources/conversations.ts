// Conversations: sessions, their turns, what was observed in them, and what was kept of them.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";

export class Sessions {
  constructor(private readonly connection: Connection) {}

  /** List sessions, the newest first. */
  list(params: Params<"session_list"> = {}, options?: RequestOptions): Promise<Answer<"session_list">> {
    return this.connection.call("session_list", params, options);
  }

  /** Open a session, or find it by its name. */
  open(params: Params<"session_open">, options?: RequestOptions): Promise<Answer<"session_open">> {
    return this.connection.call("session_open", params, options);
  }

  /** Change the title or the state. */
  update(id: string, params: Params<"session_update"> = {}, options?: RequestOptions): Promise<Answer<"session_update">> {
    return this.connection.call("session_update", { ...params, id }, options);
  }

  /** Read what happened in a session. */
  timeline(id: string, params: Params<"session_timeline"> = {}, options?: RequestOptions): Promise<Answer<"session_timeline">> {
    return this.connection.call("session_timeline", { ...params, id }, options);
  }

  /** Begin a session with the turns of another. */
  branch(session: string, params: Params<"session_branch">, options?: RequestOptions): Promise<Answer<"session_branch">> {
    return this.connection.call("session_branch", { ...params, session }, options);
  }

  /** Sum up older turns; first as a preview, then as `action` says. */
  consolidate(session: string, params: Params<"consolidate"> = {}, options?: RequestOptions): Promise<Answer<"consolidate">> {
    return this.connection.call("consolidate", { ...params, session }, options);
  }
}

export class Turns {
  constructor(private readonly connection: Connection) {}

  /** Add a turn to a session. */
  add(session: string, params: Params<"turn_add">, options?: RequestOptions): Promise<Answer<"turn_add">> {
    return this.connection.call("turn_add", { ...params, session }, options);
  }

  /** Read the last turns of a session. */
  window(session: string, params: Params<"turn_window"> = {}, options?: RequestOptions): Promise<Answer<"turn_window">> {
    return this.connection.call("turn_window", { ...params, session }, options);
  }
}

export class Observations {
  constructor(private readonly connection: Connection) {}

  /** Search what was observed in sessions. */
  search(params: Params<"session_search">, options?: RequestOptions): Promise<Answer<"session_search">> {
    return this.connection.call("session_search", params, options);
  }

  /** Read observations by their ids. */
  read(ids: string[], params: Omit<Params<"session_get">, "ids"> = {}, options?: RequestOptions): Promise<Answer<"session_get">> {
    return this.connection.call("session_get", { ...params, ids }, options);
  }
}

export class Consolidations {
  constructor(private readonly connection: Connection) {}

  /** List what was summed up. */
  list(params: Params<"consolidation_list"> = {}, options?: RequestOptions): Promise<Answer<"consolidation_list">> {
    return this.connection.call("consolidation_list", params, options);
  }
}

export class Tiers {
  constructor(private readonly connection: Connection) {}

  /** Tell what is held in each tier. */
  status(params: Params<"tiers_status"> = {}, options?: RequestOptions): Promise<Answer<"tiers_status">> {
    return this.connection.call("tiers_status", params, options);
  }

  /** Recall from every tier for a query. */
  recall(params: Params<"tiers_recall">, options?: RequestOptions): Promise<Answer<"tiers_recall">> {
    return this.connection.call("tiers_recall", params, options);
  }

  /** Bring an evicted segment back. */
  restore(segment: string, params: Params<"tiers_restore"> = {}, options?: RequestOptions): Promise<Answer<"tiers_restore">> {
    return this.connection.call("tiers_restore", { ...params, segment }, options);
  }
}
