/**
 * What the servers said of the versions of a source's files, in a small file beside its raw files: it
 * means nothing without those. The process that holds the lock of the source writes it.
 */
import { rename } from "node:fs/promises"
import { join } from "node:path"
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { unfinishedPath } from "./raw-files.ts"

const nullableText = Type.Union([Type.String(), Type.Null()])
const fileState = Type.Object({
  sha256: Type.String(),
  etag: nullableText,
  /** As the server writes it. */
  lastModified: nullableText,
  /** When it was last downloaded, other than as the version that was known. */
  fetchedAt: Type.String(),
})
/** By a digest of the address, which may hold a secret. */
const fetchState = Type.Record(Type.String(), fileState)

export type FileState = Static<typeof fileState>
export type FetchState = Static<typeof fetchState>

const pathIn = (directory: string) => join(directory, "state.json")

/** Without a file, or with a damaged one, the source is fetched as if it never was. */
export async function readFetchState(directory: string): Promise<FetchState> {
  const file = Bun.file(pathIn(directory))
  const text = (await file.exists()) ? await file.text() : ""
  try {
    const value: unknown = JSON.parse(text)
    return Value.Check(fetchState, value) ? value : {}
  } catch {
    return {}
  }
}

export async function writeFetchState(directory: string, state: FetchState): Promise<void> {
  const written = unfinishedPath(directory)
  await Bun.write(written, `${JSON.stringify(state, null, 2)}\n`)
  await rename(written, pathIn(directory))
}
