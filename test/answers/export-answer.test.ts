/** An export waits for its slot, and gives it back however it ends. */
import { expect, test } from "bun:test"
import { exportAnswer } from "../../src/answers/export-answer.ts"
import { createExportCounts } from "../../src/answers/export-counts.ts"
import { listEndpoint } from "../../src/answers/list-endpoint.ts"
import { planList } from "../../src/answers/list-plan.ts"
import { createTurns } from "../../src/db/pool/turns.ts"
import { createLog } from "../../src/log/log.ts"
import { reports } from "../../src/resources/reports.ts"

const target = { path: "/api/v1/reports", query: "format=csv&all=true", accept: null }
const plan = planList(listEndpoint({ resource: reports, filters: [] }), target, "")
const release = { id: 3, publishedAt: 1, identity: "a" }

/** One slot, which is taken, and an export of release 3 that waits for it. */
async function waitingExport(outcome: "found" | "not found" | "failed") {
  const exportTurns = createTurns({ places: 1 })
  const freeSlot = await exportTurns.take(1)
  const receiver = new AbortController()
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
    readSources: async () => ({ version: "", records: [] }),
    exportTurns,
    exportCounts: createExportCounts(),
    log,
    exportStallMs: 60_000,
    exportShutdown: new AbortController().signal,
  }
  const asked = {
    request: new Request("http://localhost/", { signal: receiver.signal }),
    requestId: "1",
    target,
    headers: {},
    account: 2,
    sequenceOwner: "",
    disableIdleTimeout: () => {},
  }
  const list = { ...plan.list, identity: plan.identity }
  const answer = exportAnswer(options, asked, { plan, list, release }, { ETag: "" })
  return { answer, freeSlot, receiver, load: exportTurns.load, lines }
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
