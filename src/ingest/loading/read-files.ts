/** Reads, validates and stages the rows of the files. */
import type { TransactionSql } from "postgres"
import { controlCharacter, storableText } from "../../system/text/printable-text.ts"
import type { MapOptions, Mapped, RawRecord } from "../sources/source.ts"
import { recordValidator } from "./field-values.ts"
import { countText, type FileFigures, rowsRead } from "./figures.ts"
import type { Load } from "./load-options.ts"
import { type Row, readable } from "./reading/row.ts"
import { openTables } from "./reading/rows.ts"
import type { Rejects } from "./rejects.ts"
import { countLeftOut } from "./staged-shape.ts"
import { type Candidate, type Staging, stage } from "./staging.ts"
import { createMask, keepsFiles, type StoreHolders } from "./stored-holders.ts"
import { ordinaryCodeOf } from "./temporary-codes.ts"

/**
 * Reads the files into a temporary table.
 * @throws LoadError for a file that cannot be read, or too many rejected rows
 */
export async function readFiles(
  sql: TransactionSql,
  load: Load,
  rejects: Rejects,
  release: number,
): Promise<Staging> {
  const { resource } = load.source
  const reading: Reading = {
    files: [],
    rejectedKeys: [],
    rejects,
    key: resource.key,
    validate: recordValidator(resource),
    storeHolders: keepsFiles(load.holderNames, resource) ? null : await createMask(sql),
    storedName: resource.name === "companies" ? await readStoredNames(sql) : undefined,
  }
  const table = await stage(sql, load.source, candidatesOf(load, reading))
  const { files, rejectedKeys } = reading
  return { ...table, load, release, files, rejects, rejectedKeys }
}

/** The state of this step alone, and what each row needs. */
interface Reading {
  files: FileFigures[]
  rejectedKeys: string[]
  rejects: Rejects
  /** The field that is the key. */
  key: string
  validate: ReturnType<typeof recordValidator>
  /** Null where holders are stored as they are. */
  storeHolders: StoreHolders | null
  storedName: MapOptions["storedName"]
}

/** A temporary code has the name of its company. */
async function readStoredNames(sql: TransactionSql): Promise<MapOptions["storedName"]> {
  const rows = await sql.unsafe("select asx_code, company_name from companies")
  const names = new Map(rows.map(({ asx_code, company_name }) => [asx_code, company_name]))
  return (code) => names.get(code) ?? names.get(ordinaryCodeOf(code))
}

const unknownShape = "geometry: none is stated; a stored shape stays"

async function* candidatesOf(load: Load, reading: Reading): AsyncGenerator<Candidate[]> {
  const { source, acceptEmpty, allSectors, crs, maxUnpackedBytes, progress } = load
  const { files, rejects, storedName } = reading
  const readsShapes = source.resource.hasShapes === true && !load.withoutShapes
  const given = { source, readsShapes, crs, maxUnpackedBytes }
  for (const path of load.files) {
    for await (const { input, figures, format, batches } of openTables(path, given)) {
      const file = files.push(figures) - 1
      const lacking = new Map(Object.entries(source.fromOptional ?? {}))
      for await (const rows of batches) {
        const candidates: Candidate[] = []
        for (const row of rows) {
          figures.read++
          const raw = withoutControls(readable(row), figures)
          const mapped = source.map(raw, { format, allSectors, storedName })
          const record = recordOf(row, mapped, figures, reading)
          if (!record) continue
          const shape = row.error === undefined ? row.shape : undefined
          if (shape?.staged) figures.shapes = (figures.shapes ?? 0) + 1
          countLeftOut(figures, shape)
          const isUnknown = shape?.staged === null && !acceptEmpty.includes("geometry")
          if (isUnknown) countText(figures.warnings, unknownShape)
          const stagedShape = isUnknown ? undefined : shape?.staged
          candidates.push({ ...record, shape: stagedShape, file, line: row.line })
        }
        const total = rowsRead(files)
        rejects.check(total)
        findFields(lacking, rows, candidates)
        yield candidates
        const { name, bytesTotal } = input
        const bytesRead = input.bytesRead()
        progress.reading({ file: name, files: files.length, rows: total, bytesRead, bytesTotal })
      }
      const [sha256 = "", ...beside] = await input.finish()
      figures.sha256 = sha256
      if (beside.length > 0) figures.sha256_beside = beside
      if (source.resource.hasShapes && !figures.shapes && !acceptEmpty.includes("geometry"))
        lacking.set("geometry", [])
      if (lacking.size > 0) figures.kept_fields = [...lacking.keys()]
    }
  }
}

/**
 * Removes the fields that the rows have from those that the file lacks: it lacks a column that they are read
 * from, and no row has a value. In the JSON forms a column is a name that some row has.
 * @param lacking by field, the columns that no row has had so far
 */
function findFields(
  lacking: Map<string, readonly string[]>,
  rows: readonly Row[],
  candidates: readonly Candidate[],
): void {
  // The first rows mostly have every column, which leaves nothing to check in the others.
  for (const [field, columns] of lacking) {
    const left = columns.filter((column) => !rows.some((row) => column in readable(row)))
    const hasValue = () => candidates.some(({ record }) => record[field] !== null)
    if (left.length === 0 || hasValue()) lacking.delete(field)
    else lacking.set(field, left)
  }
}

/** Replaces control characters by blanks, and counts the values that had them. */
function withoutControls(row: RawRecord, { warnings }: FileFigures): RawRecord {
  let clean = row
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== "string" || !controlCharacter.test(value)) continue
    const blanked = value.replaceAll(new RegExp(controlCharacter, "g"), " ")
    clean = { ...clean, [name]: blanked }
    countText(warnings, `${name} had control characters, which became blanks`)
  }
  return clean
}

/** Counts a row, and validates or rejects it. */
function recordOf(
  row: Row,
  mapped: Mapped,
  figures: FileFigures,
  { rejectedKeys, rejects, key, validate, storeHolders }: Reading,
): Pick<Candidate, "record" | "onlyIfStored"> | undefined {
  /** A row without a key may be any record that seems missing. */
  const reject = (reason: string, rowKey?: string): undefined => {
    if (rowKey === undefined) figures.unreadable++
    else rejectedKeys.push(rowKey)
    figures.rejected++
    rejects.add({ file: figures, line: row.line, reason, row: row.raw })
  }
  // Only the key of a row that cannot be parsed is used.
  if (row.error !== undefined && !("record" in mapped)) return reject(row.error)
  if ("leftOut" in mapped) return void countText(figures.left_out, mapped.leftOut)
  if ("rejected" in mapped) return reject(mapped.rejected)
  const { warnings = [], onlyIfStored = null, hasCertainKey = true } = mapped
  // A cell of JSON shows its control characters only when it is mapped.
  const read = validate(withoutControls(mapped.record, figures))
  if ("rejected" in read)
    return reject(row.error ?? read.rejected, hasCertainKey ? read.key : undefined)
  if (row.error !== undefined) return reject(row.error, String(read.record[key]))
  for (const warning of warnings) countText(figures.warnings, storableText(warning))
  const { record } = read
  if (storeHolders && typeof record.holder_name === "string") {
    record.holder_name = storeHolders(record.holder_name)
  }
  return { record, onlyIfStored }
}
