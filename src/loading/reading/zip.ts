/**
 * The tables inside a zip file, as registers are often published: a shapefile's `.dbf` with its
 * companions, or CSV and GeoJSON files. Files that are certainly not tables are skipped by their
 * names; the others are recognised by their content like any other file. yauzl reads the format.
 */
import { createReadStream } from "node:fs"
import { basename } from "node:path"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { LoadError } from "../load-error.ts"
import type { InputFile } from "./input.ts"

/** Excel workbooks and other office files are zip files too. */
export const isZip = (start: Uint8Array): boolean =>
  start[0] === 0x50 && start[1] === 0x4b && (start[2] === 0x03 || start[2] === 0x05)

/** Companions of a shapefile, descriptions and licences. */
const notATable =
  /\/$|^__MACOSX\/|(^|\/)\.|\.(shp|shx|sbn|sbx|prj|cpg|qpj|qix|qml|sld|lyr|fbn|fbx|ain|aih|atx|ixs|mxs|xml|txt|md|rtf|pdf|html?|docx?|png|jpe?g)$/i
const maxCodePageBytes = 100

export async function* tablesInZip(path: string, name: string): AsyncGenerator<InputFile> {
  const zip = await opened(path, name)
  try {
    const entries = await entriesOf(zip, name)
    if (entries.some(({ fileName }) => fileName === "[Content_Types].xml")) {
      throw new LoadError(`Cannot read ${name}: it is an Excel workbook; save it as CSV`)
    }
    const tables = entries.filter(({ fileName }) => !notATable.test(fileName))
    if (tables.length === 0) {
      throw new LoadError(`Cannot read ${name}: the zip file contains no table`)
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
    throw new LoadError(
      `Cannot read ${name}: it is encrypted or uses an unsupported compression method`,
    )
  }
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw damaged(name, error)
  }
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
    return await Array.fromAsync(zip.eachEntry())
  } catch (error) {
    throw damaged(name, error)
  }
}

const damaged = (name: string, error: unknown) =>
  new LoadError(`Cannot read ${name}: it is a truncated or corrupt zip file or workbook`, {
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
