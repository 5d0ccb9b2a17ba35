/** Every record of a list, as a stream. */
import { Unavailable } from "../../data/db/pool/unavailable.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { ReadSources } from "../../data/reader/sources.ts"
import { describeError, type Log } from "../../system/log/log.ts"
import type { ExportMetrics } from "../../system/metrics/exports.ts"
import { ApiError, unauthorized } from "../http/api-error.ts"
import { acceptsGzip } from "../http/content-coding.ts"
import { representations } from "../http/formats.ts"
import type { DataRequest } from "./data-request.ts"
import type { ExportSlots } from "./export-slots.ts"
import { exportStream } from "./export-stream.ts"
import type { ListQuestion } from "./question.ts"
import {
  cacheStatus,
  contentOf,
  hasWildcardIfNoneMatch,
  represent,
  type Validators,
} from "./represent.ts"
import { encodedExport, headersOfList } from "./writers.ts"

export interface ExportOptions {
  reader: Pick<Reader, "chunks" | "total">
  /** Reads the sources, whose licences are in files. */
  readSources: ReadSources
  exportSlots: Pick<ExportSlots, "open">
  exportMetrics: Pick<ExportMetrics, "count">
  log: Log
}

/** @throws ApiError NOT_FOUND if its parent does not exist, UNAUTHORIZED if access ended in the queue; Unavailable */
export async function exportResponse(
  options: ExportOptions,
  dataRequest: DataRequest,
  question: ListQuestion,
  read: ReadOptions,
  validators: Validators,
): Promise<Response> {
  const { request } = dataRequest
  const { format } = question
  const isGzip =
    !representations[format].isBinary && acceptsGzip(request.headers.get("accept-encoding"))
  const respondWith = (total: number, body: ReadableStream<Uint8Array> | null): Response => {
    const coding = isGzip && { "Content-Encoding": "gzip" }
    const headers = { ...headersOfList(question, total), ...coding }
    const content = contentOf(validators, format, headers, body)
    return represent(dataRequest, content, cacheStatus.bypass)
  }
  if (request.method !== "HEAD" && !hasWildcardIfNoneMatch(request)) {
    const started = await startExport(options, dataRequest, question, read, isGzip)
    return respondWith(started.total, started.stream)
  }
  // Only headers, so no export starts.
  const total = await options.reader.total(question.list, read)
  if (total === null) throw new ApiError("NOT_FOUND")
  const response = respondWith(total, null)
  // The framing of GET: only an empty list as lines of JSON has no bytes, unless they are coded.
  const isEmpty = total === 0 && format === "ndjson" && !isGzip
  if (response.ok && !isEmpty) response.headers.set("Transfer-Encoding", "chunked")
  return response
}

/** @throws the reason of the request's signal if the client has left; as `exportResponse` */
async function startExport(
  options: ExportOptions,
  dataRequest: DataRequest,
  question: ListQuestion,
  read: ReadOptions,
  isGzip: boolean,
) {
  const { exportSlots, exportMetrics, log } = options
  const { request, requestId, account } = dataRequest
  const fields = {
    "mds.request_id": requestId,
    "mds.account": account,
    "mds.release": read.release.id,
  }
  using kept = new DisposableStack()
  // The connection is quiet while the export waits for its slot, and while its receiver does not read.
  kept.defer(dataRequest.liftIdleTimeout())
  const slot = exportSlots.open(dataRequest)
  kept.defer(slot.end)
  try {
    await slot.take(request.signal)
    request.signal.throwIfAborted()
  } catch (error) {
    if (request.signal.aborted) {
      exportMetrics.count("cancelled")
      log.info("export ended", { ...fields, outcome: "cancelled", records: 0, bytes: 0 })
      throw error
    }
    exportMetrics.count("refused")
    if (!slot.signal.aborted) throw error
    if (!(await dataRequest.isCallerValid())) throw unauthorized(true)
    throw new Unavailable("The service ended the export in the queue")
  }
  const startedMs = performance.now()
  const found = await encodedExport(question, read, options).catch((error: unknown) => {
    // Otherwise the request is invalid.
    if (!(error instanceof ApiError)) exportMetrics.count("failed")
    throw error
  })
  if (!found) throw new ApiError("NOT_FOUND")
  const keptByStream = kept.move()
  const { total, ...encoded } = found
  const stream = exportStream({
    ...encoded,
    isGzip,
    slot,
    onEnd: ({ error, ...outcome }) => {
      keptByStream.dispose()
      const duration_ms = Math.round(performance.now() - startedMs)
      exportMetrics.count(outcome.outcome, { ...outcome, seconds: duration_ms / 1_000 })
      const line = { ...fields, ...outcome, duration_ms }
      if (error === undefined) log.info("export ended", line)
      else log.error("export ended", { ...line, ...describeError(error) })
    },
  })
  return { total, stream }
}
