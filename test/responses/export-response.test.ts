/** An export waits for its slot, and gives it back however it ends. */
import { expect, test } from "bun:test"
import { createLog } from "../../src/log/log.ts"
import { reports } from "../../src/resources/reports.ts"
import { createExportCounts } from "../../src/responses/export-counts.ts"
import { exportResponse } from "../../src/responses/export-response.ts"
import { createExportSlots } from "../../src/responses/export-slots.ts"
import { listEndpoint } from "../../src/responses/list-endpoint.ts"
import { planList } from "../../src/responses/plan.ts"
import { collect, opened, requestText } from "../contract/raw-http.ts"
import { until } from "../support/until.ts"

const plan = planList(
  listEndpoint({ path: "/reports", resource: reports, filters: [] }),
  { format: "csv", all: true },
  "",
)
const release = { id: 3, publishedAt: 1, identity: "a" }

type Outcome = "found" | "not found" | "failed"
const isCallerValid = async () => true

/** One slot, and a reader of a list without records. */
function oneSlot(outcome: Outcome) {
  const exportSlots = createExportSlots({
    slots: 1,
    stallMs: 60_000,
    steadyMs: () => 0,
    onNotChecked: () => {},
  })
  const lines: string[] = []
  const log = createLog(
    (line) => lines.push(line),
    () => new Date(0),
  )
  const chunks = async () => {
    if (outcome === "failed") throw new Error("Failed")
    return outcome === "found" ? { total: 0, chunks: (async function* () {})() } : null
  }
  const options = {
    reader: { chunks, total: async () => 0 },
    readSources: async () => ({ version: "", records: [], refusals: new Map() }),
    exportSlots,
    exportCounts: createExportCounts(),
    log,
  }
  /** Exports release 3. */
  const exported = (request: Request, liftIdleTimeout = () => () => {}) => {
    const asked = {
      request,
      requestId: "1",
      headers: {},
      account: 2,
      sequenceOwner: "",
      isCallerValid,
      liftIdleTimeout,
    }
    const list = { ...plan.list, identity: plan.identity }
    return exportResponse(options, asked, { plan, list, release }, { ETag: "" })
  }
  return { exported, exportSlots, lines }
}

/** The slot is taken, and an export waits for it. */
async function waitingExport(outcome: Outcome) {
  const { exported, exportSlots, lines } = oneSlot(outcome)
  const other = exportSlots.open({ account: 1, isCallerValid })
  await other.take(new AbortController().signal)
  const receiver = new AbortController()
  const answer = exported(new Request("http://localhost/", { signal: receiver.signal }))
  return { answer, freeSlot: other.end, receiver, load: exportSlots.load, lines }
}

const idle = { running: 0, waiting: 0 }

test("an export waits for its slot, and frees it at its end", async () => {
  const { answer, freeSlot, load } = await waitingExport("found")
  expect(load()).toEqual({ running: 1, waiting: 1 })
  freeSlot()
  expect(await (await answer).text()).toStartWith("hash,")
  expect(load()).toEqual(idle)
})

test.each(["not found", "failed"] as const)(
  "an export that is %s frees its slot",
  async (outcome) => {
    const { answer, freeSlot, load } = await waitingExport(outcome)
    freeSlot()
    await expect(answer).rejects.toThrow()
    expect(load()).toEqual(idle)
  },
)

test("an export whose receiver goes while it waits for its slot leaves the queue at once", async () => {
  const { answer, freeSlot, receiver, load, lines } = await waitingExport("found")
  receiver.abort()
  expect((await answer).status).toBe(499)
  expect(load()).toEqual({ running: 1, waiting: 0 })
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: "export ended", "mds.request_id": "1", outcome: "cancelled", records: 0, bytes: 0 },
  ])
  freeSlot()
  expect(load()).toEqual(idle)
})

test("a connection has its idle timeout again after an export", async () => {
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
