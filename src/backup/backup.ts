/**
 * Backs up the service's tables as they are at one point in time, while loads publish: everything is
 * read in one transaction of one snapshot.
 */
import { schemaVersionIn } from "../db/migrate.ts"
import { withSnapshot } from "../db/snapshot.ts"
import type { Progress } from "../loading/progress.ts"
import { type ArchiveHead, type Entry, writerName } from "./archive.ts"
import { contentsOf } from "./contents.ts"
import { tableText } from "./table-text.ts"
import { writeArchive } from "./write-archive.ts"

export interface BackupOptions {
  /** Of the database: `postgres://…`. */
  url: string
  progress: Progress
  /** Writes the backup to where it is kept. */
  write: (bytes: AsyncIterable<Uint8Array>) => Promise<void>
}

export interface Backup {
  schemaVersion: number
  /** The number of the newest release; 0 before the first. */
  release: number
  tables: number
  rows: number
  bytes: number
}

/** How values are written. A backup may take long, whatever limits there are for requests. */
const sessionSettings = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local datestyle = 'ISO';
  set local timezone = 'UTC';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1;
  set local jit = off`

/** @throws DatabaseError where the schema is newer than this program; BackupError before the first migration */
export function backUp({ url, progress, write }: BackupOptions): Promise<Backup> {
  return withSnapshot(url, async (sql) => {
    await sql.unsafe(sessionSettings)
    const schemaVersion = await schemaVersionIn(sql)
    const { entries, tables } = await contentsOf(sql, schemaVersion)
    const [found] = await sql`
      select current_database() as database, current_setting('server_version') as version,
        clock_timestamp() as now, (select coalesce(max(id), 0) from releases) as release`
    const head: ArchiveHead = {
      madeAt: new Date(found?.now),
      database: found?.database,
      serverVersion: found?.version,
      writer: writerName,
      entries,
    }
    const figures = { tables: tables.size, rows: 0, bytes: 0 }

    function dataOf({ id, name }: Entry): AsyncIterable<string> {
      const table = tables.get(id)
      if (!table) throw new Error(`There is no table for entry ${id}`)
      const before = figures.rows
      return tableText(sql, table, (rows) => {
        figures.rows = before + rows
        progress.reading({ file: name, rows, bytesRead: figures.bytes, bytesTotal: null })
      })
    }

    async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        figures.bytes += chunk.length
        yield chunk
      }
    }

    await write(counted(writeArchive(head, dataOf)))
    return { schemaVersion, release: found?.release, ...figures }
  })
}
