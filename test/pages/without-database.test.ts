/** Pages that show nothing of the database are there without it, also for those who have signed in. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

let service: TestService
let person: SignedInVisitor

beforeAll(async () => {
  service = await testService({ settings: { STATEMENT_TIMEOUT_SECONDS: "1" } })
  person = await signedInVisitor(service, "admin@example.com")
})
afterAll(() => service.stop())

/** Runs `work` while no statement of the service on this table ends but by its timeout. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const locking = service.sql.begin(async (tx) => {
    await tx`lock table ${tx(table)} in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  try {
    await work()
  } finally {
    released.resolve()
    await locking
  }
}

test("public pages are shown as to anybody while sessions can't be read", async () => {
  expect(await person.read("/docs")).toContain("admin@example.com")
  await whileLocked("sessions", async () => {
    for (const path of ["/", "/docs", "/docs/guide/paging", "/docs/reference"]) {
      const page = await person.read(path)
      expect([path, page.includes("admin@example.com")]).toEqual([path, false])
    }
    for (const path of ["/account", "/explore/tenements"]) {
      expect([path, (await person.get(path)).status]).toEqual([path, 503])
    }
  })
})

test("texts don't ask for the session at all", async () => {
  const paths = ["/docs.md", "/llms.txt", "/docs/reference.md", "/docs/guide/paging.md"]
  const active = async () => {
    const [found] = await service.sql<{ count: number }[]>`
      select count(*)::int from pg_stat_activity
      where application_name = 'mds accounts' and state = 'active' and query like 'select%"sessions"%'`
    return found?.count
  }
  await until(async () => (await active()) === 0)
  await whileLocked("sessions", async () => {
    const failed = service.logLines.filter((line) => line.includes("request failed")).length
    for (const path of paths) await person.read(path)
    expect(service.logLines.filter((line) => line.includes("request failed"))).toHaveLength(failed)
    expect(await active()).toBe(0)
  })
})
