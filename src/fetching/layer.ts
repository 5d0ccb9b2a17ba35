/**
 * Downloads a layer of a map service page by page into one file. Pages of a layer that changes in
 * between, or of a server that does not keep to what it is asked for, may repeat records or lack some.
 * So the layer is counted before and after, no record may come twice, and each page must begin with the
 * record that ended the page before; otherwise the layer is read again from its beginning.
 */
import { open } from "node:fs/promises"
import { excerpt } from "../text/excerpt.ts"
import { FetchError } from "./fetch-error.ts"
import type { Access } from "./request.ts"
import { pause } from "./retries.ts"

export interface LayerRecord {
  feature: unknown
  /** The server's identifier of it; null where it has none. Some make new ones for each response. */
  id: string | null
  /** Its values of what the pages are ordered by, as JSON. */
  position: string
}

export interface Page {
  records: readonly LayerRecord[]
  isLast: boolean
}

export interface Layer {
  url: URL
  /** What its pages are ordered by, and whose values therefore tell its records apart. */
  order: string
  /** The beginning of the file, up to the bracket of its features. */
  opening: string
  count: () => Promise<number>
  page: (offset: number) => Promise<Page>
}

/**
 * Writes all features to `path`.
 * @returns when they were true: before the first was read
 * @throws FetchError
 */
export async function downloadLayer(
  layer: Layer,
  path: string,
  access: Access,
  now: () => Date,
): Promise<Date> {
  const { limits, signal } = access
  for (let tried = 1; ; tried++) {
    const begun = now()
    const fault = await pass(layer, path, access)
    if (fault === null) return begun
    if (tried >= limits.tries) {
      throw new FetchError(layer.url, `each of ${tried} times that it was read, ${fault}`)
    }
    await pause(limits.backOffMs, signal)
  }
}

/** Reads the layer once. @returns why the result may not be all of it, or null */
async function pass(layer: Layer, path: string, { limits }: Access): Promise<string | null> {
  const before = await layer.count()
  if (before === 0) throw new FetchError(layer.url, "it has no records")
  const file = await open(path, "w")
  const seen = seenRecords(layer.order)
  let read = 0
  let bytes = 0
  const write = async (text: string) => {
    bytes += Buffer.byteLength(text)
    if (bytes > limits.maxBytes) {
      throw new FetchError(
        layer.url,
        `it is larger than ${Math.floor(limits.maxBytes / 1024 ** 2)} MB`,
      )
    }
    await file.writeFile(text)
  }
  try {
    await write(layer.opening)
    for (let isLast = false; !isLast; ) {
      const page = await layer.page(Math.max(0, read - 1))
      const misplaced = read > 0 ? seen.misplaced(page) : null
      if (misplaced !== null) return misplaced
      const records = page.records.slice(read > 0 ? 1 : 0)
      isLast = page.isLast || records.length === 0
      const lines = records.map(({ feature }) => JSON.stringify(feature))
      if (lines.length > 0) await write(`${read > 0 ? ",\n" : "\n"}${lines.join(",\n")}`)
      read += lines.length
      seen.add(records)
      const repeated = seen.repeated()
      if (repeated !== null) return repeated
      if (read > before) return `it had more than the ${before} records that it counted`
    }
    await write("\n]}\n")
  } finally {
    await file.close()
  }
  const after = await layer.count()
  if (before !== after) return `it changed: it had ${before} records before and ${after} after`
  return read === before ? null : `only ${read} of ${before} records came`
}

/**
 * What has been read of a layer. Identifiers tell its records apart as long as a record that is asked
 * for twice has the same one; otherwise their positions do.
 */
function seenRecords(order: string) {
  const ids = new Set<string>()
  const positions = new Set<string>()
  let repeatedId: string | null = null
  let repeatedPosition: string | null = null
  let idsAreStable = true
  let first: LayerRecord | undefined
  let last: LayerRecord | undefined
  return {
    /** Why a further page does not continue the page before, or null. */
    misplaced({ records: [again] }: Page): string | null {
      if (again?.position === last?.position) {
        if (again?.id !== last?.id) idsAreStable = false
        return null
      }
      if (!again) return "a page was empty although more should follow"
      return again.position === first?.position
        ? "it answered the same page twice"
        : "a page did not begin with the record that ended the page before"
    },
    add(records: readonly LayerRecord[]): void {
      first = records[0]
      last = records.at(-1) ?? last
      for (const { id, position } of records) {
        if (id === null) idsAreStable = false
        else if (ids.has(id)) repeatedId ??= id
        else ids.add(id)
        if (positions.has(position)) repeatedPosition ??= position
        positions.add(position)
      }
    },
    /** Which record came twice, or null. */
    repeated(): string | null {
      if (idsAreStable) return repeatedId && `the record ${excerpt(repeatedId, 100)} came twice`
      if (repeatedPosition === null) return null
      return `two records came with the same ${order}, ${excerpt(repeatedPosition, 100)}, and no lasting id`
    },
  }
}
