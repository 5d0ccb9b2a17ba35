/**
 * Reads records by their keys. While a statement of an account, for one resource at one release, is
 * running, further keys are collected for the next one, so many concurrent lookups cost little more
 * than one. They are collected for a short time only, so that none waits for a slow statement.
 */
import type { Readable, ResourceRecord } from "../../resources/resource.ts"
import { arrayLiteral } from "../../text/array-literal.ts"
import type { ReaderPools, ReadOptions } from "./list-reader.ts"
import type { RelationChoice } from "./relation-choice.ts"
import { releaseKey } from "./releases.ts"
import { bindRelease, type StatementsOn } from "./statements.ts"

/** Far longer than a lookup takes, and short against the pool's own limits. */
const collectForMs = 50

type Records = ReadonlyMap<unknown, ResourceRecord>

/** What is read for one account of one resource at one release; gone as soon as nothing is. */
interface Lane {
  running: boolean
  /** Collected for the next statement. */
  next: { keys: Set<string>; records: PromiseWithResolvers<Records> } | undefined
}

/** Null where there is none. May throw Unavailable or ReleaseUnavailable. */
export type FindRecord = (
  resource: Readable,
  key: string,
  options: ReadOptions,
) => Promise<ResourceRecord | null>

export function createRecordReader(
  { lookups }: Pick<ReaderPools, "lookups">,
  relations: RelationChoice,
  statementsOn: StatementsOn,
): FindRecord {
  const statements = statementsOn(lookups.db)
  const lanes = new Map<string, Lane>()

  async function read(
    resource: Readable,
    keys: ReadonlySet<string>,
    { release, account }: ReadOptions,
  ): Promise<Records> {
    const values = { keys: arrayLiteral([...keys]), ...bindRelease(release) }
    const rows = await relations.read(release, (relation) =>
      lookups.run(() => statements.find(resource, relation).execute(values), account),
    )
    if (rows.length === 0) throw new Error("A query for records returned no row")
    return new Map(rows.map(({ record }) => [record[resource.key], record]))
  }

  /** Reads what is collected, until nothing is. */
  async function run(id: string, lane: Lane, resource: Readable, options: ReadOptions) {
    lane.running = true
    while (lane.next) {
      const { keys, records } = lane.next
      lane.next = undefined
      const reading = read(resource, keys, options).then(records.resolve, records.reject)
      await atMost(reading, collectForMs)
    }
    lanes.delete(id)
  }

  return async (resource, key, options) => {
    const id = `${options.account} ${resource.name} ${releaseKey(options.release)}`
    const lane = lanes.get(id) ?? { running: false, next: undefined }
    lanes.set(id, lane)
    lane.next ??= { keys: new Set(), records: Promise.withResolvers() }
    const { keys, records } = lane.next
    keys.add(key)
    if (!lane.running) void run(id, lane, resource, options)
    return (await records.promise).get(key) ?? null
  }
}

/** Waits for a promise that does not reject, or until the time has passed. */
function atMost(promise: Promise<void>, ms: number): Promise<void> {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return Promise.race([promise, passed]).finally(() => clearTimeout(timer))
}
