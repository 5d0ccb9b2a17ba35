/**
 * The custom format of pg_dump's archives, as far as backups need it. pg_restore reads what is written
 * here, and what `pg_dump --format=custom` writes is read here, so that neither program has to be
 * installed, in the version of the server at that: the embedded PostgreSQL comes without them.
 *
 *     head      "PGDMP", the format's version, sizes, compression, time, names
 *     contents  the entries: definitions as SQL, and tables whose data follows
 *     data      one block for each of those tables: the text of a COPY, compressed, in chunks
 *     checksum  a line of our own with the SHA-256 of all before, which pg_restore does not read
 *
 * Written is version 1.14, which PostgreSQL 12 and every later one reads; read is up to 1.16, which
 * PostgreSQL 17 and 18 write.
 */

export const magic = "PGDMP"
export const intBytes = 4
export const offsetBytes = 8
/** The major number of each is 1. */
export const writtenVersion = 14
export const oldestVersion = 12
export const newestVersion = 16
export const customFormat = 1
export const dataBlock = 1

/** Where the data of an entry are. */
export const offsetUnknown = 1
export const noOffset = 3

/** When pg_restore restores an entry. */
export const sections = { preData: 2, data: 3, postData: 4 } as const

/** Archives of which the writer has this name end in a checksum. */
export const writerName = "mds"
export const checksumLabel = "mds-sha256 "

export type Compression = "none" | "zlib" | "lz4" | "zstd"

/** By their numbers in the head, from version 1.15 on. */
export const compressions: readonly Compression[] = ["none", "zlib", "lz4", "zstd"]

/** What pg_dump calls the entries that are read here. */
export const tableData = "TABLE DATA"
export const sequenceSet = "SEQUENCE SET"

export interface Entry {
  /** From 1. */
  id: number
  /** `TABLE DATA`, `SEQUENCE SET` and others. */
  kind: string
  schema: string
  name: string
  section: number
  /** The SQL that creates it; empty for data. */
  definition: string
  /** The COPY statement that reads its data. */
  copy: string
  hasData: boolean
  /** Ids of the entries that must be restored before it. */
  dependencies: readonly number[]
}

export interface ArchiveHead {
  /** When it was made, in the clock of the machine that made it. */
  madeAt: Date
  database: string
  /** Of the PostgreSQL that the data comes from. */
  serverVersion: string
  /** Of the program that made it: pg_dump's version, or ours. */
  writer: string
  entries: readonly Entry[]
}

/** What is read is no archive, or not the one that was written. The message is about "it". */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError"
}

export const incomplete = (): ArchiveError =>
  new ArchiveError("it ends in the middle: it is not complete")

export const damaged = (cause?: unknown): ArchiveError =>
  new ArchiveError("it is damaged: its contents are not those that were written", { cause })
