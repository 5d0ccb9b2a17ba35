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
  last_modified: nullableText,
  /** When it was last downloaded, other than as the version that was known. */
  fetched_at: Type.String(),
})
const fetchState = Type.Object({
  /** By a digest of its address, which may hold a secret. */
  files: Type.Record(Type.String(), fileState),
})

export type FileState = Static<typeof fileState>
export type FetchState = Static<typeof fetchState>

const pathIn = (directory: string) => join(directory, "state.json")

/** Of a source that was never fetched, or whose file was damaged: then it is fetched as if never. */
const nothing = (): FetchState => ({ files: {} })

export async function readFetchState(directory: string): Promise<FetchState> {
  const file = Bun.file(pathIn(directory))
  if (!(await file.exists())) return nothing()
  try {
    const value: unknown = await file.json()
    return Value.Check(fetchState, value) ? value : nothing()
  } catch (error) {
    if (error instanceof SyntaxError) return nothing()
    throw error
  }
}

export async function writeFetchState(directory: string, state: FetchState): Promise<void> {
  const written = unfinishedPath(directory)
  await Bun.write(written, `${JSON.stringify(state, null, 2)}\n`)
  await rename(written, pathIn(directory))
}
