/**
 * Opens inputs as streams of bytes: a path, `-` for standard input, or a table inside a zip file.
 * Gzip and zip are recognised by their first bytes, not by their names. The digest is of the file
 * as stored, before decompression.
 */
import { constants, createReadStream, existsSync } from "node:fs"
import { access, stat } from "node:fs/promises"
import { basename } from "node:path"
import { pipeline, type Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { codeOf } from "../../../system/text/error-code.ts"
import { fileDigest } from "../file-names.ts"
import { cannotRead, damaged, LoadError, reasonOf } from "../load-error.ts"
import { foreignFormat, isZip, signatureLength } from "./foreign-formats.ts"
import type { InputFile, RefuseFile } from "./row.ts"
import { tablesInZip } from "./zip.ts"

const chunkBytes = 256 * 1024

/**
 * One input or, of a zip file, each that it contains.
 * @param maxBytes of the unpacked file, with all files in it
 */
export async function* openInputs(
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<InputFile> {
  const name = path === "-" ? "standard input" : basename(path)
  const bounded = boundOf(maxBytes, name)
  const unpacked = (file: InputFile): InputFile => {
    const opened: AsyncGenerator<Uint8Array>[] = []
    const open = (bytes: AsyncIterable<Uint8Array>) => {
      const stream = bounded(bytes)
      opened.push(stream)
      return stream
    }
    return {
      ...file,
      bytes: () => open(decompressed(file.bytes(), file.refuse)),
      companion: (extension) => {
        const bytes = file.companion(extension)
        return bytes && open(bytes)
      },
      finish: async () => {
        for (const stream of opened) for await (const _ of stream);
        return file.finish()
      },
    }
  }
  const bytesTotal = path === "-" ? null : await sizeOf(path, name)
  const start = bytesTotal === null ? new Uint8Array() : await Bun.file(path).slice(0, 4).bytes()
  if (!isZip(start)) {
    return yield unpacked(storedFile(path, name, bytesTotal))
  }
  for await (const table of tablesInZip(path, name)) yield unpacked(table)
}

/** @throws LoadError with the given path where an input cannot be opened */
export async function checkReadable(path: string): Promise<void> {
  if (path !== "-") await sizeOf(path, path)
}

/** Limits the size, because a small file may expand without end. */
function boundOf(maxBytes: number, name: string) {
  let left = maxBytes
  return async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      left -= chunk.length
      if (left < 0)
        throw cannotRead(name, `it unpacks to more than ${Math.floor(maxBytes / 1024 ** 2)} MB`)
      yield chunk
    }
  }
}

function storedFile(path: string, name: string, bytesTotal: number | null): InputFile {
  const hasher = new Bun.CryptoHasher("sha256")
  let bytesRead = 0
  const pathBeside = (extension: string) =>
    [extension, extension.toUpperCase()]
      .map((written) => path.replace(/\.dbf$/i, `.${written}`))
      .find((each) => each !== path && existsSync(each))
  return {
    name,
    bytesTotal,
    bytesRead: () => bytesRead,
    finish: async () => {
      const beside = ["shp", "prj"].flatMap((extension) => pathBeside(extension) ?? [])
      return [hasher.digest("hex"), ...(await Promise.all(beside.map(fileDigest)))]
    },
    bytes: async function* () {
      const stream: Readable =
        path === "-" ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes })
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        hasher.update(chunk)
        bytesRead += chunk.length
        yield chunk
      }
    },
    companion: (extension) => {
      const beside = pathBeside(extension)
      return beside === undefined ? undefined : Bun.file(beside).stream()
    },
    refuse: (what, options) => {
      throw cannotRead(name, what, options)
    },
  }
}

/** Null for a path that is no file, such as a pipe. */
async function sizeOf(path: string, name: string): Promise<number | null> {
  try {
    const found = await stat(path)
    await access(path, constants.R_OK)
    if (found.isDirectory()) throw cannotRead(name, "it is a directory")
    return found.isFile() ? found.size : null
  } catch (error) {
    throw error instanceof LoadError ? error : cannotRead(name, reasonOf(error))
  }
}

async function* decompressed(bytes: AsyncGenerator<Uint8Array>, refuse: RefuseFile) {
  const { parts, all } = await peek(bytes, signatureLength)
  const start = Buffer.concat(parts)
  const foreign = foreignFormat(start)
  if (foreign) refuse(foreign)
  if (start[0] !== 0x1f || start[1] !== 0x8b) return yield* all
  try {
    // Errors reach the loop through the gunzip stream; `pipeline` only requires a callback.
    yield* pipeline(all, createGunzip({ chunkSize: chunkBytes }), () => {})
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error
    refuse(damaged("its gzip data is truncated or corrupt"))
  }
}

/** Reads parts until they have `length` together; `all` yields them again before the others. */
export async function peek<Part extends { length: number }>(
  unread: AsyncGenerator<Part>,
  length: number,
) {
  const parts: Part[] = []
  for (let read = 0; read < length; ) {
    const { done, value } = await unread.next()
    if (done) break
    parts.push(value)
    read += value.length
  }
  async function* all(): AsyncGenerator<Part> {
    yield* parts
    yield* unread
  }
  return { parts, all: all() }
}
