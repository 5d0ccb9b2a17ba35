/**
 * The tables inside a zip file, as registers are often published: a shapefile's `.dbf` with its
 * companions, or CSV and GeoJSON files. An Excel workbook is a zip file too, and one table. Files that
 * are certainly not tables are skipped by their names; the others are recognised by their content like
 * any other file. yauzl reads the format.
 */
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { crc32 } from "node:zlib"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { cannotRead, LoadError } from "../load-error.ts"
import type { InputFile } from "./input.ts"

/** Workbooks and other office files are zip files too. */
export const isZip = (start: Uint8Array): boolean =>
  start[0] === 0x50 && start[1] === 0x4b && (start[2] === 0x03 || start[2] === 0x05)

/** Companions of a shapefile, descriptions and licences. */
const notATable =
  /\/$|^__MACOSX\/|(^|\/)\.|\.(shp|shx|sbn|sbx|prj|cpg|qpj|qix|qml|sld|lyr|fbn|fbx|ain|aih|atx|ixs|mxs|xml|txt|md|rtf|pdf|html?|docx?|png|jpe?g)$/i
const maxCodePageBytes = 100
/** Bounds the memory for their names. */
const maxEntries = 50_000

export async function* tablesInZip(path: string, name: string): AsyncGenerator<InputFile> {
  const zip = await opened(path, name)
  try {
    const entries = await entriesOf(zip, name)
    if (entries.some(({ fileName }) => fileName === mainPart)) {
      return yield await workbookOf(zip, entries, path, name)
    }
    const foreign = officeDocument(entries.map(({ fileName }) => fileName))
    if (foreign) throw cannotRead(name, foreign)
    const tables = entries.filter(({ fileName }) => !notATable.test(fileName))
    if (tables.length === 0) {
      throw cannotRead(name, "the zip file contains no table")
    }
    const sha256 = await digestOf(path)
    for (const entry of tables) {
      const sibling = (extension: string) => siblingOf(entry, extension, entries)
      yield tableOf(zip, entry, `${name}/${basename(entry.fileName)}`, sha256, sibling)
    }
  } finally {
    zip.close()
  }
}

/** The main part of an Excel workbook. */
const mainPart = "xl/workbook.xml"

async function workbookOf(
  zip: ZipFile,
  entries: readonly Entry[],
  path: string,
  name: string,
): Promise<InputFile> {
  const sha256 = await digestOf(path)
  let bytesRead = 0
  async function* metered(entry: Entry) {
    for await (const chunk of bytesOf(zip, entry, name)) {
      bytesRead += chunk.length
      yield chunk
    }
  }
  return {
    name,
    // Which of its parts are read is not yet known.
    bytesTotal: null,
    bytesRead: () => bytesRead,
    sha256: () => sha256,
    workbook: (part) => {
      const [entry, another] = entries.filter(({ fileName }) => fileName === part)
      if (another) throw cannotRead(name, `it has its part ${part} twice`)
      return entry && metered(entry)
    },
    bytes: async function* () {},
    codePage: async () => null,
  }
}

/** What a zip file is by the names of its parts, if not one of tables. */
function officeDocument(names: readonly string[]): string | undefined {
  const has = (name: string) => names.includes(name)
  if (has("mimetype") && has("content.xml"))
    return "it is an OpenDocument file; save it as .xlsx or CSV"
  if (!has("[Content_Types].xml")) return undefined
  if (has("xl/workbook.bin"))
    return "it is a binary Excel workbook (.xlsb); save it as .xlsx or CSV"
  if (has("word/document.xml")) return "it is a Word document"
  if (has("ppt/presentation.xml")) return "it is a PowerPoint presentation"
  return "it is an office document without a table"
}

function tableOf(
  zip: ZipFile,
  entry: Entry,
  name: string,
  sha256: string,
  sibling: (extension: string) => Entry | undefined,
): InputFile {
  let bytesRead = 0
  return {
    name,
    bytesTotal: entry.uncompressedSize,
    bytesRead: () => bytesRead,
    sha256: () => sha256,
    bytes: async function* () {
      for await (const chunk of bytesOf(zip, entry, name)) {
        bytesRead += chunk.length
        yield chunk
      }
    },
    codePage: async () => {
      const cpg = sibling(".cpg")
      if (!cpg || cpg.uncompressedSize > maxCodePageBytes) return null
      return Buffer.concat(await Array.fromAsync(bytesOf(zip, cpg, name))).toString()
    },
  }
}

async function* bytesOf(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Uint8Array> {
  if (!entry.canDecodeFileData()) {
    throw cannotRead(name, "it is encrypted or uses an unsupported compression method")
  }
  let checksum = 0
  try {
    const stream = (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>
    for await (const chunk of stream) {
      checksum = crc32(chunk, checksum)
      yield chunk
    }
  } catch (error) {
    throw damaged(name, error)
  }
  // yauzl leaves this to its callers.
  if (checksum !== entry.crc32) throw cannotRead(name, "its contents do not match their checksum")
}

async function opened(path: string, name: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false })
  } catch (error) {
    throw damaged(name, error)
  }
}

async function entriesOf(zip: ZipFile, name: string): Promise<Entry[]> {
  try {
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry()) {
      if (entries.push(entry) > maxEntries)
        throw cannotRead(name, `it contains more than ${maxEntries} files`)
    }
    return entries
  } catch (error) {
    throw error instanceof LoadError ? error : damaged(name, error)
  }
}

const damaged = (name: string, error: unknown) =>
  cannotRead(name, "it is a truncated or corrupt zip file or workbook", {
    cause: error,
  })

function siblingOf(entry: Entry, extension: string, entries: readonly Entry[]) {
  const wanted = entry.fileName.replace(/\.[^./]*$/, extension).toLowerCase()
  return entries.find(({ fileName }) => fileName.toLowerCase() === wanted)
}

async function digestOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  for await (const chunk of createReadStream(path)) hasher.update(chunk)
  return hasher.digest("hex")
}
