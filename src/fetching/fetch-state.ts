/**
 * What is known of the last fetch of a source, in a small file beside its raw files: it says when the
 * next one is due and what the servers said of the versions of the files, and means nothing without
 * those. The process that holds the lock of the source writes it.
 */
import { rename } from "node:fs/promises"
import { join } from "node:path"
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { digest } from "../text/digest.ts"
import { hourMs } from "../text/durations.ts"

const nullableText = Type.Union([Type.String(), Type.Null()])
const fileState = Type.Object({
  sha256: Type.String(),
  etag: nullableText,
  last_modified: nullableText,
  fetched_at: Type.String(),
})
const fetchState = Type.Object({
  /** When the last fetch began, whatever came of it. */
  attempted_at: nullableText,
  /** When the last fetch ended that got all files. */
  fetched_at: nullableText,
  /** By a digest of its address, which may hold a secret. */
  files: Type.Record(Type.String(), fileState),
})

export type FileState = Static<typeof fileState>
export type FetchState = Static<typeof fetchState>

export const fileKey = (url: string): string => digest(url)

const pathIn = (directory: string) => join(directory, "state.json")

/** Of a source that was never fetched, or whose file was damaged: then it is fetched as if never. */
const nothing = (): FetchState => ({ attempted_at: null, fetched_at: null, files: {} })

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
  const path = pathIn(directory)
  await Bun.write(`${path}.new`, `${JSON.stringify(state, null, 2)}\n`)
  await rename(`${path}.new`, path)
}

/** A failed fetch is not repeated for so long. */
const hoursAfterFailure = 1

/** From when on the source may be fetched; null for now. */
export function dueAt(
  { attempted_at, fetched_at }: FetchState,
  everyHours: number,
  now: Date,
): Date | null {
  const after = (time: string | null, hours: number) =>
    time === null ? 0 : Date.parse(time) + hours * hourMs
  const due = Math.max(
    after(fetched_at, everyHours),
    after(attempted_at, Math.min(everyHours, hoursAfterFailure)),
  )
  return due > now.getTime() ? new Date(due) : null
}
