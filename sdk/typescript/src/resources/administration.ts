// Administration: who may do what, and what the server does by itself.

import type { Answer, Connection, Params, RequestOptions } from "../connection.js";

export class Namespaces {
  constructor(private readonly connection: Connection) {}

  /** List the namespaces that the key may read. */
  list(options?: RequestOptions): Promise<Answer<"list_namespaces">> {
    return this.connection.call("list_namespaces", {}, options);
  }

  /** Say what calls of a namespace read beside it, and where they write. */
  set(name: string, params: Params<"set_namespace"> = {}, options?: RequestOptions): Promise<Answer<"set_namespace">> {
    return this.connection.call("set_namespace", { ...params, name }, options);
  }
}

export class Grants {
  constructor(private readonly connection: Connection) {}

  /** List the grants of the namespaces that the key administers. */
  list(options?: RequestOptions): Promise<Answer<"list_grants">> {
    return this.connection.call("list_grants", {}, options);
  }

  /** Give a principal a right over a namespace. */
  create(params: Params<"create_grant">, options?: RequestOptions): Promise<Answer<"create_grant">> {
    return this.connection.call("create_grant", params, options);
  }

  /** Remove a grant. */
  remove(params: Params<"remove_grant">, options?: RequestOptions): Promise<Answer<"remove_grant">> {
    return this.connection.call("remove_grant", params, options);
  }
}

export class Keys {
  constructor(private readonly connection: Connection) {}

  /** List keys, without their secrets. */
  list(options?: RequestOptions): Promise<Answer<"list_keys">> {
    return this.connection.call("list_keys", {}, options);
  }

  /** Make a key; the answer holds its secret, this once. It is not tried again where it may have been made. */
  create(params: Params<"create_key">, options?: RequestOptions): Promise<Answer<"create_key">> {
    return this.connection.call("create_key", params, options);
  }

  /** Make a successor; the old key works on for a while. */
  rotate(prefix: string, params: Params<"rotate_key"> = {}, options?: RequestOptions): Promise<Answer<"rotate_key">> {
    return this.connection.call("rotate_key", { ...params, prefix }, options);
  }

  /** Revoke a key at once. */
  revoke(prefix: string, options?: RequestOptions): Promise<Answer<"revoke_key">> {
    return this.connection.call("revoke_key", { prefix }, options);
  }
}

export class Branches {
  constructor(private readonly connection: Connection) {}

  /** List the branches of a namespace, the proposals that wait, what was merged, and the rules. */
  list(namespace: string, options?: RequestOptions): Promise<Answer<"list_branches">> {
    return this.connection.call("list_branches", { namespace }, options);
  }

  /** Make a branch of a namespace. */
  create(params: Params<"create_branch">, options?: RequestOptions): Promise<Answer<"create_branch">> {
    return this.connection.call("create_branch", params, options);
  }

  /** Tell what a merge would do; nothing is changed. */
  preview(name: string, options?: RequestOptions): Promise<Answer<"preview_branch">> {
    return this.connection.call("preview_branch", { name }, options);
  }

  /** Ask the owners of the origin to merge a branch as it is now. */
  propose(name: string, params: Params<"propose_branch">, options?: RequestOptions): Promise<Answer<"propose_branch">> {
    return this.connection.call("propose_branch", { ...params, name }, options);
  }

  /** Merge a proposal, as an owner of the origin. */
  merge(proposal: string, params: Params<"merge_proposal"> = {}, options?: RequestOptions): Promise<Answer<"merge_proposal">> {
    return this.connection.call("merge_proposal", { ...params, proposal }, options);
  }

  /** Close a proposal, as an owner of the origin. */
  refuse(proposal: string, params: Params<"refuse_proposal"> = {}, options?: RequestOptions): Promise<Answer<"refuse_proposal">> {
    return this.connection.call("refuse_proposal", { ...params, proposal }, options);
  }

  /** Say which merges into a namespace need a review, and what is watched. */
  govern(name: string, params: Params<"govern_namespace"> = {}, options?: RequestOptions): Promise<Answer<"govern_namespace">> {
    return this.connection.call("govern_namespace", { ...params, name }, options);
  }
}

export class Auth {
  constructor(private readonly connection: Connection) {}

  /** Tell whose key this is. */
  caller(options?: RequestOptions): Promise<Answer<"who_am_i">> {
    return this.connection.call("who_am_i", {}, options);
  }

  /** Make a token with a part of the key's rights, which ends by itself. */
  token(params: Params<"issue_token"> = {}, options?: RequestOptions): Promise<Answer<"issue_token">> {
    return this.connection.call("issue_token", params, options);
  }
}

export class Backups {
  constructor(private readonly connection: Connection) {}

  /** List backups, the newest first. */
  list(options?: RequestOptions): Promise<Answer<"list_backups">> {
    return this.connection.call("list_backups", {}, options);
  }

  /** Make a verified backup of this moment. */
  make(options?: RequestOptions): Promise<Answer<"make_backup">> {
    return this.connection.call("make_backup", {}, options);
  }
}

export class Jobs {
  constructor(private readonly connection: Connection) {}

  /** List the work that waits or failed. */
  list(params: Params<"job_list"> = {}, options?: RequestOptions): Promise<Answer<"job_list">> {
    return this.connection.call("job_list", params, options);
  }

  /** Run it now. */
  run(id: string, params: Params<"job_run"> = {}, options?: RequestOptions): Promise<Answer<"job_run">> {
    return this.connection.call("job_run", { ...params, id }, options);
  }

  /** Never run it. */
  cancel(id: string, params: Params<"job_cancel"> = {}, options?: RequestOptions): Promise<Answer<"job_cancel">> {
    return this.connection.call("job_cancel", { ...params, id }, options);
  }
}
