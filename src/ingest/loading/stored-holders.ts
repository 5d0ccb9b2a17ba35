/**
 * The names of holders that a load stores. With `HOLDER_NAMES=companies` it stores no name that may be a
 * natural person's, and keeps no file that may have one.
 */
import type { TransactionSql } from "postgres"
import { type HolderNames, withoutPersons } from "../../data/resources/holder-names.ts"
import type { Resource } from "../../data/resources/resource.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { memoized } from "../../system/text/memoized.ts"
import { countText, type FileFigures } from "./figures.ts"
import { ownedNames } from "./name-owners.ts"

/** Converts the holders of a record to those that are stored. */
export type StoreHolders = (holders: string) => string

/** Whether the service keeps files with records of the resource: rejected rows and fetched files. */
export const keepsFiles = (names: HolderNames, { links }: Pick<Resource, "links">): boolean =>
  names === "all" || links !== "holders"

/** A value may have quotes itself, so it ends at the last one. */
const withoutQuoted = (text: string): string => text.replace(/".*"/s, "…")

/** The figures that a release stores: where it may not name persons, texts lose the values of cells, which they quote. */
export function storedFigures(
  files: readonly FileFigures[],
  names: HolderNames,
  resource: Resource,
): readonly FileFigures[] {
  if (keepsFiles(names, resource)) return files
  return files.map((file) => {
    const warnings: FileFigures["warnings"] = {}
    for (const [text, count] of Object.entries(file.warnings))
      countText(warnings, withoutQuoted(text), count)
    return { ...file, warnings, ...(file.notes && { notes: file.notes.map(withoutQuoted) }) }
  })
}

/** Masks no names of companies, now or formerly, subsidiaries and confirmed holders. */
async function createStoreHolders(sql: TransactionSql): Promise<StoreHolders> {
  const rows = await sql.unsafe<{ key: string }[]>(
    `select name_key as key from companies union select name_key from former_names
     union select key from (${ownedNames}) owned`,
  )
  const known = new Set(rows.map(({ key }) => key).filter((key) => key !== ""))
  return memoized((holders) => withoutPersons(holders, known))
}

/** For a load that masks names. Forgets declined decisions on names that no record will have from now on. */
export async function createMask(sql: TransactionSql): Promise<StoreHolders> {
  const store = await createStoreHolders(sql)
  const declined = await sql.unsafe("select holder from link_decisions where not is_right")
  const persons = declined.map(({ holder }) => holder).filter((name) => store(name) !== name)
  await sql.unsafe("delete from link_decisions where not is_right and holder = any($1::text[])", [
    arrayLiteral(persons),
  ])
  return store
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
    `select holder_name as holders from tenements where holder_name is not null
     union select holder from link_decisions`,
  )
  return rows.every(({ holders }) => store(holders) === holders) ? "companies" : "all"
}
