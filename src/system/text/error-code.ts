/**
 * Returns the code of an error: of the system, such as ENOENT, a SQLSTATE of PostgreSQL, or that of a library.
 * Empty without one.
 */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code ?? "") : ""
