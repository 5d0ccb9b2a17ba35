/**
 * Opens inputs as streams of bytes: a path, `-` for standard input, or a table inside a zip file.
 * Gzip and zip are recognised by their first bytes, not by their names. The digest is of the file
 * as stored, before decompression.
 */
import { constants, createReadStream } from "node:fs"
import { access, readdir, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { pipeline, type Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { codeOf } from "../../text/error-code.ts"
import { reasonOf } from "../file-error.ts"
import { cannotRead, LoadError } from "../load-error.ts"
import { foreignFormat, signatureLength } from "./foreign-formats.ts"
import type { InputFile } from "./input.ts"
import { type Counted, unpackedBound } from "./unpacked-bound.ts"
import { isZip, tablesInZip } from "./zip.ts"

const chunkBytes = 256 * 1024

/**
 * One input, or those that a zip file contains, one after the other.
 * @param maxBytes that what is packed may unpack to, together
 */
export async function* openInputs(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<InputFile> {
  const name = path === "-" ? "standard input" : basename(path)
  const newPart = unpackedBound(maxBytes, name)
  if (path === "-") return yield openStream(process.stdin, name, newPart())
  const bytesTotal = await sizeOf(path, name)
  const start = bytesTotal === null ? new Uint8Array() : await Bun.file(path).slice(0, 4).bytes()
  if (!isZip(start)) return yield openFile(path, name, bytesTotal, newPart())
  for await (const { bytes, workbook, ...input } of tablesInZip(path, name)) {
    const counted = newPart()
    yield {
      ...input,
      bytes: () => counted(decompressed(bytes(), input.name)),
      ...(workbook && { workbook: countedParts(workbook, newPart) }),
    }
  }
}

/** @throws LoadError where an input cannot be opened */
export async function checkReadable(path: string): Promise<void> {
  if (path !== "-") await sizeOf(path, basename(path))
}

/** A sheet may be looked into before it is read. */
function countedParts(
  open: NonNullable<InputFile["workbook"]>,
  newPart: () => Counted,
): typeof open {
  const parts = new Map<string, Counted>()
  return (path) => {
    const bytes = open(path)
    const counted = parts.get(path) ?? newPart()
    parts.set(path, counted)
    return bytes && counted(bytes)
  }
}

function openStream(stream: Readable, name: string, counted: Counted): InputFile {
  return { ...metered(name, null, () => stream, counted), codePage: async () => null }
}

function openFile(
  path: string,
  name: string,
  bytesTotal: number | null,
  counted: Counted,
): InputFile {
  const open = () => createReadStream(path, { highWaterMark: chunkBytes })
  return { ...metered(name, bytesTotal, open, counted), codePage: () => codePageBeside(path) }
}

function metered(name: string, bytesTotal: number | null, open: () => Readable, counted: Counted) {
  const hasher = new Bun.CryptoHasher("sha256")
  let bytesRead = 0
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of open() as AsyncIterable<Uint8Array>) {
      hasher.update(chunk)
      bytesRead += chunk.length
      yield chunk
    }
  }
  return {
    name,
    bytesTotal,
    bytesRead: () => bytesRead,
    sha256: () => hasher.digest("hex"),
    bytes: () => decompressed(bytes(), name, counted),
  }
}

async function sizeOf(path: string, name: string): Promise<number | null> {
  try {
    const found = await stat(path)
    await access(path, constants.R_OK)
    if (found.isDirectory()) throw cannotRead(name, "is a directory")
    return found.isFile() ? found.size : null
  } catch (error) {
    if (error instanceof LoadError) throw error
    throw cannotRead(name, reasonOf(error))
  }
}

async function codePageBeside(path: string): Promise<string | null> {
  const wanted = basename(path).replace(/\.[^.]*$/, ".cpg")
  const names = await readdir(dirname(path))
  const found = names.find((name) => name.toLowerCase() === wanted.toLowerCase())
  return found === undefined ? null : await Bun.file(join(dirname(path), found)).text()
}

/** @param counted takes what is unpacked; a file that is not packed is as large as it is */
async function* decompressed(bytes: AsyncGenerator<Uint8Array>, name: string, counted?: Counted) {
  const { start, all } = await peekBytes(bytes, signatureLength)
  const foreign = foreignFormat(start)
  if (foreign) throw cannotRead(name, foreign)
  if (start[0] !== 0x1f || start[1] !== 0x8b) return yield* all
  try {
    const gunzip = createGunzip({ chunkSize: chunkBytes })
    // Errors reach the loop below through the gunzip stream; `pipeline` only requires a callback.
    pipeline(all, gunzip, () => {})
    yield* counted ? counted(gunzip) : gunzip
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error
    throw cannotRead(name, "its gzip data is truncated or corrupt")
  }
}

/**
 * Buffers the first chunks until they reach `length` bytes; `all` yields them again with the rest.
 */
export async function peekBytes(bytes: AsyncGenerator<Uint8Array>, length: number) {
  let start: Uint8Array = new Uint8Array(0)
  while (start.length < length) {
    const next = await bytes.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    if (start.length > 0) yield start
    yield* bytes
  }
  return { start, all: all() }
}
