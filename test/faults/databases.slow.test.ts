/**
 * Whatever happens to PostgreSQL or Redis, callers get data as it was or a 503 within two seconds, the
 * service recovers within five seconds without a restart, limits hold, no record is read twice, and
 * nothing is left behind.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { redisIsInstalled, sayIfLeftOut } from "../support/redis.ts"
import { type Deployment, deployment } from "./deployment.ts"
import { endure } from "./fault.ts"
import { expectNothingLeft } from "./leftovers.ts"
import { limitedCaller } from "./limited-caller.ts"
import { pageReader } from "./page-reader.ts"
import { postgresFaults } from "./postgres-faults.ts"
import { redisFaults } from "./redis-faults.ts"

setDefaultTimeout(60_000)
sayIfLeftOut(import.meta.path)

/** Two seconds are promised, and measured by `bench/faults.ts`; a test shares the machine with others. */
const refusedWithinMs = 4_000
const recoveryMs = 5_000

describe.skipIf(!redisIsInstalled)("a service on PostgreSQL and Redis", () => {
  let deployed: Deployment
  let expectedIds: string[]

  beforeAll(async () => {
    deployed = await deployment()
    expectedIds = await pageReader(deployed).readToEnd()
  })
  afterAll(() => deployed.stop())

  test.each([...postgresFaults, ...redisFaults])("endures: $name", async (fault) => {
    const reader = pageReader(deployed)
    await reader.read()
    const limited = await limitedCaller(deployed)
    await limited.ask(10)

    const {
      statuses,
      slowestMs,
      recoveryMs: tookMs,
      violations,
    } = await endure(deployed, {
      ...fault,
      cause: async () => {
        await fault.cause(deployed)
        await Promise.all([reader.read(), limited.ask(10)])
      },
    })

    expect([...violations]).toEqual([])
    for (const status of fault.statuses) expect(statuses[status]).toBeGreaterThan(0)
    if (!fault.statuses.includes("503")) expect(statuses["503"]).toBeUndefined()
    expect(slowestMs).toBeLessThan(refusedWithinMs)
    expect(tookMs).toBeLessThan(recoveryMs)
    expect(await reader.readToEnd()).toEqual(expectedIds)
    expect(await limited.admittedInAll()).toBeLessThanOrEqual(limited.limit)
    await expectNothingLeft(deployed)
  })
})
