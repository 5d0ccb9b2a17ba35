/** Temporary codes of companies: see `temporaryCodes` in the schema. */
import { type SQL, sql } from "drizzle-orm"

export const isTemporaryCode = (code: string): boolean => /^[0-9A-Z]{3}D[A-Z]$/.test(code)

/** The ordinary codes of the companies that have had a temporary code like the bound pattern by the bound release. */
export const codesLike = (pattern: SQL): SQL =>
  sql`array(select t.asx_code from temporary_codes t
    where t.since_release <= ${sql.placeholder("release")} and lower(t.code) like ${pattern})`
