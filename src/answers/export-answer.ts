import type { Reader } from "../db/reader/reader.ts"
import { ApiError } from "../http/api-error.ts"
import { streamCoder } from "../http/content-coding.ts"
import { describeError } from "../log/log.ts"
import { openStep, traceIds } from "../telemetry/steps.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { type ExportOutcome, exportStream } from "./export-stream.ts"
import type { ResolvedPlan } from "./list-answer.ts"
import { asksForAny, exportHeaders, notModified, writerOf } from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"

const recordsPerChunk = 2_000
/** For the log alone, as proxies write it: nobody receives that response. */
const clientClosedRequest = 499

/** What an export needs of the service. */
export type ExportOptions = Pick<
  AnswerOptions,
  "exportTurns" | "exportCounts" | "exportStallMs" | "exportShutdown" | "log"
> & { reader: Pick<Reader, "chunks" | "total"> }

/** Every record of a list, as a stream. @throws ApiError NOT_FOUND if its parent does not exist; Unavailable */
export async function exportAnswer(
  options: ExportOptions,
  context: RequestContext,
  resolved: ResolvedPlan,
): Promise<Response> {
  const { request } = context
  return request.method === "HEAD" || asksForAny(request)
    ? exportHead(options, context, resolved)
    : exportBody(options, context, resolved)
}

/** The headers alone: no export is started. */
async function exportHead(
  { reader }: ExportOptions,
  context: RequestContext,
  { plan, list, release, headers }: ResolvedPlan,
): Promise<Response> {
  const total = await reader.total(list, { release, account: accountOf(context) })
  if (total === null) throw new ApiError("NOT_FOUND")
  const shown = exportHeaders(total, headers, plan)
  return asksForAny(context.request) ? notModified(shown) : new Response(null, { headers: shown })
}

async function exportBody(
  { reader, exportTurns, exportCounts, exportStallMs, exportShutdown, log }: ExportOptions,
  context: RequestContext,
  { plan, list, release, headers }: ResolvedPlan,
): Promise<Response> {
  const { format } = plan
  if (format === "json") throw new Error("An export is never in JSON")
  const account = accountOf(context)
  const fields = {
    ...traceIds(),
    "mds.request_id": context.requestId,
    "mds.account": context.caller.accountId,
    "mds.release": release.id,
  }
  // Nothing is sent while it waits for its turn, and nothing while its receiver does not read.
  context.disableIdleTimeout()
  using kept = new DisposableStack()
  const endStep = openStep("export")
  kept.defer(() => endStep())
  const { signal } = context.request
  const endTurn = await exportTurns.take(account, signal).catch((error: unknown) => {
    if (error === signal.reason) return undefined
    exportCounts.countWithoutStream("refused")
    throw error
  })
  if (!endTurn) {
    const outcome: ExportOutcome = { outcome: "cancelled", records: 0, bytes: 0 }
    exportCounts.countWithoutStream("cancelled")
    log.info("export ended", { ...fields, ...outcome })
    return new Response(null, { status: clientClosedRequest })
  }
  kept.defer(endTurn)
  const startedMs = performance.now()
  const { head, newEncoder } = writerOf(plan, format)
  const found = await reader
    .chunks(list, { release, account, chunkSize: recordsPerChunk, newEncoder })
    .catch((error: unknown) => {
      exportCounts.countWithoutStream("failed")
      throw error
    })
  if (!found) throw new ApiError("NOT_FOUND")
  const coder = streamCoder(context.request.headers.get("accept-encoding"))
  const keptByStream = kept.move()
  const stream = exportStream(found.chunks, {
    head,
    coder,
    stallMs: exportStallMs,
    shutdown: exportShutdown,
    onEnd: ({ error, ...outcome }) => {
      endStep(spanAttributes(outcome), error)
      keptByStream.dispose()
      const duration_ms = Math.round(performance.now() - startedMs)
      exportCounts.count(outcome, duration_ms / 1_000)
      const line = { ...fields, ...outcome, duration_ms }
      if (error === undefined) log.info("export ended", line)
      else log.error("export ended", { ...line, ...describeError(error) })
    },
  })
  const shown = exportHeaders(found.total, { ...headers, ...coder.headers }, plan)
  return new Response(stream, { headers: shown })
}

const spanAttributes = ({ outcome, records, bytes }: ExportOutcome) => ({
  "mds.export.outcome": outcome,
  "mds.export.records": records,
  "mds.export.bytes": bytes,
})
