import { DrizzleQueryError } from "drizzle-orm/errors"

/** What the database or the driver said. Drizzle's own message holds the parameters, which nobody may see. */
export const withoutParameters = (error: unknown): unknown =>
  error instanceof DrizzleQueryError ? error.cause : error
