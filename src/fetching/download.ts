/**
 * Downloads one file. What has arrived when a transfer is cut off is kept for the next try, which asks
 * for the rest, as long as the server says that the file is still the same one; otherwise it begins
 * again.
 */
import { createReadStream } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { createGunzip } from "node:zlib"
import { codeOf } from "../text/error-code.ts"
import { FetchError } from "./fetch-error.ts"
import { digestOf } from "./raw-files.ts"
import { type Access, get, type Response } from "./request.ts"
import { checkedBytes, checkNoPage, isGzipped, statusError } from "./response-checks.ts"
import { withRetries } from "./retries.ts"

/** What a server says of a file's version, for conditional requests. */
export interface Validators {
  etag: string | null
  /** As the server writes it. */
  lastModified: string | null
}

export interface Downloaded extends Validators {
  /** SHA-256 of the file, without the compression of its transfer; hexadecimal. */
  sha256: string
  bytes: number
  /** The media type that the server states, in lower case; empty where it states none. */
  type: string
}

/** A transfer that may be completed. */
interface Partial {
  received: number
  total: number
  /** A strong validator, or the date of the last change. */
  validator: string
  coding: string
}

/**
 * Writes the file to `path`, which is complete only once this returns.
 * @returns null where the server says that the file is the version of `known`
 * @throws FetchError
 */
export async function download(
  url: URL,
  path: string,
  access: Access,
  known: Validators | null = null,
): Promise<Downloaded | null> {
  let partial: Partial | null = null
  const transfer = async () => {
    const response = await get(url, access, partial ? rangeOf(partial) : conditionsOf(known))
    const { status } = response
    if (status === 304 && !partial && known) {
      response.close()
      return null
    }
    const resumed: Partial | null =
      partial && status === 206 && isRest(response, partial) ? partial : null
    partial = null
    if (status === 206 && !resumed) throw restartError(response)
    if (status === 416) throw restartError(response)
    if (status !== 200 && status !== 206) throw statusError(response)
    const expected = resumed?.total ?? lengthOf(response)
    let received = resumed?.received ?? 0
    try {
      for await (const position of written(response, path, received, access)) received = position
      if (expected !== null && received !== expected)
        throw lengthError(response, received, expected)
      return response
    } catch (error) {
      partial = resumable(response, received, expected)
      throw error
    }
  }
  const response = await withRetries(access, transfer)
  return response && { ...(await finished(response, path, access)), ...validatorsOf(response) }
}

const conditionsOf = (known: Validators | null): Record<string, string> => ({
  ...(known?.etag ? { "If-None-Match": known.etag } : {}),
  ...(known?.lastModified ? { "If-Modified-Since": known.lastModified } : {}),
})

const rangeOf = ({ received, validator }: Partial) => ({
  Range: `bytes=${received}-`,
  "If-Range": validator,
})

const validatorsOf = ({ headers }: Response): Validators => ({
  etag: headers.etag ?? null,
  lastModified: headers["last-modified"] ?? null,
})

const codingOf = ({ headers }: Response): string => headers["content-encoding"] ?? "identity"

function lengthOf({ headers }: Response): number | null {
  const length = headers["content-length"] ?? ""
  return /^\d{1,15}$/.test(length) ? Number(length) : null
}

/** Whether a 206 has exactly what is missing. */
function isRest(response: Response, { received, total, coding }: Partial): boolean {
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers["content-range"] ?? "")
  if (!range || codingOf(response) !== coding) return false
  return [received, total - 1, total].every((value, at) => Number(range[at + 1]) === value)
}

/** A weak ETag does not promise the same bytes. */
function resumable(response: Response, received: number, total: number | null): Partial | null {
  const { etag, lastModified } = validatorsOf(response)
  const validator = etag?.startsWith('"') ? etag : lastModified
  if (total === null || received === 0 || received >= total || validator === null) return null
  return { received, total, validator, coding: codingOf(response) }
}

function restartError({ url, close }: Response): FetchError {
  close()
  return new FetchError(url, "it answers with another part than the one asked for", {
    isTemporary: true,
  })
}

const lengthError = ({ url }: Response, received: number, expected: number) =>
  new FetchError(url, `it sent ${received} of ${expected} bytes`, { isTemporary: true })

/** Writes the body at `start` of the file, and yields how long the file is after each chunk. */
async function* written(
  { url, body }: Response,
  path: string,
  start: number,
  { limits }: Access,
): AsyncGenerator<number> {
  const file = await open(path, start > 0 ? "r+" : "w")
  let position = start
  try {
    for await (const chunk of body) {
      if (position + chunk.length > limits.maxBytes) throw sizeError(url, limits.maxBytes)
      await writeWhole(file, chunk, position)
      position += chunk.length
      yield position
    }
    await file.truncate(position)
  } finally {
    await file.close()
  }
}

/** A disk that is nearly full takes a part of a chunk, and says so only by the number of bytes. */
async function writeWhole(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const rest = chunk.length - written
    const { bytesWritten } = await file.write(chunk, written, rest, position + written)
    written += bytesWritten
  }
}

const sizeError = (url: URL, maxBytes: number) =>
  new FetchError(url, `it is larger than ${Math.floor(maxBytes / 1024 ** 2)} MB`)

/** Takes off the compression of the transfer, and checks what the file is. */
async function finished(response: Response, path: string, access: Access) {
  const { url, headers } = response
  if (isGzipped(response)) await gunzip(url, path, access)
  const file = Bun.file(path)
  checkNoPage(url, await file.slice(0, checkedBytes).bytes())
  if (file.size === 0) throw new FetchError(url, "it is empty")
  const type = (headers["content-type"] ?? "").replace(/;.*$/s, "").trim().toLowerCase()
  return { sha256: await digestOf(path), bytes: file.size, type }
}

async function gunzip(url: URL, path: string, { limits, signal }: Access): Promise<void> {
  const unpacked = `${path}.unpacked`
  const file = await open(unpacked, "w")
  const input = createReadStream(path)
  try {
    let size = 0
    const output = input.pipe(createGunzip())
    input.on("error", (error) => output.destroy(error))
    for await (const chunk of output as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted()
      size += chunk.length
      if (size > limits.maxBytes) throw sizeError(url, limits.maxBytes)
      await writeWhole(file, chunk, size - chunk.length)
    }
    await rename(unpacked, path)
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error
    throw new FetchError(url, "its compressed data is truncated or corrupt")
  } finally {
    // It is not read to its end where it unpacks to too much.
    input.destroy()
    await file.close()
    await rm(unpacked, { force: true })
  }
}
