/**
 * Downloads a layer of a map service page by page, in a stable order, into one file. A layer that
 * changes in between, or a server that ignores the order, may repeat records or leave some out. So the
 * download counts the records before and after, and rejects one that it receives twice.
 */
import { open } from "node:fs/promises"
import { isObject, parsedJson } from "../../system/text/parsed-json.ts"
import { excerpt } from "../../system/text/printable-text.ts"
import { textWithin } from "../../system/text/text-within.ts"
import type { RawRecord } from "../sources/source.ts"
import { FetchError, statusError, withRetries } from "./fetch-error.ts"
import { megabytes } from "./limits.ts"
import { type Access, get } from "./request.ts"

/** A layer in the terms of its service. Reading a response throws a FetchError, which may be temporary. */
export interface Layer {
  url: URL
  /** The beginning of the file, up to the bracket of its features. */
  opening: string
  countUrl: URL
  /** Undefined where the response has no count. */
  countIn: (text: string) => number | undefined
  /** Of the records after the first `read`, the last of which has the key `last`. */
  pageUrl: (read: number, last: string | undefined) => URL
  /** Throws for an object that reports an error. */
  check: (response: RawRecord) => void
  /** The values by which the pages are ordered, unique to each record. */
  keyOf: (feature: RawRecord) => string
}

/** Writes all features to `path`. @throws FetchError where they may not be all */
export async function downloadLayer(layer: Layer, path: string, access: Access): Promise<void> {
  const { url, opening } = layer
  const { maxBytes } = access.limits
  const fail = (reason: string): never => {
    throw new FetchError(url, reason)
  }
  const before = await countOf(layer, access)
  if (before === 0) fail("it has no records")
  const file = await open(path, "w")
  const keys = new Set<string>()
  let last: string | undefined
  let bytes = 0
  try {
    await file.writeFile(opening)
    while (keys.size < before) {
      const features = await pageOf(layer, access, keys.size, last)
      if (features.length === 0) fail(`only ${keys.size} of ${before} records were returned`)
      const lines = features.map(({ feature }) => JSON.stringify(feature)).join(",\n")
      bytes += Buffer.byteLength(lines)
      if (bytes > maxBytes) fail(`it is larger than ${megabytes(maxBytes)}`)
      await file.writeFile(`${keys.size > 0 ? "," : ""}\n${lines}`)
      for (const { key } of features) {
        if (keys.has(key)) fail(`the record ${excerpt(key, 100)} was returned twice`)
        keys.add(key)
        last = key
      }
    }
    await file.writeFile("\n]}\n")
  } finally {
    await file.close()
  }
  const after = await countOf(layer, access)
  if (keys.size === before && after === before) return
  fail(
    `it changed while it was read: it had ${before} records, ${keys.size} were returned, and it has ${after}`,
  )
}

const countOf = ({ url, countUrl, countIn }: Layer, access: Access): Promise<number> =>
  read(countUrl, access, (text) => {
    const count = countIn(text)
    if (count !== undefined) return count
    throw new FetchError(url, `its response has no number of records${quoted(text)}`)
  })

const pageOf = (
  { url, pageUrl, check, keyOf }: Layer,
  access: Access,
  ...place: Parameters<Layer["pageUrl"]>
) =>
  readJson(pageUrl(...place), access, (response) => {
    check(response)
    const { features, ...others } = response
    if (Array.isArray(features)) {
      return features.map((feature: unknown) => ({
        feature,
        key: keyOf(isObject(feature) ? feature : {}),
      }))
    }
    throw new FetchError(url, `a page has no features${quoted(JSON.stringify(others))}`)
  })

export function withParameters(url: URL, parameters: Readonly<Record<string, string>>): URL {
  const full = new URL(url)
  for (const [name, value] of Object.entries(parameters)) full.searchParams.set(name, value)
  return full
}

export const readJson = <T>(url: URL, access: Access, use: (value: RawRecord) => T): Promise<T> =>
  read(url, access, (text) => use(objectIn(url, text)))

const read = <T>(url: URL, access: Access, use: (text: string) => T): Promise<T> =>
  withRetries(access, async () => use(await textAt(url, access)))

const maxPageBytes = 128 * 1024 ** 2

async function textAt(url: URL, access: Access): Promise<string> {
  const { status, body } = await get(url, access)
  const limit = Math.min(maxPageBytes, access.limits.maxBytes)
  const text = await textWithin(limit, body, () => {
    const large = `a page is larger than ${megabytes(limit)}`
    throw new FetchError(url, `${large}; ask for fewer records at once with page_size`)
  })
  if (status !== 200) throw statusError(url, status, errorIn(text))
  return text
}

/** A failure is temporary: a server in trouble responds with other text. */
export function objectIn(url: URL, text: string): RawRecord {
  const value = parsedJson(text)
  if (isObject(value)) return value
  throw new FetchError(url, `the response is not a JSON object${quoted(text)}`, {
    isTemporary: true,
  })
}

/** The error of the map service, in XML or JSON. A page in HTML repeats the status. */
const errorIn = (text: string): string =>
  /^\s*<(!doctype html|html)/i.test(text) ? "" : quoted(text, ": ")

/** Quotes an unexpected response, mostly an error in XML, JSON or HTML. */
function quoted(text: string, before = ", but "): string {
  const shown = excerpt(text.replace(/<[^>]*>|\s+/g, " ").trim(), 200)
  return shown === "" ? "" : `${before}"${shown}"`
}
