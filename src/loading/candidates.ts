/** Reads files as candidates: validated records with their file and line. */
import type { ResourceRecord } from "../resources/resource.ts"
import type { MapOptions, Mapped, Source } from "../sources/source.ts"
import { recordReader } from "./field-values.ts"
import { countText, type FileFigures, fileAt, newFileFigures, rowsRead } from "./figures.ts"
import type { Load } from "./load-options.ts"
import { type Row, readable } from "./reading/row.ts"
import { countedBy, openTables } from "./reading/rows.ts"
import type { StoreHolders } from "./stored-holders.ts"

export interface Candidate {
  /** Index into the load's files. */
  file: number
  line: number
  record: ResourceRecord
  /** The reason to leave it out unless its source has already loaded a record of that key. */
  onlyIfStored: string | null
}

/**
 * @param storeHolders null where holders are stored as they are
 * @param storedName of the companies, where the files have companies
 * @throws LoadError for a file that cannot be read, or too many rejected rows
 */
export async function* candidatesOf(
  load: Load,
  storeHolders: StoreHolders | null,
  storedName?: MapOptions["storedName"],
): AsyncGenerator<Candidate[]> {
  const { source, paths, allSectors, maxUnpackedBytes, files, progress } = load
  const candidateOf = rowProcessor(load, storeHolders)
  const reading = (name: string) => readingOf(source, newFileFigures(name))
  for (const path of paths) {
    for await (const table of openTables(path, maxUnpackedBytes, reading)) {
      const { input, format, batches } = table
      const { figures } = table.given
      const file = files.push(figures) - 1
      const lacking = new Map(Object.entries(source.fromOptional ?? {}))
      const counted = countedBy[format]
      if (counted) figures.counted = counted
      for await (const rows of batches) {
        const candidates: Candidate[] = []
        for (const row of rows) {
          figures.read++
          const candidate = candidateOf(
            file,
            row,
            source.map(readable(row), { format, allSectors, storedName }),
          )
          if (candidate) candidates.push(candidate)
        }
        load.rejects.check(rowsRead(files))
        findFields(lacking, rows, candidates)
        yield candidates
        const { name, bytesTotal } = input
        const bytesRead = input.bytesRead()
        progress.reading({ file: name, rows: figures.read, bytesRead, bytesTotal })
      }
      figures.sha256 = input.sha256()
      if (lacking.size > 0) figures.kept_fields = [...lacking.keys()]
    }
  }
}

/** How a file is read, with its figures, in which the remarks on it are. */
const readingOf = ({ columns, banner, bannerDate }: Source, figures: FileFigures) => ({
  figures,
  columns,
  banner,
  noteBanner: (line: string) => {
    const stated = bannerDate?.(line)
    if (stated !== undefined) figures.stated = stated
  },
  note: (what: string) => {
    figures.notes = [...(figures.notes ?? []), what]
  },
  markIncomplete: () => {
    figures.incomplete = true
  },
})

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

/** Counts, validates and rejects rows. */
function rowProcessor(load: Load, storeHolders: StoreHolders | null) {
  const { files, rejects, rejectedKeys, noted } = load
  const { resource } = load.source
  const validate = recordReader(resource)
  return (file: number, row: Row, mapped: Mapped): Candidate | undefined => {
    const figures = fileAt(files, file)
    /** A row without a key may be any record that seems missing. */
    const reject = (reason: string, key?: string): undefined => {
      if (key === undefined) figures.unreadable++
      else {
        rejectedKeys.push(key)
        noted.see(key)
      }
      rejects.add({ file: figures, line: row.line, reason, row: row.raw })
    }
    // Only the key of a row that cannot be parsed is used.
    if (row.error !== undefined && !("record" in mapped)) return reject(row.error)
    if ("leftOut" in mapped) return void countText(figures.left_out, mapped.leftOut)
    if ("rejected" in mapped) return reject(mapped.rejected)
    const { warnings = [], onlyIfStored = null } = mapped
    const read = validate(mapped.record)
    const key = "record" in read ? String(read.record[resource.key]) : read.key
    if (row.error !== undefined) return reject(row.error, key)
    if ("rejected" in read) return reject(read.rejected, key)
    for (const warning of warnings) countText(figures.warnings, warning)
    const { record } = read
    noted.see(String(key))
    if (storeHolders && typeof record.holder_name === "string") {
      record.holder_name = storeHolders(record.holder_name)
    }
    return { file, line: row.line, record, onlyIfStored }
  }
}
