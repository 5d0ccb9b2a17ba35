/**
 * Streams an export at the pace of its receiver: it sends a chunk once the receiver has taken the previous one,
 * and reads the next one meanwhile. So a slow receiver costs two chunks of memory and no database connection.
 * A failure aborts the connection; only data enters the stream.
 */
import type { Export } from "../../data/reader/export-reader.ts"
import type { StreamCoder } from "../http/content-coding.ts"
import type { Cut, ExportSlot } from "./export-slots.ts"

export interface ExportOutcome {
  outcome: "complete" | "cancelled" | "failed" | Cut
  records: number
  /** The number of sent bytes, after coding. */
  bytes: number
  error?: unknown
}

export type ExportChunks = Export<Uint8Array<ArrayBuffer>>["chunks"]

export interface ExportStreamOptions {
  /** The bytes before the first row. */
  head: string
  coder: StreamCoder
  /** Observes how fast the receiver reads, and may abort the stream. */
  slot: Pick<ExportSlot, "signal" | "offer" | "taken">
  /** Called once at the end of the stream, before the response ends, for every outcome. */
  onEnd: (outcome: ExportOutcome) => void
}

export function exportStream(
  chunks: ExportChunks,
  { head, coder, slot, onEnd }: ExportStreamOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array<ArrayBuffer> = new TextEncoder().encode(head)
  let records = 0
  let bytes = 0
  let ended = false
  let isCoderEnded = false

  const end = (outcome: ExportOutcome["outcome"], error?: unknown): void => {
    if (ended) return
    ended = true
    slot.signal.removeEventListener("abort", abort)
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
      if (done && isCoderEnded) {
        // A body that ends before a turn of the event loop gets a Content-Length, which HEAD does not know.
        await Bun.sleep(0)
        return null
      }
      isCoderEnded = done === true && bytes.length === 0
      const part = await (isCoderEnded ? coder.end() : coder.code(bytes))
      if (part.length > 0) return part
    }
  }

  // Without a reason, which Bun would print: the log has it already.
  type Controller = ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
  const cutOff = (controller: Controller): void => {
    end(slot.signal.reason)
    controller.error()
    // The generator is paused between two chunks, or ends after the present one, so `return` cannot fail.
    void chunks.return()
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        abort = () => cutOff(controller)
        if (slot.signal.aborted) return abort()
        slot.signal.addEventListener("abort", abort)
        // A receiver may disappear before its first read.
        slot.offer(0)
      },
      async pull(controller) {
        slot.taken()
        try {
          const part = await nextPart()
          if (ended) return
          // Not with the last part: the idle timeout, which `onEnd` sets again, would cut a slow receiver.
          if (part === null) {
            end("complete")
            controller.close()
            return
          }
          bytes += part.length
          controller.enqueue(part)
          slot.offer(part.length)
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
