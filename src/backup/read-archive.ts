/** Reads an archive from a stream of bytes, checking all of it. */
import { pipeline, Readable } from "node:stream"
import { createInflate } from "node:zlib"
import { codeOf } from "../text/error-code.ts"
import {
  ArchiveError,
  type ArchiveHead,
  type Compression,
  checksumLabel,
  compressions,
  customFormat,
  damaged,
  dataBlock,
  type Entry,
  incomplete,
  magic,
  newestVersion,
  noOffset,
  oldestVersion,
  writerName,
} from "./archive.ts"
import { type ByteReader, createByteReader } from "./byte-reader.ts"

export interface ArchiveReader {
  head: ArchiveHead
  /** The data of each table in the file's order. Each must be read to its end before the next. */
  data(): AsyncGenerator<{ entry: Entry; text: AsyncIterable<Uint8Array> }>
  /**
   * After the data: checks the checksum. Returns whether there is one, as pg_dump writes none.
   * @throws ArchiveError
   */
  checkEnd(): Promise<boolean>
  bytesRead(): number
}

/** More than pg_dump has ever written. */
const maxText = 64 * 1024 * 1024
const maxChunk = 1024 * 1024 * 1024
const maxEntries = 1_000_000

/** @throws ArchiveError where it is no archive, or damaged */
export async function readArchive(source: AsyncIterable<Uint8Array>): Promise<ArchiveReader> {
  const bytes = createByteReader(source)
  const start = await bytes.read(magic.length).catch((error) => {
    if (!(error instanceof ArchiveError)) throw error
    return Buffer.alloc(0)
  })
  if (start.toString("latin1") !== magic) {
    throw new ArchiveError("it is no backup: neither of mds backup nor of pg_dump --format=custom")
  }
  const values = await formatOf(bytes)
  const compression = await compressionOf(bytes, values)
  const head = await headOf(values)
  return {
    head,
    data: () => blocks(bytes, values, head.entries, compression),
    checkEnd: () => checkEnd(bytes, head),
    bytesRead: () => bytes.bytesRead,
  }
}

/** Reads the values of which head and contents consist. */
interface Values {
  version: number
  int(): Promise<number>
  text(): Promise<string | null>
  skipOffset(): Promise<number>
}

async function formatOf(bytes: ByteReader): Promise<Values> {
  const [major, version = 0, , intSize = 0, offsetSize = 0, format] = await bytes.read(6)
  if (major !== 1 || version < oldestVersion || version > newestVersion) {
    throw new ArchiveError(
      `its format is version ${major}.${version}; versions 1.${oldestVersion} to 1.${newestVersion} can be read, ` +
        "which are those of PostgreSQL 9.0 to 18",
    )
  }
  if (format !== customFormat || intSize !== 4 || offsetSize > 16) throw damaged()

  async function int(): Promise<number> {
    const read = await bytes.read(1 + intSize)
    const magnitude = read.readUInt32LE(1)
    return read[0] === 0 ? magnitude : -magnitude
  }
  return {
    version,
    int,
    text: async () => {
      const length = await int()
      if (length < 0) return null
      if (length > maxText) throw damaged()
      return (await bytes.read(length)).toString("utf8")
    },
    skipOffset: async () => (await bytes.read(1 + offsetSize))[0] ?? 0,
  }
}

async function compressionOf(bytes: ByteReader, { version, int }: Values): Promise<Compression> {
  const compression =
    version < 15
      ? (await int()) === 0
        ? "none"
        : "zlib"
      : compressions[(await bytes.read(1))[0] ?? 0]
  if (compression === undefined) throw damaged()
  if (compression === "lz4" || compression === "zstd") {
    throw new ArchiveError(`it is compressed with ${compression}; make it with --compress=gzip`)
  }
  return compression
}

async function headOf(values: Values): Promise<ArchiveHead> {
  const { int, text } = values
  const [second, minute, hour, day, month, year] = [
    await int(),
    await int(),
    await int(),
    await int(),
    await int(),
    await int(),
  ]
  await int() // Whether that was in summer time.
  const madeAt = new Date(Date.UTC(1900 + year, month, day, hour, minute, second))
  const database = (await text()) ?? ""
  const serverVersion = (await text()) ?? ""
  const writer = (await text()) ?? ""
  const count = await int()
  if (count < 0 || count > maxEntries) throw damaged()
  const entries: Entry[] = []
  for (let read = 0; read < count; read++) entries.push(await entryOf(values))
  return { madeAt, database, serverVersion, writer, entries }
}

async function entryOf({ version, int, text, skipOffset }: Values): Promise<Entry> {
  const id = await int()
  const dumped = (await int()) !== 0
  await text() // Catalog ids.
  await text()
  const name = (await text()) ?? ""
  const kind = (await text()) ?? ""
  const section = await int()
  const definition = (await text()) ?? ""
  await text() // How it is dropped.
  const copy = (await text()) ?? ""
  const schema = (await text()) ?? ""
  await text() // Tablespace.
  if (version >= 14) await text() // Access method.
  if (version >= 16) await int() // Kind of relation.
  await text() // Owner.
  await text() // Whether it has OIDs.
  const dependencies: number[] = []
  for (let each = await text(); each !== null; each = await text()) dependencies.push(Number(each))
  const hasData = (await skipOffset()) !== noOffset && dumped
  return { id, kind, schema, name, section, definition, copy, hasData, dependencies }
}

async function* blocks(
  bytes: ByteReader,
  { int }: Values,
  entries: readonly Entry[],
  compression: Compression,
): ReturnType<ArchiveReader["data"]> {
  const missing = new Map(entries.filter(({ hasData }) => hasData).map((each) => [each.id, each]))
  while (missing.size > 0) {
    const [kind] = await bytes.read(1)
    const entry = missing.get(await int())
    if (kind !== dataBlock || entry === undefined) throw damaged()
    missing.delete(entry.id)
    let ended = false
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (let length = await int(); length !== 0; length = await int()) {
        if (length < 0 || length > maxChunk) throw damaged()
        yield await bytes.read(length)
      }
      ended = true
    }
    yield { entry, text: decompressed(chunks(), compression) }
    if (!ended) throw damaged()
  }
}

async function* decompressed(
  chunks: AsyncGenerator<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  if (compression === "none") return yield* chunks
  try {
    yield* pipeline(Readable.from(chunks), createInflate(), () => {})
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error
    throw damaged(error)
  }
}

async function checkEnd(bytes: ByteReader, { writer }: ArchiveHead): Promise<boolean> {
  const expected = `${checksumLabel}${bytes.sha256()}\n`
  const rest = (await bytes.rest(expected.length + 1)).toString("latin1")
  if (rest === expected) return true
  if (rest === "" && !writer.startsWith(writerName)) return false
  throw rest.length < expected.length ? incomplete() : damaged()
}
