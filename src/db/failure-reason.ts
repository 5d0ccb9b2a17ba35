/** Why the database could not do what a command asked, where the cause is its server or a role's rights. */
import { codeOf } from "../text/error-code.ts"
import { Unavailable } from "./pool/unavailable.ts"
import { withoutParameters } from "./query-failure.ts"

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
    codes: /^53100$/,
    reason: "the disk of the database's server is full",
    advice: "free space there, then try again",
  },
  {
    codes: /^53/,
    reason: "the database's server lacks a resource",
    advice: "check its log and its limits, then try again",
  },
  {
    codes: /^(57P03|08001|08004|ECONNREFUSED)$/,
    reason: "the database does not accept connections",
    advice: "check that PostgreSQL runs, and its log, then try again",
  },
  {
    codes: /^(57P0|08|CONNECTION_|ECONNRESET)/,
    reason: "the connection to the database was lost",
    advice: "check that PostgreSQL runs, and its log, then try again",
  },
  {
    codes: /^58/,
    reason: "the database's server failed to read or write its files",
    advice: "check its log and its disk, then try again",
  },
]

/**
 * The reason, with what the server itself says, and what to do; undefined for any other error. A part
 * of a sentence, without its end.
 */
export function failureReason(error: unknown): string | undefined {
  const cause = error instanceof Unavailable ? error.cause : withoutParameters(error)
  const failure = failures.find(({ codes }) => codes.test(codeOf(cause)))
  if (!failure || !(cause instanceof Error)) return undefined
  return `${failure.reason} (${cause.message}); ${failure.advice}`
}
