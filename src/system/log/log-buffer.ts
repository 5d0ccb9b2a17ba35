/**
 * Buffers the log for an output that may be slow or broken. The buffer has a limit and writes batches, one at
 * a time, outside of the requests that logged the lines. It retries a failed write from the byte where the
 * write stopped, and drops and counts lines that do not fit. So an output that is full, closed or not read
 * loses lines, and affects nothing else.
 */
import { codeOf } from "../text/error-code.ts"

/** Writes some of the bytes, at least one, and returns their number. @throws the output's error */
export type WriteSome = (bytes: Uint8Array) => Promise<number>

export interface LogBufferReadings {
  /** Lines that were dropped because the buffer was full. */
  dropped: number
  /** Failed writes. */
  failures: number
  /** An estimate of the buffer's contents. */
  bytes: number
}

export type LogBuffer = ReturnType<typeof createLogBuffer>

interface LogBufferOptions {
  write: WriteSome
  /** Receives the number of dropped lines once the buffer is empty again. */
  onDropped: (lines: number) => void
}

export const maxBufferedLength = 4 * 1024 * 1024

/** The capacity of a pipe. */
const batchLength = 64 * 1024
const collectMs = 10
const fullPipeRetryMs = 50
const failureRetryMs = 1_000

export function createLogBuffer({ write, onDropped }: LogBufferOptions) {
  let lines: string[] = []
  let length = 0
  let dropped = 0
  let reported = 0
  let failures = 0
  let emptying: Promise<void> | undefined

  /** Appends one line with its line break. */
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
        const isFull = codeOf(error) === "EAGAIN"
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
    readings: (): LogBufferReadings => ({ dropped, failures, bytes: length }),
    /** Resolves when everything has been written, or after `withinMs`. */
    flush: async (withinMs: number): Promise<void> => {
      await Promise.race([emptying, Bun.sleep(withinMs)])
    },
  }
}
