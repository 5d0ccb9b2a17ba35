/** An export frees its slot and its connection's time limit however it ends. */
import { expect, test } from "bun:test"
import { invalidParameters } from "../../../src/api/http/api-error.ts"
import { toApiError } from "../../../src/api/plugins/errors.ts"
import { listEndpoint } from "../../../src/api/responses/endpoint.ts"
import { exportResponse } from "../../../src/api/responses/export-response.ts"
import { createExportSlots } from "../../../src/api/responses/export-slots.ts"
import { askList } from "../../../src/api/responses/question.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import { createLog } from "../../../src/system/log/log.ts"
import { createExportMetrics } from "../../../src/system/metrics/exports.ts"
import { metricsText } from "../../../src/system/metrics/families.ts"
import { collect, opened, requestText } from "../../contract/raw-http.ts"
import { until } from "../../support/until.ts"

const question = askList(listEndpoint({ path: "/reports", resource: reports, filters: [] }), {
  format: "csv",
  all: true,
})
const read = { release: { id: 3, publishedAt: 1, identity: "a" }, account: 2 }

type Outcome = "found" | "not found" | "invalid" | "failed"

/** One slot, and a reader of a list without records. */
function oneSlot(outcome: Outcome) {
  const exportSlots = createExportSlots({
    slots: 1,
    stallMs: 60_000,
    steadyMs: () => 0,
    onNotChecked: () => {},
  })
  const log = createLog(
    () => {},
    () => new Date(0),
  )
  const chunks = async () => {
    if (outcome === "failed") throw new Error("Failed")
    if (outcome === "invalid") throw invalidParameters([])
    return outcome === "found" ? { total: 0, chunks: (async function* () {})() } : null
  }
  const exportMetrics = createExportMetrics()
  const options = {
    reader: { chunks, total: async () => 0 },
    readSources: async () => ({ version: "", records: [], refusals: new Map() }),
    exportSlots,
    exportMetrics,
    log,
  }
  /** Exports release 3. */
  const exported = (
    request: Request,
    liftIdleTimeout = () => () => {},
    isCallerValid = async () => true,
  ) => {
    const dataRequest = {
      request,
      requestId: "1",
      headers: {},
      account: 2,
      sequenceOwner: "",
      isCallerValid,
      liftIdleTimeout,
    }
    return exportResponse(options, dataRequest, question, read, { ETag: "" })
  }
  return { exported, exportSlots, exportMetrics }
}

test.each([
  ["not found", 0],
  ["invalid", 0],
  ["failed", 1],
] as const)(
  "An export that is %s before its first byte frees its slot, and counts as %d failed exports",
  async (outcome, failed) => {
    const { exported, exportSlots, exportMetrics } = oneSlot(outcome)
    await expect(exported(new Request("http://localhost/"))).rejects.toThrow()
    const load = exportSlots.load()
    expect(load).toEqual({ running: 0, waiting: 0 })
    const metrics = metricsText(exportMetrics.collect(load))
    expect(metrics).toContain(`mds_exports_total{outcome="failed"} ${failed}\n`)
  },
)

test.each([
  [true, 503],
  [false, 401],
])(
  "An export that the service ends in the queue, with a token that is valid: %s, gets %d",
  async (isValid, status) => {
    const { exported, exportSlots } = oneSlot("found")
    const running = exportSlots.open({ account: 1, isCallerValid: async () => true })
    await running.take(new AbortController().signal)
    const queued = exported(new Request("http://localhost/"), undefined, async () => isValid)
    await until(() => exportSlots.load().waiting === 1)
    if (isValid) exportSlots.stop()
    else exportSlots.checkCallers(2)
    const error = await queued.catch((reason: unknown) => toApiError(reason))
    expect(error).toMatchObject({ status })
    running.end()
  },
)

test("A connection has its idle timeout again after an export", async () => {
  const closed = async (outcome: Outcome) => {
    const { exported } = oneSlot(outcome)
    const server = Bun.serve({
      port: 0,
      idleTimeout: 1,
      fetch: (request) =>
        exported(request, () => {
          server.timeout(request, 0)
          return () => server.timeout(request, 1)
        }).catch(() => new Response("Failed")),
    })
    const socket = await opened(server.port ?? 0)
    const received = collect(socket)
    socket.write(requestText("/"))
    await until(() => received.length > 0)
    await until(() => received.closed)
    await server.stop()
  }
  await Promise.all([closed("found"), closed("not found"), closed("failed")])
})
