/**
 * Streams an export at the pace of its receiver: it sends a chunk once the receiver has taken the previous one,
 * and reads the next one meanwhile. So a slow receiver costs two chunks of memory and no database connection.
 * A failure aborts the connection; only data enters the stream.
 */
import type { Export } from "../../data/reader/export-reader.ts"
import { gzipped } from "../http/content-coding.ts"
import type { Cut, ExportSlot } from "./export-slots.ts"

type Bytes = Uint8Array<ArrayBuffer>

interface ExportOutcome {
  outcome: "complete" | "cancelled" | "failed" | Cut
  records: number
  /** The number of sent bytes, after coding. */
  bytes: number
  error?: unknown
}

interface ExportStreamOptions {
  /** The bytes before the first row. */
  head: string
  chunks: Export["chunks"]
  /** Makes the bytes after the last row. */
  end: () => Bytes
  isGzip: boolean
  /** Observes how fast the receiver reads, and may abort the stream. */
  slot: Pick<ExportSlot, "signal" | "offer" | "taken">
  /** Called once at the end of the stream, before the response ends, for every outcome. */
  onEnd: (outcome: ExportOutcome) => void
}

export function exportStream(options: ExportStreamOptions): ReadableStream<Bytes> {
  const { head, chunks, isGzip, slot, onEnd } = options
  let records = 0
  let bytes = 0
  let ended = false

  async function* written(): AsyncGenerator<Bytes, void, void> {
    if (head !== "") yield new TextEncoder().encode(head)
    for await (const chunk of chunks) {
      records += chunk.records
      yield chunk.content
    }
    const last = options.end()
    if (last.length > 0) yield last
  }
  const parts = isGzip ? gzipped(written()) : written()

  const end = (outcome: ExportOutcome["outcome"], error?: unknown): void => {
    if (ended) return
    ended = true
    onEnd({ outcome, records, bytes, ...(error !== undefined && { error }) })
  }

  return new ReadableStream<Bytes>(
    {
      start(controller) {
        const cutOff = (): void => {
          end(slot.signal.reason)
          // Without a reason, which Bun would print: the log has it already.
          controller.error()
          // The generator is paused between two parts, or ends after the present one, so `return` cannot fail.
          void parts.return()
        }
        if (slot.signal.aborted) return cutOff()
        slot.signal.addEventListener("abort", cutOff)
        // A receiver may disappear before its first read.
        slot.offer(0)
      },
      async pull(controller) {
        slot.taken()
        try {
          const { value: part, done } = await parts.next()
          // A body that ends before a turn of the event loop gets a Content-Length, which HEAD does not know.
          if (done) await Bun.sleep(0)
          if (ended) return
          // Not with the last part: the idle timeout, which `onEnd` sets again, would cut a slow receiver.
          if (!part) {
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
        await parts.return()
      },
    },
    // The stream does not read ahead of the receiver.
    { highWaterMark: 0 },
  )
}
