/**
 * Opens an Excel workbook (ECMA-376): its sheets by name, and the texts and formats that their cells
 * refer to. Our own reader, on yauzl and sax, because it streams in bounded memory, tells dates from
 * numbers and a value from an error, and gives numbers as they are.
 */
import { posix } from "node:path"
import { type CellFormat, cellFormatOf } from "./cell-formats.ts"
import { maxTextLength, type SharedParts, unescaped } from "./sheet.ts"
import { parseXml, type XmlHandlers } from "./xml.ts"

export type PartReader = (path: string) => AsyncGenerator<Uint8Array> | undefined

export interface Sheet {
  name: string
  path: string
  isHidden: boolean
}

export interface OpenedWorkbook extends SharedParts {
  sheets: Sheet[]
}

/** Bounds the memory for what all sheets share. */
const maxStringsLength = 200_000_000
/** What a text takes besides its characters, in characters. */
const textOverhead = 32
const maxEntries = 1_000_000

export async function openWorkbook(
  part: PartReader,
  reject: (why: string) => never,
): Promise<OpenedWorkbook> {
  const read = async (path: string | undefined, handlers: XmlHandlers) => {
    const bytes = path === undefined ? undefined : part(path)
    if (!bytes) return
    for await (const _ of parseXml(bytes, handlers, reject));
  }
  const relations = new Map<string, { type: string; path: string }>()
  await read("xl/_rels/workbook.xml.rels", {
    open: (name, { Id = "", Type = "", Target = "" }) => {
      if (name !== "Relationship") return
      const type = Type.slice(Type.lastIndexOf("/") + 1)
      relations.set(Id, { type, path: posix.resolve("/xl", Target).slice(1) })
      if (relations.size > maxEntries) reject("it has too many parts")
    },
  })
  const pathOf = (wanted: string) =>
    [...relations.values()].find(({ type }) => type === wanted)?.path
  const sheets: Sheet[] = []
  let countsFrom1904 = false
  await read("xl/workbook.xml", {
    open: (name, attributes) => {
      if (name === "workbookPr") countsFrom1904 = /^(1|true)$/.test(attributes.date1904 ?? "")
      if (name !== "sheet") return
      const relation = relations.get(attributes["r:id"] ?? relationId(attributes))
      if (!relation) reject(`its sheet "${attributes.name}" is missing`)
      if (relation?.type !== "worksheet") return
      const isHidden = (attributes.state ?? "visible") !== "visible"
      sheets.push({ name: attributes.name ?? "", path: relation.path, isHidden })
      if (sheets.length > maxEntries) reject("it has too many sheets")
    },
  })
  const formats = await readFormats((handlers) => read(pathOf("styles"), handlers), reject)
  const strings = await readStrings((handlers) => read(pathOf("sharedStrings"), handlers), reject)
  return { sheets, formats, strings, countsFrom1904 }
}

/** The prefix of the attribute may be another. */
const relationId = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1] ?? ""

type ReadPart = (handlers: XmlHandlers) => Promise<void>

async function readFormats(read: ReadPart, reject: (why: string) => never): Promise<CellFormat[]> {
  const codes = new Map<number, string>()
  const ids: number[] = []
  let isInCellFormats = false
  await read({
    open: (name, { numFmtId = "0", formatCode }) => {
      if (name === "numFmt") codes.set(Number(numFmtId), formatCode ?? "General")
      else if (name === "cellXfs") isInCellFormats = true
      else if (name === "xf" && isInCellFormats) ids.push(Number(numFmtId))
      if (codes.size + ids.length > maxEntries) reject("it has too many styles")
    },
    close: (name) => {
      if (name === "cellXfs") isInCellFormats = false
    },
  })
  return ids.map((id) => cellFormatOf(id, codes.get(id)))
}

async function readStrings(read: ReadPart, reject: (why: string) => never): Promise<string[]> {
  const strings: string[] = []
  let length = 0
  let text = ""
  let isText = false
  let phonetic = 0
  await read({
    open: (name) => {
      if (name === "si") text = ""
      else if (name === "rPh") phonetic++
      else if (name === "t") isText = phonetic === 0
    },
    text: (part) => {
      if (!isText) return
      text += part
      length += part.length
      if (text.length > maxTextLength) reject("a text is too long")
      if (length > maxStringsLength) reject("its texts are too many to read; save it as CSV")
    },
    close: (name) => {
      if (name === "t") isText = false
      else if (name === "rPh") phonetic--
      else if (name === "si") {
        strings.push(detached(unescaped(text)))
        length += textOverhead
        if (length > maxStringsLength) reject("its texts are too many to read; save it as CSV")
      }
    },
  })
  return strings
}

/** A piece of a string keeps the whole of it, here of a chunk of the file, in memory. */
const detached = (text: string): string =>
  text.isWellFormed() ? Buffer.from(text).toString() : text
