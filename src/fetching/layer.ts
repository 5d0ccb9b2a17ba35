/**
 * Downloads a layer of a map service page by page into one file. Pages of a layer that changes in
 * between may repeat records or lack some, so it is counted before and after, and no identifier may
 * come twice; otherwise it is read again from its beginning.
 */
import { open } from "node:fs/promises"
import { FetchError } from "./fetch-error.ts"
import type { Access } from "./request.ts"
import { pause } from "./retries.ts"

export interface Page {
  features: readonly unknown[]
  /** Of each feature that has one. */
  ids: readonly (string | number)[]
  isLast: boolean
}

export interface Layer {
  url: URL
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
  const ids = new Set<string | number>()
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
      const page = await layer.page(read)
      isLast = page.isLast
      if (page.features.length === 0 && !isLast)
        return "a page was empty although more should follow"
      const lines = page.features.map((feature) => JSON.stringify(feature))
      if (lines.length > 0) await write(`${read > 0 ? ",\n" : "\n"}${lines.join(",\n")}`)
      read += lines.length
      for (const id of page.ids) {
        if (ids.has(id)) return `the record ${id} came twice`
        ids.add(id)
      }
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
