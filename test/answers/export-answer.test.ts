/**
 * An export pins its release while it waits for its slot, and gives back slot and pin however it
 * ends.
 */
import { expect, test } from "bun:test"
import { exportAnswer } from "../../src/answers/export-answer.ts"
import { createExportCounts } from "../../src/answers/export-counts.ts"
import { listEndpoint } from "../../src/answers/list-endpoint.ts"
import { planList } from "../../src/answers/list-plan.ts"
import { createPageSequences } from "../../src/answers/sequences/page-sequences.ts"
import { createTurns } from "../../src/db/pool/turns.ts"
import { createLog } from "../../src/log/log.ts"
import { reports } from "../../src/resources/reports.ts"

const target = { path: "/api/v1/reports", query: "format=csv&all=true", format: "csv" } as const
const plan = planList(listEndpoint({ resource: reports, filters: [] }), target, "")
const release = { id: 3, publishedAt: 1 }

/** One slot, which is taken, and an export of release 3 that waits for it. */
async function waitingExport(outcome: "found" | "not found" | "failed") {
  const sequences = createPageSequences(null, 1_000_000)
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
  const reader = { chunks, total: async () => 0 }
  const options = {
    reader,
    sequences,
    exportTurns,
    exportCounts: createExportCounts(),
    log,
    exportStallMs: 60_000,
    exportShutdown: new AbortController().signal,
  }
  const context = {
    ...target,
    request: new Request("http://localhost/", { signal: receiver.signal }),
    requestId: "1",
    caller: { accountId: 2, tokenId: 2 },
    address: "",
    disableIdleTimeout: () => {},
  }
  const pages = { release: async () => undefined, begin: async () => {}, lose: async () => fail() }
  const answer = exportAnswer(options, context, {
    plan,
    list: plan.list,
    release,
    headers: { ETag: "" },
    pages,
  })
  const state = () => [sequences.oldestPinned(0), exportTurns.load()]
  return { answer, freeSlot, receiver, state, lines }
}

const fail = (): never => {
  throw new Error("Not expected")
}

const idle = [undefined, { running: 0, waiting: 0 }]

test("an export pins its release while it waits for its slot, and unpins it at its end", async () => {
  const { answer, freeSlot, state } = await waitingExport("found")
  expect(state()).toEqual([3, { running: 1, waiting: 1 }])
  freeSlot()
  expect(await (await answer).text()).toStartWith("hash,")
  expect(state()).toEqual(idle)
})

test.each(["not found", "failed"] as const)(
  "an export that is %s leaves neither a pin nor a slot",
  async (outcome) => {
    const { answer, freeSlot, state } = await waitingExport(outcome)
    freeSlot()
    await expect(answer).rejects.toThrow()
    expect(state()).toEqual(idle)
  },
)

test("an export whose receiver goes while it waits for its slot leaves the queue at once", async () => {
  const { answer, freeSlot, receiver, state, lines } = await waitingExport("found")
  receiver.abort()
  expect((await answer).status).toBe(499)
  expect(state()).toEqual([undefined, { running: 1, waiting: 0 }])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: "export ended", "mds.request_id": "1", outcome: "cancelled", records: 0, bytes: 0 },
  ])
  freeSlot()
  expect(state()).toEqual(idle)
})
