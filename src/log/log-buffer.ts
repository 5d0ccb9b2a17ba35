/**
 * Lines on their way to a slow or broken output. They are collected in a buffer of bounded size and
 * written in batches, one at a time, off the path of the request that logged them. A batch that can't
 * be written now is written later, from the byte where it stopped; meanwhile lines that find no room
 * are dropped and counted. So an output that is full, gone or not read costs lines, and nothing else.
 */

/** Writes some of the bytes, at least one. Resolves to how many. @throws what the output reports */
export type WriteSome = (bytes: Uint8Array) => Promise<number>

export interface LogBufferReadings {
  /** Lines for which there was no room. */
  dropped: number
  /** Attempts to write that failed. */
  failures: number
  /** About how much the buffer holds. */
  bytes: number
}

export interface LogBuffer {
  /** Takes one line, its line break included. */
  write(line: string): void
  readings(): LogBufferReadings
  /** Resolves when all has been written, or `withinMs` are over. */
  flush(withinMs: number): Promise<void>
}

interface LogBufferOptions {
  write: WriteSome
  /** Reports how many lines were dropped, once there is room again. */
  onDropped: (lines: number) => void
}

export const maxBufferedLength = 4 * 1024 * 1024

/** As much as a pipe takes at once. */
const batchLength = 64 * 1024
const collectMs = 10
const fullPipeRetryMs = 50
const failureRetryMs = 1_000

export function createLogBuffer({ write, onDropped }: LogBufferOptions): LogBuffer {
  let lines: string[] = []
  let length = 0
  let dropped = 0
  let reported = 0
  let failures = 0
  let emptying: Promise<void> | undefined

  function add(line: string): void {
    if (length + line.length > maxBufferedLength) {
      dropped++
      return
    }
    lines.push(line)
    length += line.length
    emptying ??= empty()
  }

  async function empty(): Promise<void> {
    await Bun.sleep(collectMs)
    while (lines.length > 0) {
      const batch = nextBatch()
      await writeWhole(new TextEncoder().encode(batch))
      length -= batch.length
      if (lines.length === 0) reportDropped()
    }
    emptying = undefined
  }

  function nextBatch(): string {
    let count = 0
    let size = 0
    while (count < lines.length && size < batchLength) size += lines[count++]?.length ?? 0
    const batch = lines.slice(0, count).join("")
    lines = lines.slice(count)
    return batch
  }

  async function writeWhole(bytes: Uint8Array): Promise<void> {
    let written = 0
    while (written < bytes.length) {
      try {
        written += await write(bytes.subarray(written))
      } catch (error) {
        const isFull = (error as { code?: unknown }).code === "EAGAIN"
        if (!isFull) failures++
        await Bun.sleep(isFull ? fullPipeRetryMs : failureRetryMs)
      }
    }
  }

  function reportDropped(): void {
    if (dropped === reported) return
    const lost = dropped - reported
    reported = dropped
    onDropped(lost)
  }

  return {
    write: add,
    readings: () => ({ dropped, failures, bytes: length }),
    flush: async (withinMs) => {
      await Promise.race([emptying, Bun.sleep(withinMs)])
    },
  }
}
