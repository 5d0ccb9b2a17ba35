import { DrizzleQueryError } from "drizzle-orm/errors"

/** The error of the database or the driver. Drizzle's own message contains the parameters, which must not be shown or logged. */
export const withoutParameters = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error
