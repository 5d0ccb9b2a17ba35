/**
 * The names of holders that a load stores. With `HOLDER_NAMES=companies` it stores no name that may be a
 * natural person's, and keeps no file that may have one.
 */
import type { TransactionSql } from "postgres"
import { type HolderNames, withoutPersons } from "../resources/holder-names.ts"
import type { Resource } from "../resources/resource.ts"
import { memoized } from "../text/memoized.ts"

/** Converts the holders of a record to those that are stored. */
export type StoreHolders = (holders: string) => string

/** Whether the service keeps files with records of the resource: rejected rows and fetched files. */
export const keepsFiles = (names: HolderNames, { links }: Pick<Resource, "links">): boolean =>
  names === "all" || links !== "holders"

/** The keys of names that are never masked: those of companies, now or formerly, and of subsidiaries. */
async function knownKeys(sql: TransactionSql): Promise<Set<string>> {
  const rows = await sql.unsafe<{ key: string }[]>(
    `select name_key as key from companies union select name_key from former_names
     union select name_key from subsidiaries`,
  )
  return new Set(rows.map(({ key }) => key).filter((key) => key !== ""))
}

export async function createStoreHolders(sql: TransactionSql): Promise<StoreHolders> {
  const known = await knownKeys(sql)
  return memoized((holders) => withoutPersons(holders, known))
}

/**
 * The kind of names that the stored records have after a load with `names`. An earlier load may have stored
 * all names, of records that this load did not change.
 */
export async function storedNames(sql: TransactionSql, names: HolderNames): Promise<HolderNames> {
  if (names === "all") return "all"
  const [last] = await sql.unsafe<{ names: string | null }[]>(
    "select manifest->>'holder_names' as names from releases order by id desc limit 1",
  )
  if (last === undefined || last.names === "companies") return "companies"
  const store = await createStoreHolders(sql)
  const rows = await sql.unsafe<{ holders: string }[]>(
    "select distinct holder_name as holders from tenements where holder_name is not null",
  )
  return rows.every(({ holders }) => store(holders) === holders) ? "companies" : "all"
}
