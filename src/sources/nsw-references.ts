/**
 * The references of New South Wales. The numbers of titles begin anew with each act: CML 6 of 1973
 * and CML 6 of 1992 are two leases. Today's register writes the year of the act (`CML 6 (1992)`);
 * its older export and the national view do not, and there the day of the first grant distinguishes
 * titles of one number.
 */
import { dateOf, textOf, Unmapped } from "./register-values.ts"
import type { RawRecord } from "./source.ts"

/**
 * Titles of one number in one file have ids with their distinction, others have plain ids; files of other
 * layouts, or other sources, may have ids with another distinction, or none:
 * `NSW-CML6-1992`, `NSW-CML6-1979-02-03` and `NSW-CML6` may be the same lease.
 */
export const sharedReferences = {
  /** The beginning of these ids. */
  idPrefix: "NSW-",
  /** A regular expression, also of PostgreSQL, whose group is the plain id in an id. */
  plainId: "^(NSW-.*?[0-9][A-Z]?)(?:-(?:1[89]|20)[0-9]{2})?(?:-[0-9]{4}-[0-9]{2}-[0-9]{2})?$",
  /** The field whose value is the same in all files, and differs between records of one reference. */
  sameField: "grant_date",
  /**
   * Where records of one reference have no distinction: one of these columns that agrees with a stored
   * record shows that a row is that record.
   */
  tellingFields: ["holder_keys", "grant_date", "expiry_date", "area_km2"],
}

/** The distinction of a title from others of its number: the year of its act, else its day of grant. */
export function distinctionOf({ act, granted }: RawRecord): string {
  const [year] = /\b(?:1[89]|20)\d\d\b/.exec(textOf(act) ?? "") ?? []
  const day = dateOf(granted, "NSW")
  return year ?? (day instanceof Unmapped ? "" : (day ?? ""))
}
