/**
 * An export is streamed at its receiver's pace, and ends complete or with an aborted connection,
 * never as a shorter file.
 */

import { expect, test } from "bun:test"
import { streamCoder } from "../../src/http/content-coding.ts"
import { type ExportOutcome, exportStream } from "../../src/responses/export-stream.ts"
import { until } from "../support/until.ts"

/** An export of numbered records, and what was read and said of it. */
function exported(
  chunks: number,
  options: {
    accept?: string
    failAt?: number
    signal?: AbortSignal
    gate?: Promise<void>
  } = {},
) {
  const coder = streamCoder(options.accept ?? null)
  const seen = {
    coderCloses: 0,
    chunksRead: 0,
    generatorEnded: false,
    outcomes: [] as ExportOutcome[],
  }
  async function* read() {
    try {
      for (let chunk = 0; chunk < chunks; chunk++) {
        if (chunk === options.failAt) throw new Error("superseded")
        seen.chunksRead++
        await options.gate
        const bytes = new TextEncoder().encode(`${2 * chunk}\n${2 * chunk + 1}\n`)
        yield { records: 2, content: bytes }
      }
    } finally {
      seen.generatorEnded = true
    }
  }
  const stream = exportStream(read(), {
    head: "n\n",
    coder: {
      ...coder,
      close: () => {
        seen.coderCloses++
        coder.close()
      },
    },
    slot: {
      signal: options.signal ?? new AbortController().signal,
      offer: () => {},
      taken: () => {},
    },
    onEnd: (outcome) => seen.outcomes.push(outcome),
  })
  return { stream, seen }
}

test("an export reads a chunk only after the receiver took the one before", async () => {
  const { stream, seen } = exported(10)
  const reader = stream.getReader()
  expect(seen.chunksRead).toBe(0)
  await reader.read()
  await reader.read()
  expect(seen.chunksRead).toBe(2)
  await reader.cancel()
})

test.each(["gzip", ""])(
  "a receiver that leaves while a chunk is read ends the export once (Accept-Encoding: %s)",
  async (accept) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { stream, seen } = exported(10, { accept, gate: promise })
    const reader = stream.getReader()
    const read = reader.read()
    await until(() => seen.chunksRead === 1)
    const cancelled = reader.cancel()
    resolve()
    await Promise.all([cancelled, read])
    expect(seen).toMatchObject({ chunksRead: 1, generatorEnded: true, coderCloses: 1 })
    expect(seen.outcomes).toEqual([{ outcome: "cancelled", records: 0, bytes: 0 }])
  },
)

test("an ended export closes its coder once", async () => {
  const ends: [Parameters<typeof exported>[1], (stream: ReadableStream) => Promise<unknown>][] = [
    [{}, (stream) => new Response(stream).arrayBuffer()],
    [{ failAt: 3 }, (stream) => new Response(stream).arrayBuffer().catch(() => {})],
    [{}, (stream) => stream.cancel()],
    [
      { signal: AbortSignal.abort("stalled") },
      (stream) => stream.getReader().closed.catch(() => {}),
    ],
  ]
  const outcomes: unknown[] = []
  for (const [options, use] of ends) {
    const { stream, seen } = exported(5, { accept: "gzip", ...options })
    await use(stream)
    expect(seen.coderCloses).toBe(1)
    outcomes.push(seen.outcomes.map(({ outcome }) => outcome))
  }
  expect(outcomes).toEqual([["complete"], ["failed"], ["cancelled"], ["stalled"]])
})

test("an aborted export is an error for its receiver, never a shorter file", async () => {
  const shutdown = new AbortController()
  const { stream, seen } = exported(1_000, { signal: shutdown.signal })
  const reader = stream.getReader()
  await reader.read()
  shutdown.abort("aborted")
  await expect(reader.read()).rejects.toBeUndefined()
  expect(seen.outcomes).toMatchObject([{ outcome: "aborted", records: 2 }])
  expect([seen.coderCloses, seen.generatorEnded]).toEqual([1, true])
})
