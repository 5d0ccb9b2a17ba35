/**
 * Whether the database refused a statement that it would run elsewhere, or for another role. Of
 * SQLSTATE: insufficient privilege, or a transaction that may only read, as all are on a standby.
 */
export const isForbidden = (error: unknown): error is Error =>
  error instanceof Error && ["42501", "25006"].includes(String((error as { code?: unknown }).code))
