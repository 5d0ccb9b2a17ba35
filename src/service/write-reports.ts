import { isForbidden } from "../db/database-errors.ts"
import { describeError, type Log } from "../log/log.ts"

/** Logs failed writes. It logs only once that the database is read-only for this process. */
export function createWriteReports(log: Log) {
  let reported = false
  return (event: string) =>
    (error: unknown, fields: Record<string, unknown> = {}): void => {
      if (!isForbidden(error)) {
        log.warn(event, { ...fields, ...describeError(error) })
      } else if (!reported) {
        reported = true
        log.warn(
          "the database lets this process only read: the use of accounts and tokens is not recorded",
          describeError(error),
        )
      }
    }
}
