/**
 * The ids of records that nothing but their values tells apart: the first has the id of their
 * reference, the others are `id~2`, `id~3`. Rows are matched with the stored records of their
 * reference, so that each keeps its id while it has anything in common with what is stored. Of the
 * others, as many are those that other sources have stored as these have left; the rest are new,
 * and take the lowest numbers that no stored record has. Both in the order given.
 */

export interface Described {
  /** Values of which one that agrees shows that a row is that record; null where not known. */
  telling: readonly (string | null)[]
  /** Its other values, which records side by side often have in common. */
  others: readonly (string | null)[]
}

export interface StoredRecord extends Described {
  id: string
  /** Of the load's own source, in which a row that agrees with it in nothing is another record. */
  isOwn: boolean
}

interface Pair<Row, Record> {
  row: Row
  record: Record
  /** How many telling values agree. */
  agreement: number
}

/**
 * How many rows and records of one reference are compared, of those that have changed: more are no
 * register's, and are new.
 */
const maxCompared = 300

/**
 * The id of each row. `rows` differ from one another, and their order follows from their values.
 */
export function numberedIds<Row extends Described>(
  id: string,
  rows: readonly Row[],
  stored: readonly StoredRecord[],
): Map<Row, string> {
  const ids = unchanged(rows, stored)
  const taken = new Set(ids.values())
  const changed = rows.filter((row) => !ids.has(row))
  const left = stored.filter((record) => !taken.has(record.id))
  for (const { row, record } of bestPairs(changed, left)) {
    ids.set(row, record.id)
    taken.add(record.id)
  }
  const free = freeIds(id, stored, taken)
  for (const row of rows.filter((row) => !ids.has(row))) ids.set(row, free.next().value)
  return ids
}

function* freeIds(
  id: string,
  stored: readonly StoredRecord[],
  taken: ReadonlySet<string>,
): Generator<string, never> {
  for (const record of stored) if (!record.isOwn && !taken.has(record.id)) yield record.id
  const storedIds = new Set(stored.map((record) => record.id))
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? id : `${id}~${number}`
    if (!storedIds.has(numbered)) yield numbered
  }
}

function unchanged<Row extends Described>(
  rows: readonly Row[],
  stored: readonly StoredRecord[],
): Map<Row, string> {
  const textOf = ({ telling, others }: Described) => JSON.stringify([telling, others])
  const byText = new Map(stored.map((record) => [textOf(record), record.id]))
  const ids = new Map<Row, string>()
  for (const row of rows) {
    const found = byText.get(textOf(row))
    if (found !== undefined) ids.set(row, found)
  }
  return ids
}

/**
 * Rows and stored records of one reference that are the same, each in one pair at most: those that
 * agree in something, and that `mayBeOne` allows.
 */
export function bestPairs<Row extends Described, Record extends Described>(
  rows: readonly Row[],
  stored: readonly Record[],
  mayBeOne: (row: Row, record: Record) => boolean = () => true,
): Pair<Row, Record>[] {
  const candidates = stored.slice(0, maxCompared)
  const pairs = rows
    .slice(0, maxCompared)
    .flatMap((row) =>
      candidates
        .map((record) => ({ row, record, agreement: agreeing(row.telling, record.telling) }))
        .filter(({ record, agreement }) => agreement > 0 && mayBeOne(row, record)),
    )
  const paired = new Set<Described>()
  return bestFirst(pairs).filter(({ row, record }) => {
    if (paired.has(row) || paired.has(record)) return false
    paired.add(row).add(record)
    return true
  })
}

/**
 * First what agrees in most telling values, then what agrees with fewest others, so that those find
 * each other too.
 */
function bestFirst<Row extends Described, Record extends Described>(
  pairs: readonly Pair<Row, Record>[],
): Pair<Row, Record>[] {
  const choices = new Map<Described, number>()
  for (const end of pairs.flatMap(({ row, record }) => [row, record])) {
    choices.set(end, (choices.get(end) ?? 0) + 1)
  }
  const choicesOf = ({ row, record }: Pair<Row, Record>) =>
    (choices.get(row) ?? 0) + (choices.get(record) ?? 0)
  const inOthers = ({ row, record }: Pair<Row, Record>) => agreeing(row.others, record.others)
  return pairs.toSorted(
    (a, b) => b.agreement - a.agreement || choicesOf(a) - choicesOf(b) || inOthers(b) - inOthers(a),
  )
}

const agreeing = (a: readonly (string | null)[], b: readonly (string | null)[]): number =>
  a.filter((value, at) => value !== null && value === b[at]).length
