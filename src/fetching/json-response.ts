/** Responses that are read as a whole: counts and pages of layers. */
import { gunzipSync } from "node:zlib"
import { FetchError } from "./fetch-error.ts"
import { type Access, get } from "./request.ts"
import { checkNoPage, statusError } from "./response-checks.ts"
import { withRetries } from "./retries.ts"

/** The limit of one response. */
const maxBytes = 128 * 1024 ** 2

/** @param read turns the text into a value, or throws a FetchError, which may be temporary */
export const readText = <T>(url: URL, access: Access, read: (text: string) => T): Promise<T> =>
  withRetries(access, async () => read(await textAt(url, access)))

/** @param read the same, of an object */
export const readJson = <T>(
  url: URL,
  access: Access,
  read: (value: Readonly<Record<string, unknown>>) => T,
): Promise<T> => readText(url, access, (text) => read(objectOf(url, text)))

async function textAt(url: URL, access: Access): Promise<string> {
  const response = await get(url, access)
  if (response.status !== 200) throw statusError(response)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > Math.min(maxBytes, access.limits.maxBytes)) throw tooLarge(url)
    chunks.push(chunk)
  }
  const sent = Buffer.concat(chunks)
  const bytes = response.headers["content-encoding"] === "gzip" ? unpacked(url, sent) : sent
  checkNoPage(url, bytes)
  return new TextDecoder().decode(bytes)
}

const tooLarge = (url: URL) => new FetchError(url, "a page of it is too large")

function unpacked(url: URL, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch {
    throw new FetchError(url, "its compressed data is corrupt or too large", { isTemporary: true })
  }
}

function objectOf(url: URL, text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new FetchError(url, "it answers with something that is not a JSON object", {
    isTemporary: true,
  })
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
