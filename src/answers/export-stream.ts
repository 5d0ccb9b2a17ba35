/**
 * An export as a stream. It is pull-based: a chunk is read and written only when the receiver has
 * taken the one before, so that a slow receiver holds one chunk and no connection to the database.
 * A failure aborts the connection; nothing but data ever enters the stream.
 */
import type { StreamCoder } from "../http/content-coding.ts"

export interface ExportOutcome {
  outcome: "complete" | "cancelled" | "stalled" | "aborted" | "failed"
  records: number
  /** As sent, so after coding. */
  bytes: number
  error?: unknown
}

export interface ExportStreamOptions {
  /** What comes before the first row. */
  head: string
  row: (record: Record<string, unknown>) => string
  coder: StreamCoder
  /** A receiver that takes nothing for so long, from the first byte on, is cut off. */
  stallMs: number
  /** Aborts the stream when the service is stopped. */
  shutdown: AbortSignal
  /** Called once, when the stream has ended one way or another. */
  onEnd: (outcome: ExportOutcome) => void
}

export function exportStream(
  chunks: AsyncGenerator<Record<string, unknown>[], void, void>,
  { head, row, coder, stallMs, shutdown, onEnd }: ExportStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let pending = head
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

  /** The next part that is not empty; a coder may keep what it is given. Null at the end. */
  const nextPart = async (): Promise<Uint8Array<ArrayBuffer> | null> => {
    for (;;) {
      const { value: chunk, done } = await chunks.next()
      if (ended) return null
      for (const record of chunk ?? []) pending += row(record)
      records += chunk?.length ?? 0
      const text = pending
      pending = ""
      if (done && text === "") return null
      const part = await coder.code(text)
      if (part.length > 0) return part
    }
  }

  // An error without a reason aborts the connection as well; a reason Bun would print as it is, and
  // the log has it already.
  type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const cutOff = (controller: Controller, outcome: "stalled" | "aborted"): void => {
    end(outcome)
    controller.error()
    // It waits between two chunks, where nothing can fail, or ends after the chunk that it reads.
    void chunks.return()
  }
  const expectReceiver = (controller: Controller): void => {
    stallTimer = setTimeout(() => cutOff(controller, "stalled"), stallMs)
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        abort = () => cutOff(controller, "aborted")
        shutdown.addEventListener("abort", abort)
        // A receiver that has gone before it took anything may never be heard of.
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
    // Nothing is read ahead of the receiver.
    { highWaterMark: 0 },
  )
}
