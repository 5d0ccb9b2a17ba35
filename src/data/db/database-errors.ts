/** Classifies the errors of PostgreSQL, the driver and the system. */
import { DrizzleQueryError } from "drizzle-orm/errors"
import { codeOf } from "../../system/text/error-code.ts"
import { Unavailable } from "./pool/unavailable.ts"

/** Unwraps Drizzle's error, whose message has the parameters: they must not be shown or logged. */
export const withoutParameters = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error

const lockTimeout = "55P03"

/** By SQLSTATE: lock_not_available, deadlock_detected, query_canceled, serialization_failure. */
const unavailableFor: Readonly<Record<string, string>> = {
  [lockTimeout]: "A table is locked",
  // Two transactions wait for each other. PostgreSQL rolled this one back.
  "40P01": "A table is locked",
  57014: "The statement took too long",
  // To replay a change that the statement must not see.
  40001: "A replica canceled the statement",
}

/** Rethrows an error of a statement without its parameters. @throws Unavailable if the database is unavailable */
export function rethrowDatabaseError(error: unknown): never {
  const cause = withoutParameters(error)
  const code = codeOf(cause)
  const isLost = isOfConnection(code) || isOfServer(code) || isLoginError(cause)
  const reason = unavailableFor[code] ?? (isLost ? "The database is unavailable" : undefined)
  throw reason === undefined ? cause : new Unavailable(reason, { cause })
}

/** Whether a statement did not get its lock in time. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(withoutParameters(error)) === lockTimeout

/** Whether a statement names a missing table, column or function. */
export const isMissingObject = (error: unknown): boolean =>
  ["42P01", "42703", "42883"].includes(codeOf(withoutParameters(error)))

/**
 * Whether the role lacks a privilege (SQLSTATE 42501) or the transaction is read-only (25006), like every
 * transaction on a standby.
 */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Error && ["42501", "25006"].includes(codeOf(error))

/** Whether a running server returned the error, to a client whose login it accepted. */
export const isServerError = (error: unknown): boolean => {
  const code = codeOf(withoutParameters(error))
  return /^(?!57P0)[0-9A-Z]{5}$/.test(code) && !isOfConnection(code) && !isLoginError(error)
}

/**
 * Whether the server rejected a login: its role (SQLSTATE class 28), its database (3D), or every login to the
 * database (55000, which no statement of the service raises).
 */
export const isLoginError = (error: unknown): boolean =>
  /^((28|3D)[0-9A-Z]{3}|55000)$/.test(codeOf(withoutParameters(error)))

const isOfConnection = (code: string): boolean =>
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/.test(
    code,
  )

/**
 * Whether the code has one of the SQLSTATE classes connection exception (08), insufficient resources (53), operator
 * intervention (57) and system error (58).
 */
const isOfServer = (code: string): boolean => /^(08|53|57|58)[0-9A-Z]{3}$/.test(code)

interface Failure {
  /** SQLSTATEs, and codes of the driver and the system. */
  codes: RegExp
  reason: string
  /** The remedy. */
  advice: string
}

const failures: readonly Failure[] = [
  {
    codes: /^25006$/,
    reason: "the database is read-only",
    advice:
      "give the address of the primary server as DATABASE_URL, or check its default_transaction_read_only",
  },
  {
    codes: /^42501$/,
    reason: "the database's role lacks a privilege",
    advice: "grant it, or use the role that owns the tables",
  },
  {
    codes: /^40P01$/,
    reason: "the command and another session waited for each other",
    advice: "run it again",
  },
  {
    codes: /^5[38]/,
    reason: "the database's server lacks a resource, or cannot use its files",
    advice: "check its log, its disk and its limits, then try again",
  },
  {
    codes: /^(57P0|08|CONNECTION_|ECONN|EPIPE)/,
    reason: "there is no connection to the database",
    advice: "check that PostgreSQL runs, and its log, then try again",
  },
]

/** Failures of the first connection, which reveal a faulty URL. */
const connectFailures: readonly Failure[] = [
  {
    codes: /^(28|3D)/,
    reason: "the server rejected the login",
    advice: "check the user, the password and the database in DATABASE_URL",
  },
  {
    codes: /^ECONNREFUSED$/,
    reason: "the connection was refused",
    advice: "check that PostgreSQL runs there, or correct DATABASE_URL",
  },
  {
    codes: /^(CONNECT_TIMEOUT|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/,
    reason: "the host cannot be reached",
    advice: "check DATABASE_URL, the network and its firewalls",
  },
  {
    codes: /^(CONNECTION_|ECONNRESET|EPIPE)/,
    reason: "it closed the connection before the login",
    advice: "check that PostgreSQL listens there, and whether it requires TLS (sslmode)",
  },
]

/**
 * Returns the reason of a failure of the server or of a role's rights, with the server's message and the
 * remedy, as a part of a sentence; undefined for any other error.
 */
export function failureReason(error: unknown, known = failures): string | undefined {
  const cause = error instanceof Unavailable ? error.cause : withoutParameters(error)
  const failure = known.find(({ codes }) => codes.test(codeOf(cause)))
  if (!failure || !(cause instanceof Error)) return undefined
  return `${failure.reason} (${cause.message}); ${failure.advice}`
}

/** Returns the reason of a failed first connection. */
export const connectFailureReason = (error: unknown): string =>
  failureReason(error, [...connectFailures, ...failures]) ??
  `${error instanceof Error ? error.message : error}; check DATABASE_URL, the network and the server's log`
