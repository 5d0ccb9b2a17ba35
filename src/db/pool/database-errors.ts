/** What the errors of the database and of the driver say about the database. */
import { codeOf } from "../../text/error-code.ts"
import { withoutParameters } from "../query-failure.ts"
import { Unavailable } from "./unavailable.ts"

/** Of PostgreSQL: lock_not_available, query_canceled, serialization_failure. */
const lockTimeout = "55P03"
const statementTimeout = "57014"
/** Of a replica that had to replay a change which the statement must not see. */
const serializationFailure = "40001"

/** Rethrows an error of a statement without its parameters. @throws Unavailable where the database is */
export function rethrowDatabaseError(error: unknown): never {
  const cause = withoutParameters(error)
  const code = codeOf(cause)
  if (code === lockTimeout) throw new Unavailable("A table is locked", { cause })
  if (code === statementTimeout) throw new Unavailable("The statement took too long", { cause })
  if (code === serializationFailure) {
    throw new Unavailable("A replica canceled the statement", { cause })
  }
  if (isOfConnection(code) || isOfServer(code)) {
    throw new Unavailable("The database is unavailable", { cause })
  }
  throw cause
}

/** Whether a statement waited in vain for a lock. */
export const isLockTimeout = (error: unknown): boolean =>
  codeOf(withoutParameters(error)) === lockTimeout

/** Whether a statement names a table, column or function that is not there. */
export const isMissingObject = (error: unknown): boolean =>
  ["42P01", "42703", "42883"].includes(codeOf(withoutParameters(error)))

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
