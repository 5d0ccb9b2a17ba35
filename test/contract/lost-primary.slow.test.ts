/**
 * Once the database is known not to answer, no notification of a change can arrive, although no connection
 * was closed. From then on no cached token or release is used, until notifications arrive again.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { until } from "../support/until.ts"
import { type BreakableService, breakableService } from "./breakable-service.ts"

let server: BreakableService["server"]
let proxy: BreakableService["proxy"]
let service: BreakableService["service"]
let stop: BreakableService["stop"]

beforeAll(async () => {
  ;({ server, proxy, service, stop } = await breakableService())
})

afterAll(() => stop())

const count = (event: string): number =>
  service.logLines.filter((line) => line.includes(event)).length

async function isListening(): Promise<boolean> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  return metrics.includes("\nmds_notifications_listening 1\n")
}

const statusOf = async (token: string): Promise<number> =>
  (await service.get("/companies", { token })).status

/** Has what the request needs in memory. */
async function remember(token: string): Promise<void> {
  await until(async () => (await statusOf(token)) === 200)
  await until(isListening)
  expect(await statusOf(token)).toBe(200)
}

/** A request that needs the database is sent, so that its silence is noticed. */
async function expectLoss(lossesBefore: number): Promise<void> {
  expect((await service.get("/usage")).status).toBe(503)
  await until(() => count("the database does not answer") > lossesBefore)
}

test("a token that is revoked while the network drops all packets is never accepted after the loss was noticed", async () => {
  const token = await service.issue("revoked@example.com")
  await remember(token)
  const statuses = new Set<number>()
  const lossesBefore = count("the database does not answer")
  try {
    proxy.silence()
    await expectLoss(lossesBefore)
    await server.run(`update tokens set revoked_at = now() from accounts
      where accounts.id = account_id and email = 'revoked@example.com'`)
    for (let round = 0; round < 5; round++) statuses.add(await statusOf(token))
  } finally {
    proxy.mend()
  }
  await until(async () => {
    statuses.add(await statusOf(token))
    return (await isListening()) && statuses.size > 1
  })
  expect([...statuses]).toEqual([503, 401])
})
