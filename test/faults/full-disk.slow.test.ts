/**
 * A load that fills the database's disk publishes nothing and reports the reason; callers are served, or get
 * 503 while PostgreSQL recovers; with room again a load succeeds.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { command } from "../support/process.ts"
import { redisIsInstalled } from "../support/redis.ts"
import { reportSkipped } from "../support/supervised.ts"
import { callersOf, report } from "./callers.ts"
import { type Deployment, deployment } from "./deployment.ts"
import { expectNothingLeft } from "./leftovers.ts"
import { smallDisk } from "./small-disk.ts"

setDefaultTimeout(120_000)

const disk = redisIsInstalled ? smallDisk(250) : null
if (!disk) reportSkipped(import.meta.path, "the right to mount a file system, or Redis")

const roomLeft = 12 * 2 ** 20
const rows = 60_000

describe.skipIf(disk === null)("On a full disk", () => {
  let deployed: Deployment
  let file: string

  beforeAll(async () => {
    deployed = await deployment({
      parent: disk?.path ?? "",
      settings: { max_wal_size: "64MB", wal_keep_size: "0" },
    })
    file = join(disk?.path ?? "", "reports.csv")
  })
  afterAll(async () => {
    await deployed.stop()
    disk?.remove()
  })

  const title = "Quarterly report ".repeat(12)
  const reportsFile = (count: number) =>
    Bun.write(
      file,
      `hash,asx_code,title,published_at\n${Array.from(
        { length: count },
        (_, row) => `full${row},BIG,${title}${row},2026-01-02T03:04:05Z\n`,
      ).join("")}`,
    )
  const load = () =>
    command(["load", "reports", "--partial", file], {
      ...deployed.settings,
      DATA_DIR: disk?.path ?? "",
    })

  test("A load fails with the reason, requests continue, and a load succeeds once there is space", async () => {
    await reportsFile(rows)
    const callers = await callersOf({ url: deployed.service.url, token: deployed.token })
    const observed = callers.observe()
    try {
      await disk?.fill(roomLeft)
      const failed = await load()
      expect(failed.exitCode).not.toBe(0)
      expect(failed.stderr).toMatch(
        /^Cannot run `mds load`: (the database's server lacks a resource, or cannot use its files|there is no connection to the database) \(.*No space left on device.*\); /m,
      )
    } finally {
      await disk?.clear()
    }
    const startedMs = performance.now()
    await callers.allServed()
    const recoveryMs = performance.now() - startedMs
    await callers.stop()
    report("Disk full", observed, recoveryMs)
    expect(recoveryMs).toBeLessThan(5_000)
    expect([...observed.violations]).toEqual([])
    expect(observed.slowestMs).toBeLessThan(2_000)
    const [before] = await deployed.database.run("select max(id)::int as id from releases")
    expect(before).toEqual({ id: 1 })

    await reportsFile(10)
    expect((await load()).exitCode).toBe(0)
    const [after] = await deployed.database.run("select max(id)::int as id from releases")
    expect(after).toEqual({ id: 2 })
    await expectNothingLeft(deployed)
  })
})
