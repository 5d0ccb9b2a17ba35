/** The errors of the API: one table from code to status and message. */
export const errorTable = {
  INVALID_PARAMETER: { status: 400, message: "Invalid parameter" },
  UNAUTHORIZED: { status: 401, message: "Invalid or missing API token" },
  NOT_FOUND: { status: 404, message: "Resource not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  RATE_LIMITED: { status: 429, message: "Rate limit exceeded" },
  INTERNAL: { status: 500, message: "Internal error" },
  UNAVAILABLE: { status: 503, message: "Service unavailable, try again shortly" },
} as const

export type ErrorCode = keyof typeof errorTable

export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: Record<string, unknown> }
}

/** An error meant for the client, which is shown all of it except `cause`: that is for the log. */
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

/** @param resetAtSeconds the Unix second at which the window resets */
export const rateLimited = (resetAtSeconds: number): ApiError =>
  new ApiError("RATE_LIMITED", { details: { reset_at: resetAtSeconds } })

/** What is wrong with one parameter. */
export interface Fault {
  parameter: string
  message: string
  allowed?: readonly string[]
}

/** The most faults that one response lists. */
const maxNamedFaults = 20

/** The error that lists the faults of a request's parameters: the first ones, and how many `more` there are. */
export const invalidParameters = (faults: readonly Fault[]): ApiError => {
  const more = faults.length - maxNamedFaults
  return new ApiError("INVALID_PARAMETER", {
    details: { parameters: faults.slice(0, maxNamedFaults), ...(more > 0 && { more }) },
  })
}
