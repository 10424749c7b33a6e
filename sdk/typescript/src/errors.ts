// Failures: one class for each stable code, and those of the way to the server.

import type { ErrorCode } from "./generated.js";

/** Base of every failure of this client. */
export class AgentOSError extends Error {
  override get name(): string {
    return this.constructor.name;
  }
}

/** The server could not be reached, or the connection broke; `cause` says how. */
export class ConnectionFailed extends AgentOSError {}

/** The server was silent for longer than `timeoutMs`. */
export class TimedOut extends AgentOSError {}

/** What answered is not AgentOS, or not as this client knows it: a wrong address, or a proxy. */
export class UnexpectedAnswer extends AgentOSError {
  /** The HTTP status. */
  readonly status: number;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, status: number, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The members of a problem document (RFC 9457). */
export interface ProblemDetails {
  status: number;
  code: string;
  detail: string;
  request_id?: string;
  field?: string;
}

/** The server refused; the message says what was wrong and what to do. Nothing was changed. */
export class ApiError extends AgentOSError {
  /** The stable code; codes of services beyond those listed have no class of their own. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** The argument that is not acceptable. */
  readonly field: string | undefined;
  /** What the server's log calls the request. */
  readonly requestId: string | undefined;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(problem: ProblemDetails, retryAfterMs?: number) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.field = problem.field;
    this.requestId = problem.request_id;
    this.retryAfterMs = retryAfterMs;
  }
}

/** An argument is not acceptable; `field` names it. */
export class InvalidInput extends ApiError {}
/** The key opens nothing, or not any more. */
export class Unauthenticated extends ApiError {}
/** The key does not give this right, or a person alone may do that. */
export class PermissionDenied extends ApiError {}
/** The store is suspended; whoever runs the server can resume it. */
export class Suspended extends PermissionDenied {}
/** There is no such thing in this namespace. */
export class NotFound extends ApiError {}
/** The path takes other methods: the server is of another version. */
export class MethodNotAllowed extends ApiError {}
/** The body took too long to arrive. */
export class RequestTimeout extends ApiError {}
/** It changed meanwhile, or the change would break a rule. */
export class Conflict extends ApiError {}
/** If-Match names another version. */
export class PreconditionFailed extends ApiError {}
/** The body is larger than the server takes. */
export class TooLarge extends ApiError {}
/** The body is of another media type. */
export class UnsupportedMediaType extends ApiError {}
/** The server does not know itself by this name: AGENTOS_HTTP_HOSTS lists what it answers to. */
export class Misdirected extends ApiError {}
/** More requests than a key may make. */
export class TooManyRequests extends ApiError {}
/** Something failed inside the server; its log says what, under `requestId`. */
export class InternalError extends ApiError {}
/** The server has too much to do. */
export class Overloaded extends ApiError {}
/** The store cannot be used now; the same call may work later. */
export class StorageUnavailable extends ApiError {}
/** The store is unsafe to use; the message names the remedy. */
export class StorageRefused extends StorageUnavailable {}
/** A setting of the server is not acceptable. */
export class WrongSettings extends ApiError {}

/** The namespace holds as much as its policy allows. */
export class QuotaExceeded extends ApiError {}

type Kind = new (problem: ProblemDetails, retryAfterMs?: number) => ApiError;

const CLASSES: { readonly [Code in ErrorCode]: Kind } & { readonly [code: string]: Kind } = {
  conflict: Conflict,
  internal_error: InternalError,
  invalid_input: InvalidInput,
  method_not_allowed: MethodNotAllowed,
  misdirected: Misdirected,
  not_found: NotFound,
  overloaded: Overloaded,
  permission_denied: PermissionDenied,
  quota_exceeded: QuotaExceeded,
  precondition_failed: PreconditionFailed,
  storage_refused: StorageRefused,
  storage_unavailable: StorageUnavailable,
  suspended: Suspended,
  timeout: RequestTimeout,
  too_large: TooLarge,
  too_many_requests: TooManyRequests,
  unauthenticated: Unauthenticated,
  unsupported_media_type: UnsupportedMediaType,
  wrong_settings: WrongSettings,
};

/** Return the error that a problem document stands for. */
export function errorOf(problem: ProblemDetails, retryAfterMs?: number): ApiError {
  const kind = Object.hasOwn(CLASSES, problem.code) ? CLASSES[problem.code] : undefined;
  return new (kind ?? ApiError)(problem, retryAfterMs);
}
