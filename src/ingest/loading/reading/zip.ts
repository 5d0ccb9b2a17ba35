/**
 * The tables inside a zip file, as registers are often published: a shapefile's `.dbf` with its
 * companions, or CSV and GeoJSON files. The reader skips files that are certainly not tables by their
 * names, and recognises others by their content like any other file. yauzl reads the format.
 */
import { basename } from "node:path"
import { crc32 } from "node:zlib"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { excerpt, firstOf } from "../../../system/text/printable-text.ts"
import { fileDigest } from "../file-names.ts"
import { cannotRead, damaged, LoadError } from "../load-error.ts"
import type { InputFile, RefuseFile } from "./row.ts"

/** Reasons to skip files, by their names. */
const notTables: readonly [names: RegExp, why: string][] = [
  [/^__MACOSX\/|(^|\/)\./, "hidden"],
  [/\.(shp|shx|sbn|sbx|qix|fbn|fbx|ain|aih|atx|ixs|mxs)$/i, "geometry or an index"],
  [/\.(prj|cpg|qpj|qml|sld|lyr)$/i, "a setting of a shapefile"],
  [/\.(xml|txt|md|rtf|pdf|html?|docx?)$/i, "a document"],
  [/\.(png|jpe?g)$/i, "a picture"],
]
/** A MapInfo table has several of these, beside a shapefile of the same name. Alone, one may be a table of text. */
const mapInfo = /\.(tab|dat|map|id|ind)$/i
/** Limits the memory for their names. */
const maxEntries = 10_000
const maxNamesShown = 50

export async function* tablesInZip(path: string, name: string): AsyncGenerator<InputFile> {
  const zip = await openPromise(path, { autoClose: false }).catch((error: unknown) => {
    throw damagedZip(name, error)
  })
  try {
    const entries = await entriesOf(zip, name)
    if (entries.some(({ fileName }) => /^(\[Content_Types\]\.xml|mimetype)$/.test(fileName))) {
      throw cannotRead(name, "it is a workbook or another office document. Save the sheet as CSV")
    }
    const stems = entries.flatMap(({ fileName }) => mapInfoStem(fileName) ?? [])
    const ofMapInfo = new Set(stems.filter((stem, index) => stems.indexOf(stem) < index))
    const tables = entries.filter(
      ({ fileName }) =>
        whyNotTaken(fileName) === null && !ofMapInfo.has(mapInfoStem(fileName) ?? ""),
    )
    if (tables.length === 0) {
      throw cannotRead(name, `the zip file contains no table${othersShown(entries)}`)
    }
    const sha256 = await fileDigest(path)
    for (const entry of tables) {
      yield tableOf(zip, entry, entries, `${name}/${basename(entry.fileName)}`, sha256)
    }
  } finally {
    zip.close()
  }
}

const whyNotTaken = (fileName: string): string | null =>
  notTables.find(([names]) => names.test(fileName))?.[1] ?? null

const mapInfoStem = (fileName: string): string | undefined =>
  mapInfo.test(fileName) ? fileName.replace(mapInfo, "").toLowerCase() : undefined

/** Ends the message about an unusable zip file: the cause may be a missing table. */
function othersShown(entries: readonly Entry[]): string {
  if (entries.length === 0) return ""
  const show = ({ fileName }: Entry) =>
    `${excerpt(fileName)} (${whyNotTaken(fileName) ?? "another table"})`
  return `. Not taken from the zip file: ${firstOf(entries, maxNamesShown, show)}`
}

function tableOf(
  zip: ZipFile,
  entry: Entry,
  entries: readonly Entry[],
  name: string,
  sha256: string,
): InputFile {
  let bytesRead = 0
  const entryBeside = (extension: string) => {
    const beside = entry.fileName.replace(/\.dbf$/i, `.${extension}`).toLowerCase()
    return entries.find((other) => other !== entry && other.fileName.toLowerCase() === beside)
  }
  const read = [entry, entryBeside("shp"), entryBeside("prj")]
  const others = othersShown(entries.filter((other) => !read.includes(other)))
  const refuse: RefuseFile = (fault, options) => {
    throw cannotRead(name, fault + others, options)
  }
  async function* bytesOf(part: Entry) {
    if (!part.canDecodeFileData()) {
      refuse("it is encrypted or uses an unsupported compression method")
    }
    let checksum = 0
    try {
      const stream = (await zip.openReadStreamPromise(part)) as AsyncIterable<Uint8Array>
      for await (const chunk of stream) {
        checksum = crc32(chunk, checksum)
        if (part === entry) bytesRead += chunk.length
        yield chunk
      }
    } catch (error) {
      throw damagedZip(name, error)
    }
    // yauzl does not check it.
    if (checksum !== part.crc32) refuse(damaged("its contents do not match their checksum"))
  }
  return {
    name,
    bytesTotal: entry.uncompressedSize,
    bytesRead: () => bytesRead,
    finish: async () => [sha256],
    bytes: () => bytesOf(entry),
    companion: (extension) => {
      const part = entryBeside(extension)
      return part && bytesOf(part)
    },
    refuse,
  }
}

/** Without directories. */
async function entriesOf(zip: ZipFile, name: string): Promise<Entry[]> {
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.length === maxEntries)
        throw cannotRead(name, `it contains more than ${maxEntries} files`)
      if (!entry.fileName.endsWith("/")) entries.push(entry)
    }
  } catch (error) {
    throw error instanceof LoadError ? error : damagedZip(name, error)
  }
  return entries
}

function damagedZip(name: string, cause: unknown): LoadError {
  const [, path] =
    /^(?:invalid relative|absolute) path: (.*)/s.exec(String(Object(cause).message)) ?? []
  const fault =
    path === undefined
      ? damaged("it is a truncated or corrupt zip file")
      : `one of its files has a path outside of it: ${excerpt(path)}. Pack its files again, without their directories`
  return cannotRead(name, fault, { cause })
}
