/**
 * Downloads a layer of a map service page by page, in a stable order, into one file. A layer that
 * changes in between, or a server that ignores the order, may repeat records or leave some out. So the
 * records are counted before and after, and none may come twice.
 */
import { open } from "node:fs/promises"
import { excerpt } from "../text/printable-text.ts"
import { FetchError } from "./fetch-error.ts"
import { type Limits, megabytes } from "./limits.ts"

export interface LayerRecord {
  feature: unknown
  /** Its values of what the pages are ordered by, which no other record has. */
  key: string
}

export interface Layer {
  url: URL
  /** The beginning of the file, up to the bracket of its features. */
  opening: string
  count: () => Promise<number>
  /** Records after the first `read`, the last of which has the key `last`. */
  page: (read: number, last: string | undefined) => Promise<LayerRecord[]>
}

/** Writes all features to `path`. @throws FetchError where they may not be all */
export async function downloadLayer(
  { url, opening, count, page }: Layer,
  path: string,
  { maxBytes }: Pick<Limits, "maxBytes">,
): Promise<void> {
  const fail = (reason: string): never => {
    throw new FetchError(url, reason)
  }
  const before = await count()
  if (before === 0) fail("it has no records")
  const file = await open(path, "w")
  const keys = new Set<string>()
  let last: string | undefined
  let bytes = 0
  try {
    await file.writeFile(opening)
    while (keys.size < before) {
      const records = await page(keys.size, last)
      if (records.length === 0) fail(`only ${keys.size} of ${before} records came`)
      const lines = records.map(({ feature }) => JSON.stringify(feature)).join(",\n")
      bytes += Buffer.byteLength(lines)
      if (bytes > maxBytes) fail(`it is larger than ${megabytes(maxBytes)}`)
      await file.writeFile(`${keys.size > 0 ? "," : ""}\n${lines}`)
      for (const { key } of records) {
        if (keys.has(key)) fail(`the record ${excerpt(key, 100)} came twice`)
        keys.add(key)
      }
      last = records.at(-1)?.key
    }
    await file.writeFile("\n]}\n")
  } finally {
    await file.close()
  }
  const after = await count()
  if (keys.size === before && after === before) return
  fail(
    `it changed while it was read: it had ${before} records, ${keys.size} came, and it has ${after}`,
  )
}
