/** Reads shapes by their digests, which records have in place of them. */
import type { ResourceRecord, Value } from "../../resources/resource.ts"
import { arrayLiteral } from "../../text/array-literal.ts"
import type { ReadPool } from "../pool/pool.ts"
import type { ReaderPools } from "./reader-caches.ts"
import type { ReadOptions } from "./reads.ts"
import { ReleaseUnavailable } from "./releases.ts"

/** Of the shapes that are read at a time; a larger one is read alone. */
const mostBytes = 4 * 1024 ** 2

interface PartRow {
  shape: string
  coordinates: string
}

const coordinatesOfPart = ({ coordinates }: PartRow): string => coordinates

/** Makes the value of a shape. @param parts coordinates of GeoJSON polygons */
export type WriteShape = (parts: readonly string[]) => Value

type Records = readonly ResourceRecord[]

/**
 * Yields the records in parts, with their shapes in place of the digests. One shape may take megabytes, so a
 * part ends where its shapes would take more than a few.
 */
export type AddShapes = (
  pool: "lists" | "exports",
  records: Records,
  write: WriteShape,
  options: ReadOptions,
) => AsyncGenerator<Records, void, void>

/** Its result may throw Unavailable, and ReleaseUnavailable for shapes that pruning has deleted. */
export const createAddShapes = (pools: ReaderPools): AddShapes =>
  async function* (pool, records, write, options) {
    for (let left = records; left.length > 0; ) {
      const digests = [...new Set(left.flatMap(({ geometry }) => geometry ?? []))].map(String)
      const shapes =
        digests.length === 0 ? new Map() : await readFirst(pools[pool], digests, options)
      const isUnread = ({ geometry }: ResourceRecord) => geometry !== null && !shapes.has(geometry)
      const end = left.findIndex(isUnread)
      const part = end < 0 ? left : left.slice(0, end)
      yield part.map((record) => {
        const parts = shapes.get(record.geometry)
        return parts ? { ...record, geometry: write(parts.map(coordinatesOfPart)) } : record
      })
      left = left.slice(part.length)
    }
  }

const readFirst = (pool: ReadPool, digests: readonly string[], { account, release }: ReadOptions) =>
  pool.runAlone(account, async (db): Promise<ReadonlyMap<unknown, PartRow[]>> => {
    const rows = await db.$client.unsafe<PartRow[]>(
      `select shape, coordinates from (
         select shape, part, coordinates, place, sum(octet_length(coordinates)) over (order by place) as bytes
         from unnest($1::text[]) with ordinality as requested (digest, place) join shape_parts on shape = digest
       ) sized where place = 1 or bytes <= $2 order by place, part`,
      [arrayLiteral(digests), mostBytes],
    )
    const shapes = Map.groupBy(rows, ({ shape }) => shape)
    if (!shapes.has(digests[0] ?? "")) throw new ReleaseUnavailable(release)
    return shapes
  })
