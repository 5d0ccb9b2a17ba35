/**
 * The code of an error: of the system, as ENOENT, of PostgreSQL, its SQLSTATE, or of a library.
 * Empty where it has none.
 */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code ?? "") : ""
