/** Every record of a list, as a stream. */
import { Unavailable } from "../../data/db/pool/unavailable.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import type { ReadSources } from "../../data/reader/sources.ts"
import { describeError, type Log } from "../../system/log/log.ts"
import type { ExportMetrics } from "../../system/metrics/exports.ts"
import { ApiError, clientClosedRequest, unauthorized } from "../http/api-error.ts"
import { streamCoder, streamHeaders } from "../http/content-coding.ts"
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

type RespondWith = (total: number, body: ReadableStream<Uint8Array> | null) => Response

/** @throws ApiError NOT_FOUND if its parent does not exist, UNAUTHORIZED if access ended in the queue; Unavailable */
export async function exportResponse(
  options: ExportOptions,
  dataRequest: DataRequest,
  question: ListQuestion,
  read: ReadOptions,
  validators: Validators,
): Promise<Response> {
  const { request } = dataRequest
  const respondWith: RespondWith = (total, body) => {
    const headers = {
      ...headersOfList(question, total),
      ...streamHeaders(acceptedCodings(dataRequest, question)),
    }
    return represent(
      dataRequest,
      contentOf(validators, question.format, headers, body),
      cacheStatus.bypass,
    )
  }
  if (request.method !== "HEAD" && !hasWildcardIfNoneMatch(request)) {
    return exportBody(options, dataRequest, question, read, respondWith)
  }
  // Only headers, so no export starts.
  const total = await options.reader.total(question.list, read)
  if (total === null) throw new ApiError("NOT_FOUND")
  const response = respondWith(total, null)
  // The framing of GET: only an empty list as lines of JSON has no bytes, unless they are coded.
  const { headers } = response
  const isEmpty = total === 0 && question.format === "ndjson" && !headers.has("Content-Encoding")
  if (response.ok && !isEmpty) headers.set("Transfer-Encoding", "chunked")
  return response
}

/** Null for a format that is compressed itself. */
const acceptedCodings = ({ request }: DataRequest, { format }: ListQuestion): string | null =>
  representations[format].isBinary ? null : request.headers.get("accept-encoding")

async function exportBody(
  options: ExportOptions,
  dataRequest: DataRequest,
  question: ListQuestion,
  read: ReadOptions,
  respondWith: RespondWith,
): Promise<Response> {
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
  await slot.take(request.signal).catch(async (error: unknown) => {
    if (request.signal.aborted) return
    exportMetrics.count("refused")
    if (!slot.signal.aborted) throw error
    if (!(await dataRequest.isCallerValid())) throw unauthorized(true)
    throw new Unavailable("The service ended the export in the queue")
  })
  if (request.signal.aborted) {
    exportMetrics.count("cancelled")
    log.info("export ended", { ...fields, outcome: "cancelled", records: 0, bytes: 0 })
    return new Response(null, { status: clientClosedRequest })
  }
  const startedMs = performance.now()
  const found = await encodedExport(question, read, options).catch((error: unknown) => {
    exportMetrics.count("failed")
    throw error
  })
  if (!found) throw new ApiError("NOT_FOUND")
  const coder = streamCoder(acceptedCodings(dataRequest, question))
  const keptByStream = kept.move()
  const stream = exportStream(found.chunks, {
    head: found.head,
    coder,
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
  return respondWith(found.total, stream)
}
