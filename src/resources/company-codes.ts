/** The codes of a company: its ordinary one and temporary ones, under all of which it is found. */
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { equals } from "./conditions.ts"
import type { Alias } from "./resource.ts"

const ofTemporaryCodes = (release: SQL): SQL => sql`from temporary_codes t
  where t.since_release <= ${release} and (t.replaced_release > ${release}) is not false`

/**
 * A temporary code stands for the ordinary one from the first release in which it held, unless a company has
 * it of its own.
 */
export const temporaryCode: Alias = {
  pattern: /^[0-9A-Z]{3}D[A-Z]$/,
  keyAt: (code, release) => sql`coalesce((
    select t.asx_code ${ofTemporaryCodes(release)} and t.code = ${code} limit 1), ${code})`,
}

/** The records whose column of their company has the bound code, or the ordinary code that it stands for. */
export const belongsToCode = (column: PgColumn) => (code: SQL, release: SQL) =>
  equals(column)(temporaryCode.keyAt(code, release))

/** The ordinary codes of the companies that have a temporary code like the bound pattern. */
export const codesLike = (pattern: SQL, release: SQL): SQL =>
  sql`array(select t.asx_code ${ofTemporaryCodes(release)} and lower(t.code) like ${pattern})`
