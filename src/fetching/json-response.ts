/** Responses that are read as a whole: counts and pages of layers. */
import { gunzipSync } from "node:zlib"
import { codeOf } from "../text/error-code.ts"
import { FetchError } from "./fetch-error.ts"
import { type JsonObject, jsonObject } from "./json-object.ts"
import { type Access, get, type Response } from "./request.ts"
import { checkedBytes, checkNoPage, isGzipped, statusError } from "./response-checks.ts"
import { withRetries } from "./retries.ts"
import { serviceErrorIn } from "./service-error.ts"

/** The limit of one response. */
const maxBytes = 128 * 1024 ** 2

/** @param read turns the text into a value, or throws a FetchError, which may be temporary */
export const readText = <T>(url: URL, access: Access, read: (text: string) => T): Promise<T> =>
  withRetries(access, async () => read(await textAt(url, access)))

/** @param read the same, of an object */
export const readJson = <T>(url: URL, access: Access, read: (value: JsonObject) => T): Promise<T> =>
  readText(url, access, (text) => read(objectOf(url, text)))

async function textAt(url: URL, access: Access): Promise<string> {
  const response = await get(url, access)
  if (response.status !== 200) throw statusError(response, await messageIn(response))
  const bytes = await contentOf(response, Math.min(maxBytes, access.limits.maxBytes))
  checkNoPage(url, bytes)
  return new TextDecoder().decode(bytes)
}

/** @throws FetchError where it is larger, before or after its decompression */
async function contentOf(response: Response, limit: number): Promise<Uint8Array> {
  const isGzip = isGzipped(response)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += chunk.length
    if (size > limit) throw sizeError(response.url, limit)
    chunks.push(chunk)
  }
  const sent = Buffer.concat(chunks)
  return isGzip ? unpacked(response.url, sent, limit) : sent
}

const sizeError = (url: URL, limit: number) =>
  new FetchError(
    url,
    `a page of it is larger than ${Math.floor(limit / 1024 ** 2)} MB; ask for fewer records at once with page_size`,
  )

function unpacked(url: URL, bytes: Uint8Array, limit: number): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit })
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw sizeError(url, limit)
    throw new FetchError(url, "its compressed data is truncated or corrupt", { isTemporary: true })
  }
}

const maxMessageBytes = 64 * 1024

/** What a service says with the status of an error. Where that cannot be read, the status says enough. */
async function messageIn(response: Response): Promise<string | undefined> {
  try {
    return serviceErrorIn(new TextDecoder().decode(await contentOf(response, maxMessageBytes)))
  } catch (error) {
    if (error instanceof FetchError) return undefined
    throw error
  }
}

function objectOf(url: URL, text: string): JsonObject {
  const value = jsonObject(text)
  if (value) return value
  const error = serviceErrorIn(text.slice(0, checkedBytes))
  throw new FetchError(
    url,
    error === undefined
      ? "it answers with something that is not a JSON object"
      : `it answers with an error, ${error}`,
    { isTemporary: true },
  )
}
