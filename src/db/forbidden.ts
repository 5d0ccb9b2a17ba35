import { codeOf } from "../text/error-code.ts"

/**
 * Whether the database refused a statement for lack of privilege (SQLSTATE 42501) or because the
 * transaction is read-only (25006), as every transaction on a standby is.
 */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Error && ["42501", "25006"].includes(codeOf(error))
