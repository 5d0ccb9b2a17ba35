/** Responses of map services, which are read as a whole: counts and pages of layers. */
import { excerpt } from "../text/printable-text.ts"
import { FetchError, statusError, withRetries } from "./fetch-error.ts"
import { megabytes } from "./limits.ts"
import { type Access, get } from "./request.ts"

export type JsonObject = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** @param read turns the text into a value, or throws a FetchError, which may be temporary */
export const readText = <T>(url: URL, access: Access, read: (text: string) => T): Promise<T> =>
  withRetries(access, async () => read(await textAt(url, access)))

/** @param read the same, of an object */
export const readJson = <T>(url: URL, access: Access, read: (value: JsonObject) => T): Promise<T> =>
  readText(url, access, (text) => read(objectOf(url, text)))

const maxPageBytes = 128 * 1024 ** 2

async function textAt(url: URL, access: Access): Promise<string> {
  const { status, body } = await get(url, access)
  const limit = Math.min(maxPageBytes, access.limits.maxBytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    chunks.push(chunk)
    if (size <= limit) continue
    const large = `a page of it is larger than ${megabytes(limit)}`
    throw new FetchError(url, `${large}; ask for fewer records at once with page_size`)
  }
  const text = Buffer.concat(chunks).toString()
  if (status !== 200) throw statusError(url, status, answered(text))
  return text
}

function objectOf(url: URL, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new FetchError(url, `it answers with no JSON object${answered(text)}`, {
    isTemporary: true,
  })
}

/** The text of a response that is not the expected one, mostly an error in XML, JSON or HTML. */
export function answered(text: string): string {
  const shown = excerpt(text.replace(/<[^>]*>|\s+/g, " ").trim(), 200)
  return shown === "" ? "" : `, but "${shown}"`
}
