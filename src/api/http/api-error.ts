/** The errors of the API: one table from code to status, message and, for the description, when. */
import { type TObject, Type } from "@sinclair/typebox"

export const errorTable = {
  INVALID_PARAMETER: {
    status: 400,
    message: "Invalid parameter",
    when: "A parameter is unknown, repeated, empty, malformed or out of range, or the path cannot be decoded. `details.parameters` lists the faults.",
  },
  UNAUTHORIZED: {
    status: 401,
    message: "Invalid or missing API token",
    when: "The token is missing, unknown, revoked or expired.",
  },
  NOT_FOUND: {
    status: 404,
    message: "Resource not found",
    when: "There is no such record or path.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: "Method not allowed",
    when: "The method is neither GET nor HEAD.",
  },
  RATE_LIMITED: {
    status: 429,
    message: "Rate limit exceeded",
    when: "The window is used up. Wait until `details.reset_at`, in Unix seconds, and retry.",
  },
  INTERNAL: {
    status: 500,
    message: "Internal error",
    when: "The service has a fault. Quote the `X-Request-Id` when you report it.",
  },
  UNAVAILABLE: {
    status: 503,
    message: "Service unavailable, try again shortly",
    when: "The database cannot be reached, or too many of your requests wait for it. Retry after `Retry-After` seconds.",
  },
} as const

export type ErrorCode = keyof typeof errorTable

export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> }
}

/** An error for the client. Only the log gets its `cause`. */
export class ApiError extends Error {
  override readonly name = "ApiError"
  readonly status: number

  constructor(
    readonly code: ErrorCode,
    readonly options: {
      details?: Record<string, unknown>
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(errorTable[code].message, { cause: options.cause })
    this.status = errorTable[code].status
  }

  /** The body in the interface's error envelope. */
  body(): ErrorBody {
    const { details } = this.options
    return { error: { code: this.code, message: this.message, ...(details && { details }) } }
  }
}

/** A request without a token gets no error code (RFC 6750, section 3.1). */
export const unauthorized = (tokenSent: boolean): ApiError =>
  new ApiError("UNAUTHORIZED", {
    headers: {
      "WWW-Authenticate": `Bearer realm="mds"${tokenSent ? ', error="invalid_token"' : ""}`,
    },
  })

/** @param resetAtSeconds the Unix second at which the window resets */
export const rateLimited = (resetAtSeconds: number): ApiError =>
  new ApiError("RATE_LIMITED", { details: { reset_at: resetAtSeconds } })

/** A fault of one parameter. */
export interface Fault {
  parameter: string
  message: string
  allowed?: readonly string[]
}

/** The most faults that one response lists. */
const maxNamedFaults = 20

/** The schema of `details`, for the errors that have it. */
export const errorDetails: Readonly<Partial<Record<ErrorCode, TObject>>> = {
  INVALID_PARAMETER: Type.Object({
    parameters: Type.Array(
      Type.Object({
        parameter: Type.String({ description: "Name of the parameter, or `path`" }),
        message: Type.String({ description: "The fault" }),
        allowed: Type.Optional(
          Type.Array(Type.String(), { description: "The valid values or names, if they are few" }),
        ),
      }),
      { minItems: 1, maxItems: maxNamedFaults, description: "The faults" },
    ),
    more: Type.Optional(
      Type.Integer({ minimum: 1, description: "The number of further faults, if there are any" }),
    ),
  }),
  RATE_LIMITED: Type.Object({
    reset_at: Type.Integer({ description: "When the window resets, in Unix seconds" }),
  }),
}

/** Lists the first faults of a request's parameters, and how many `more` there are. */
export const invalidParameters = (faults: readonly Fault[]): ApiError => {
  const more = faults.length - maxNamedFaults
  return new ApiError("INVALID_PARAMETER", {
    details: { parameters: faults.slice(0, maxNamedFaults), ...(more > 0 && { more }) },
  })
}

/** The faults that the error lists. */
export function faultsOf({ options }: ApiError): readonly Fault[] {
  const parameters = options.details?.parameters
  return Array.isArray(parameters) ? (parameters as Fault[]) : []
}
