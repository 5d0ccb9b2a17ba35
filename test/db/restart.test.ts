/** What goes wrong while the embedded server is watched is reported, and the watch goes on. */
import { expect, test } from "bun:test"
import { keepRunning } from "../../src/db/embedded/restart.ts"
import type { EmbeddedServer } from "../../src/db/embedded/server.ts"

const server = (others: Partial<EmbeddedServer> = {}): EmbeddedServer => ({
  url: "",
  adopted: false,
  ended: () => false,
  stop: async () => {},
  ...others,
})

const fail = (message: string): never => {
  throw new Error(message)
}

/** Watches the server until one has been started in its place, and gives what was reported. */
async function reportsOf(first: EmbeddedServer): Promise<unknown[]> {
  const reports: unknown[] = []
  const running = Promise.withResolvers<void>()
  const restarts = keepRunning(first, async () => server(), {
    onEnded: () => reports.push("ended"),
    onRunning: () => {
      reports.push("running")
      running.resolve()
    },
    onFailed: (error) => reports.push(String(error)),
  })
  await running.promise
  await restarts.stop()
  return reports
}

test("a server that ended and can't be let go of is started again", async () => {
  const first = server({ ended: () => true, stop: async () => fail("The lease can't be deleted") })
  expect(await reportsOf(first)).toEqual(["ended", "Error: The lease can't be deleted", "running"])
})

test("a server of which it can't be told whether it runs is looked at again", async () => {
  let looks = 0
  const ended = () => (++looks === 1 ? fail("The lease can't be read") : true)
  expect(await reportsOf(server({ ended }))).toEqual([
    "Error: The lease can't be read",
    "ended",
    "running",
  ])
})
