/**
 * Reads files, or records made by a program, as candidates: validated records with their file and
 * line.
 */
import type { Resource, ResourceRecord } from "../resources/resource.ts"
import type { Mapped, RawRecord, Source } from "../sources/source.ts"
import { countText, type FileFigures, newFileFigures, rowsRead } from "./figures.ts"
import { createKeptFields } from "./kept-fields.ts"
import type { NotedRecords } from "./noted-records.ts"
import type { Progress } from "./progress.ts"
import { openInputs } from "./reading/input.ts"
import type { InputFile } from "./reading/row.ts"
import { inBatches, openRows } from "./reading/rows.ts"
import type { Rejects } from "./rejects.ts"
import type { StoreHolders } from "./stored-holders.ts"
import { recordReader } from "./validate.ts"

export interface Candidate {
  /** Index into the load's files. */
  file: number
  line: number
  record: ResourceRecord
  /** The reason to leave it out unless its source has already loaded a record of that key. */
  onlyIfStored: string | null
  /** What tells it from other records of its reference; null where a reference is of one record. */
  distinction: string | null
}

/** What reading collects besides the candidates. */
export interface Collected {
  files: FileFigures[]
  rejects: Rejects
  /** By resource, the keys of rejected rows: stored records of these keys are not missing. */
  rejectedKeys: Map<Resource, string[]>
  /** By resource, the records that are noted as missing; before its rows are read. */
  noted: Map<Resource, NotedRecords>
  /** Set before the rows of tenements are read; null where holders are stored as they are. */
  storeHolders: StoreHolders | null
  progress: Progress
}

export interface ReadOptions {
  allSectors: boolean
  /** Of one file with all that is packed in it; unlimited by default. */
  maxUnpackedBytes?: number | undefined
}

/** @throws LoadError where a file is not what it should be, or too many rows are rejected. */
export async function* candidatesOfFiles(
  source: Source,
  paths: readonly string[],
  { allSectors, maxUnpackedBytes }: ReadOptions,
  collected: Collected,
): AsyncGenerator<Candidate[]> {
  for await (const input of inputsOf(paths, maxUnpackedBytes)) {
    const processor = createRowProcessor(input.name, source.resource, collected)
    const { figures } = processor
    const kept = createKeptFields(source.fromOptional)
    const note = (what: string) => {
      figures.notes = [...(figures.notes ?? []), what]
    }
    const markIncomplete = () => {
      figures.incomplete = true
    }
    const remarks = { note, markIncomplete }
    const { format, counts, batches } = await openRows(input, source, remarks)
    if (counts !== "lines") figures.counted = counts
    for await (const rows of batches) {
      const candidates = processor.process(rows, (row) => {
        const readable = row.error === undefined ? row.raw : row.readable
        return source.map(readable ?? {}, { format, allSectors })
      })
      kept.see(rows, candidates)
      yield candidates
      const { bytesTotal } = input
      const bytesRead = input.bytesRead()
      collected.progress.reading({ file: input.name, rows: figures.read, bytesRead, bytesTotal })
    }
    figures.sha256 = input.sha256()
    if (kept.names().length > 0) figures.kept_fields = kept.names()
  }
}

/** A zip file may be several inputs. */
async function* inputsOf(
  paths: readonly string[],
  maxBytes: number | undefined,
): AsyncGenerator<InputFile> {
  for (const path of paths) yield* openInputs(path, maxBytes)
}

/** For `loadRecords`. `records` may not fit in memory: they are read one batch at a time. */
export async function* candidatesOfRecords(
  resource: Resource,
  records: Iterable<object> | AsyncIterable<object>,
  collected: Collected,
): AsyncGenerator<Candidate[]> {
  const processor = createRowProcessor(resource.name, resource, collected)
  const { figures } = processor
  for await (const batch of inBatches(records)) {
    const before = figures.read
    const rows = batch.map((record, index) => ({
      line: before + index + 1,
      raw: record as RawRecord,
    }))
    yield processor.process(rows, ({ raw }) => ({ record: raw }))
    const { name, read } = figures
    collected.progress.reading({ file: name, rows: read, bytesRead: 0, bytesTotal: null })
  }
}

interface LocatedRow {
  line: number
  raw: unknown
  /** Why it cannot be parsed as a record. */
  error?: string
}

/** Counts, validates and, where it must, rejects the rows of one file. */
function createRowProcessor(name: string, resource: Resource, collected: Collected) {
  const { files, rejects, rejectedKeys, storeHolders } = collected
  const figures = newFileFigures(name)
  const file = files.push(figures) - 1
  const validate = recordReader(resource)
  const keys = rejectedKeys.get(resource) ?? []
  rejectedKeys.set(resource, keys)
  const noted = collected.noted.get(resource)
  function candidateOf(row: LocatedRow, mapped: Mapped): Candidate | undefined {
    if (row.error !== undefined) return reject(row, row.error, keyIn(mapped))
    if ("leftOut" in mapped) return void countText(figures.left_out, mapped.leftOut)
    if ("rejected" in mapped) return reject(row, mapped.rejected)
    const { warnings = [], onlyIfStored = null, distinction = null } = mapped
    const read = validate(mapped.record)
    if ("rejected" in read) return reject(row, read.rejected, read.key)
    for (const warning of warnings) countText(figures.warnings, warning)
    const { record } = read
    noted?.see(String(record[resource.key]))
    if (storeHolders && typeof record.holder_name === "string") {
      record.holder_name = storeHolders(record.holder_name)
    }
    return { file, line: row.line, record, onlyIfStored, distinction }
  }

  /** Of a row that cannot be parsed, only the key is used. */
  function keyIn(mapped: Mapped): string | undefined {
    if (!("record" in mapped)) return undefined
    const read = validate(mapped.record)
    return "record" in read ? String(read.record[resource.key]) : read.key
  }

  /** Without its key, the row may be any record that seems missing. */
  function reject({ line, raw }: LocatedRow, reason: string, key?: string): undefined {
    if (key === undefined) figures.unreadable++
    else {
      keys.push(key)
      noted?.see(key)
    }
    rejects.add({ file: figures, line, reason, row: raw })
  }

  return {
    figures,
    process<Row extends LocatedRow>(rows: readonly Row[], map: (row: Row) => Mapped): Candidate[] {
      const candidates: Candidate[] = []
      for (const row of rows) {
        figures.read++
        const candidate = candidateOf(row, map(row))
        if (candidate) candidates.push(candidate)
      }
      rejects.check(rowsRead(files))
      return candidates
    },
  }
}
