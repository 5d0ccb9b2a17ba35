/** The next request returns the newest release, although no request reads it from the database. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { changeAndConfirm } from "../../src/data/db/confirmed-change.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { command, type ServiceProcess, serviceProcess } from "../support/process.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { releaseOf } from "./bodies.ts"
import { throughProxy } from "./interruptible-proxy.ts"

const directory = directoryOfFile()

/** Inserts a release and returns when its transaction is committed, without waiting for anything else. */
async function insertRelease({ sql }: TestService): Promise<number> {
  const [row] = await sql`
    insert into releases (id, published_at, source, manifest)
    select max(id) + 1, max(published_at) + interval '1 second', 'test', '{}' from releases
    returning id`
  return row?.id
}

describe("A process that is notified", () => {
  let service: TestService

  beforeEach(async () => {
    service = await testService()
  })

  afterEach(() => service.stop())

  /** Changes the releases and returns when this is in effect, as a load does. */
  const changeReleases = (statement: string) =>
    changeAndConfirm(service.database.url, (client) => client.unsafe(statement))

  test("The service follows releases that are inserted, changed, deleted or truncated with SQL", async () => {
    const shown = async () => {
      const { headers } = await service.get("/companies")
      return [headers.get("x-data-release"), headers.get("last-modified")]
    }
    expect((await shown())[0]).toBe("1")
    await changeReleases("insert into releases values (7, '2026-01-07T00:00:00Z', 'test', '{}')")
    expect(await shown()).toEqual(["7", "Wed, 07 Jan 2026 00:00:00 GMT"])
    // Another release of the number, as after a restore.
    await changeReleases(
      "update releases set published_at = '2026-01-08T00:00:00Z', identity = gen_random_uuid() where id = 7",
    )
    expect(await shown()).toEqual(["7", "Thu, 08 Jan 2026 00:00:00 GMT"])
    await changeReleases("delete from releases where id = 7")
    expect((await shown())[0]).toBe("1")
    await changeReleases("truncate releases")
    expect((await shown())[0]).toBe("0")
  })

  test("A change without a notification takes effect within a second", async () => {
    expect(releaseOf(await service.get("/companies/BIG"))).toBe(1)
    await service.sql`alter table releases disable trigger all`
    await insertRelease(service)
    expect(releaseOf(await service.get("/companies/BIG"))).toBe(1)
    service.clock.advance(1_001)
    await until(async () => releaseOf(await service.get("/companies/BIG")) === 2)
  })
})

test("A release loaded at the command line is shown by every process from the next request on", async () => {
  await using service = await testService()
  const settings = { DATABASE_URL: service.database.url, DATA_DIR: directory }
  const processes: ServiceProcess[] = await Promise.all([
    serviceProcess(settings),
    serviceProcess(settings),
  ])
  const shown = () =>
    Promise.all(
      processes.map(async ({ get }) => releaseOf(await get("/reports", service.tokens.admin))),
    )
  expect(await shown()).toEqual([1, 1])
  const file = join(directory, "reports.csv")
  await Bun.write(file, "hash,asx_code,title,published_at\nloaded,BIG,T,2026-01-02T03:04:05Z\n")
  const loaded = await command(["load", "reports", file, "--partial", "--json"], settings)
  expect(JSON.parse(loaded.stdout)).toMatchObject({ release: 2, unconfirmed: 0 })
  expect(await shown()).toEqual([2, 2])
  for (const { stop } of processes) await stop()
})

test("A process that is not notified shows a release from the next request on, and none older after", async () => {
  await using origin = await testService()
  using proxy = await throughProxy(origin.database.url)
  await using service = await testService({ beside: origin, reach: () => proxy.url })
  const newest = async () => releaseOf(await service.get("/companies"))
  const losses = () => service.logLines.filter((line) => line.includes("do not arrive")).length
  const isListening = async () =>
    (await (await fetch(`${service.url}/metrics`)).text()).includes(
      "\nmds_notifications_listening 1\n",
    )
  expect([await newest(), await isListening()]).toEqual([1, true])
  for (let round = 1; round <= 2; round++) {
    proxy.endIfSent("mds notifications")
    await service.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'mds notifications'`
    await until(() => losses() === round)
    for (let release = 0; release < 5; release++) {
      const inserted = await insertRelease(service)
      expect(await newest()).toBe(inserted)
    }
    proxy.mend()
    // Published while it connects again, and maybe too early or too late for a notification.
    let inserted = 0
    let listening = false
    while (!listening) {
      listening = await isListening()
      inserted = await insertRelease(service)
      await until(async () => (await newest()) === inserted)
    }
    const { unconfirmed } = await changeAndConfirm(service.database.url, async () => {
      inserted = await insertRelease(service)
    })
    expect([unconfirmed, await newest()]).toEqual([0, inserted])
  }
})
