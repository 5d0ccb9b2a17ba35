/**
 * Streams an export at the pace of its receiver: it sends a chunk once the receiver has taken the previous one,
 * and reads the next one meanwhile. So a slow receiver costs two chunks of memory and no database connection.
 * A failure aborts the connection; only data enters the stream.
 */
import type { Chunk } from "../db/reader/export-reader.ts"
import type { StreamCoder } from "../http/content-coding.ts"

export interface ExportOutcome {
  outcome: "complete" | "cancelled" | "stalled" | "aborted" | "failed"
  records: number
  /** The number of sent bytes, after coding. */
  bytes: number
  error?: unknown
}

export type ExportChunks = Pick<
  AsyncGenerator<Chunk<Uint8Array<ArrayBuffer>>, void, void>,
  "next"
> & {
  return(): Promise<unknown>
}

export interface ExportStreamOptions {
  /** The bytes before the first row. */
  head: string
  coder: StreamCoder
  /** The time without reading after which the receiver is disconnected. */
  stallMs: number
  /** Aborts the stream when the service is stopped. */
  shutdown: AbortSignal
  /** Called once at the end of the stream, for every outcome. */
  onEnd: (outcome: ExportOutcome) => void
}

export function exportStream(
  chunks: ExportChunks,
  { head, coder, stallMs, shutdown, onEnd }: ExportStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array<ArrayBuffer> = new TextEncoder().encode(head)
  let records = 0
  let bytes = 0
  let stallTimer: Timer | undefined
  let ended = false

  const end = (outcome: ExportOutcome["outcome"], error?: unknown): void => {
    clearTimeout(stallTimer)
    if (ended) return
    ended = true
    shutdown.removeEventListener("abort", abort)
    coder.close()
    onEnd({ outcome, records, bytes, ...(error !== undefined && { error }) })
  }

  let abort = (): void => {}

  /** Returns the next part that is not empty, because a coder may buffer its input; null at the end. */
  const nextPart = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    for (;;) {
      const { value: chunk, done } = await chunks.next()
      if (ended) return null
      const bytes = chunk ? joined(pending, chunk.content) : pending
      records += chunk?.records ?? 0
      pending = new Uint8Array(0)
      if (done && bytes.length === 0) return null
      const part = await coder.code(bytes)
      if (part.length > 0) return part
    }
  }

  // Without a reason, which Bun would print: the log has it already.
  type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const cutOff = (controller: Controller, outcome: "stalled" | "aborted"): void => {
    end(outcome)
    controller.error()
    // The generator is paused between two chunks, or ends after the present one, so `return` cannot fail.
    void chunks.return()
  }
  const expectReceiver = (controller: Controller): void => {
    stallTimer = setTimeout(() => cutOff(controller, "stalled"), stallMs)
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        abort = () => cutOff(controller, "aborted")
        if (shutdown.aborted) return abort()
        shutdown.addEventListener("abort", abort)
        // A receiver may disappear before its first read.
        expectReceiver(controller)
      },
      async pull(controller) {
        clearTimeout(stallTimer)
        try {
          const part = await nextPart()
          if (ended) return
          const sent = part ?? (await coder.end())
          bytes += sent.length
          if (sent.length > 0) controller.enqueue(sent)
          if (part === null) {
            controller.close()
            end("complete")
            return
          }
          expectReceiver(controller)
        } catch (error) {
          end("failed", error)
          controller.error()
        }
      },
      async cancel() {
        end("cancelled")
        await chunks.return()
      },
    },
    // The stream does not read ahead of the receiver.
    { highWaterMark: 0 },
  )
}

const joined = (first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>) =>
  first.length === 0 ? second : Buffer.concat([first, second])
