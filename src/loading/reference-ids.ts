/**
 * Assigns ids to the rows of one reference, which several records may share. A row is the stored record with
 * identical values; else the one with its id, unless several share that id; else the one that agrees with it
 * in most values. A row that agrees with none is new.
 *
 * Of records without a distinction, the first has the id of the reference, the others `id~2`, `id~3`, with
 * the lowest numbers that no stored record has. Other sources round areas and write holders in their own
 * ways, so a new row without a distinction takes the id of an unmatched record of another source first.
 */

export interface Described {
  id: string
  /** The value that is the same in all files and differs between records of one reference. */
  same: string | null
  /** Values of which one that agrees shows that a row is that record; null where not known. */
  telling: readonly (string | null)[]
  /** Its other values, which records side by side often have in common. */
  others: readonly (string | null)[]
}

export interface StoredRecord extends Described {
  /** Of the load's own source, in which a row that agrees with it in nothing is another record. */
  isOwn: boolean
  /** Of a source whose records the load's own cannot change. */
  isHigher: boolean
}

/** The id without its number. */
export const unnumbered = (id: string): string => id.replace(/~\d+$/, "")

/** The id of each row. `rows` differ from one another, and their order follows from their values. */
export function idsOfRows<Row extends Described>(
  rows: readonly Row[],
  stored: readonly StoredRecord[],
): Map<Row, string> {
  const shared = sharedIds(rows, stored)
  const ids = new Map<Row, string>()
  const taken = new Set<string>()
  const take = (row: Row, id: string) => {
    ids.set(row, id)
    taken.add(id)
  }
  const left = () => rows.filter((row) => !ids.has(row))
  const unclaimed = () => stored.filter(({ id }) => !taken.has(id))

  const storedIds = new Set(stored.map(({ id }) => id))
  const byText = new Map(stored.map((record) => [textOf(record), record.id]))
  for (const row of rows) {
    const id = byText.get(textOf(row))
    if (id !== undefined && !taken.has(id)) take(row, id)
  }
  const byId = new Map(unclaimed().map((record) => [record.id, record]))
  for (const row of left()) {
    const record = shared.has(row.id) ? undefined : byId.get(row.id)
    if (record && (record.isOwn || record.isHigher) && mayBeSame(row, record)) take(row, row.id)
  }
  const isAmong = ({ id }: Row, record: StoredRecord) =>
    shared.has(id) && unnumbered(record.id) === id
  const pairs = bestPairs(
    left(),
    unclaimed(),
    (row, record) => isAmong(row, record) || (record.isOwn && mayBeSame(row, record)),
  )
  for (const { row, record } of pairs) take(row, record.id)
  for (const row of left()) {
    const ofOthers = unclaimed().find((record) => !record.isOwn && isAmong(row, record))
    take(row, ofOthers?.id ?? newId(row))
  }
  return ids

  function newId({ id, same }: Row): string {
    if (!shared.has(id) && !taken.has(id)) return id
    // An id that is not shared has turned out to be that of another row.
    const first = shared.has(id) || same === null ? id : `${id}-${same}`
    let free = first
    for (let number = 2; taken.has(free) || storedIds.has(free); number++)
      free = `${first}~${number}`
    return free
  }
}

/** The ids that several rows have, or a row and numbered records. */
function sharedIds(rows: readonly Described[], stored: readonly Described[]): Set<string> {
  const numbered = stored.map(({ id }) => unnumbered(id)).filter((id, at) => id !== stored[at]?.id)
  const repeated = rows.map(({ id }) => id).filter((id, at, all) => all.indexOf(id) !== at)
  return new Set([...numbered, ...repeated])
}

const textOf = ({ telling, others }: Described) => JSON.stringify([telling, others])

const mayBeSame = (row: Described, record: Described): boolean =>
  row.same === null || record.same === null || row.same === record.same

interface Pair<Row> {
  row: Row
  record: StoredRecord
  /** How many telling values agree. */
  agreement: number
}

/** More changed rows or records of one reference than these are no register's, and are new. */
const maxCompared = 300

/** Each row and each record is in one pair at most. */
function bestPairs<Row extends Described>(
  rows: readonly Row[],
  stored: readonly StoredRecord[],
  isAllowed: (row: Row, record: StoredRecord) => boolean,
): Pair<Row>[] {
  const candidates = stored.slice(0, maxCompared)
  const pairs = rows
    .slice(0, maxCompared)
    .flatMap((row) =>
      candidates
        .map((record) => ({ row, record, agreement: agreeing(row.telling, record.telling) }))
        .filter(({ record, agreement }) => agreement > 0 && isAllowed(row, record)),
    )
  const paired = new Set<Described>()
  return bestFirst(pairs).filter(({ row, record }) => {
    if (paired.has(row) || paired.has(record)) return false
    paired.add(row).add(record)
    return true
  })
}

/**
 * First those that agree in most telling values, then those with the fewest other choices, so that these
 * find each other too.
 */
function bestFirst<Row extends Described>(pairs: readonly Pair<Row>[]): Pair<Row>[] {
  const choices = new Map<Described, number>()
  for (const end of pairs.flatMap(({ row, record }) => [row, record])) {
    choices.set(end, (choices.get(end) ?? 0) + 1)
  }
  const choicesOf = ({ row, record }: Pair<Row>) =>
    (choices.get(row) ?? 0) + (choices.get(record) ?? 0)
  const inOthers = ({ row, record }: Pair<Row>) => agreeing(row.others, record.others)
  return pairs.toSorted(
    (a, b) => b.agreement - a.agreement || choicesOf(a) - choicesOf(b) || inOthers(b) - inOthers(a),
  )
}

const agreeing = (a: readonly (string | null)[], b: readonly (string | null)[]): number =>
  a.filter((value, at) => value !== null && value === b[at]).length
