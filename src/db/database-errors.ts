/** What the errors of PostgreSQL, the driver and the system say about the database. */
import { DrizzleQueryError } from "drizzle-orm/errors"
import { codeOf } from "../text/error-code.ts"
import { Unavailable } from "./pool/unavailable.ts"

/** The error of the database or the driver. Drizzle's own message contains the parameters, which must not be shown or logged. */
export const withoutParameters = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error

const lockTimeout = "55P03"

/** By SQLSTATE: lock_not_available, query_canceled, serialization_failure. */
const unavailableFor: Readonly<Record<string, string>> = {
  [lockTimeout]: "A table is locked",
  57014: "The statement took too long",
  // It had to replay a change which the statement must not see.
  40001: "A replica canceled the statement",
}

/** Rethrows an error of a statement without its parameters. @throws Unavailable where the database is */
export function rethrowDatabaseError(error: unknown): never {
  const cause = withoutParameters(error)
  const code = codeOf(cause)
  const isLost = isOfConnection(code) || isOfServer(code)
  const reason = unavailableFor[code] ?? (isLost ? "The database is unavailable" : undefined)
  throw reason === undefined ? cause : new Unavailable(reason, { cause })
}

/** Whether a statement waited in vain for a lock. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(withoutParameters(error)) === lockTimeout

/** Whether a statement names a table, column or function that is not there. */
export const isMissingObject = (error: unknown): boolean =>
  ["42P01", "42703", "42883"].includes(codeOf(withoutParameters(error)))

/**
 * Whether the database refused a statement for lack of privilege (SQLSTATE 42501) or because the
 * transaction is read-only (25006), as every transaction on a standby is.
 */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Error && ["42501", "25006"].includes(codeOf(error))

/** Whether the error is the answer of a server that goes on running. */
export const isAnswer = (error: unknown): boolean => {
  const code = codeOf(withoutParameters(error))
  return /^[0-9A-Z]{5}$/.test(code) && !isOfConnection(code) && !/^57P0/.test(code)
}

const isOfConnection = (code: string): boolean =>
  /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_)/.test(
    code,
  )

/**
 * The SQLSTATE classes connection exception (08), invalid authorization (28), invalid catalog name (3D),
 * insufficient resources (53), operator intervention (57) and system error (58); and what a database
 * answers that accepts no connections (55000).
 */
const isOfServer = (code: string): boolean => /^((08|28|3D|53|57|58)[0-9A-Z]{3}|55000)$/.test(code)

interface Failure {
  /** SQLSTATEs, and codes of the driver and the system. */
  codes: RegExp
  reason: string
  /** What to do. */
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

/** Those of the first connection, which name what is wrong with the address. */
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
 * Why a command failed, where the cause is the database's server or a role's rights: the reason, with
 * what the server itself says, and what to do; undefined for any other error. A part of a sentence.
 */
export function failureReason(error: unknown, known = failures): string | undefined {
  const cause = error instanceof Unavailable ? error.cause : withoutParameters(error)
  const failure = known.find(({ codes }) => codes.test(codeOf(cause)))
  if (!failure || !(cause instanceof Error)) return undefined
  return `${failure.reason} (${cause.message}); ${failure.advice}`
}

/** The same for the first connection to a database. */
export const connectFailureReason = (error: unknown): string =>
  failureReason(error, [...connectFailures, ...failures]) ??
  `${error instanceof Error ? error.message : error}; check DATABASE_URL, the network and the server's log`
