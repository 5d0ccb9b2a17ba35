/** While the database is away, pages that need it say so with 503 in time, and recover by themselves; others are there. */
import { expect, test } from "bun:test"
import { throughProxy } from "../../contract/interruptible-proxy.ts"
import { holdLock } from "../../support/held-locks.ts"
import { afterFile } from "../../support/of-file.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const origin = await serviceOfFile()
const proxy = await throughProxy(origin.database.url)
afterFile(proxy.close)
const service = await serviceOfFile({
  beside: origin,
  settings: { STATEMENT_TIMEOUT_SECONDS: "1" },
  reach: () => proxy.url,
})
afterFile(proxy.mend)
const person = await signedInVisitor(service, "patient@example.com")

const paths = ["/", "/account", "/account/tokens", "/account/usage", "/account/audit"]

test.each(["cut", "silence"] as const)(
  "While the database is %s, an error page is returned in time",
  async (how) => {
    proxy[how]()
    const startedMs = performance.now()
    const responses = await Promise.all(paths.map((path) => person.get(path)))
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    for (const response of responses) {
      expect([response.status, response.headers.get("content-type")]).toEqual([
        503,
        "text/html; charset=utf-8",
      ])
      expect(response.headers.get("retry-after")).toMatch(/^\d+$/)
      expect(textOf(await response.text())).toContain("The database can't be reached right now")
    }
    const posted = await person.post("/account/tokens", { form: crypto.randomUUID(), name: "x" })
    expect(posted.status).toBe(503)
    proxy.mend()
    // The overview keeps a failure for a second.
    service.clock.advance(1_000)
    await until(async () => (await person.get("/account/tokens")).status === 200)
    expect(textOf(await person.read("/account/tokens"))).toContain("0 active tokens")
  },
)

/** Runs `work` while no statement of the service on this table ends but by its timeout. */
async function whileLocked(table: string, work: () => Promise<void>): Promise<void> {
  await using _held = await holdLock(service.sql, `lock table ${table} in access exclusive mode`)
  await work()
}

test("While a table is locked, its pages are error pages, and other pages work", async () => {
  await whileLocked("recent_requests", async () => {
    expect((await person.get("/account/usage")).status).toBe(503)
    expect((await person.get("/account/tokens")).status).toBe(200)
  })
  await until(async () => (await person.get("/account/usage")).status === 200)
})

test("Creating a token on a locked table fails in time, and creates none later", async () => {
  await whileLocked("access_changes", async () => {
    const posted = await person.post("/account/tokens", { form: crypto.randomUUID(), name: "x" })
    expect(posted.status).toBe(503)
    expect(textOf(await posted.text())).toContain("Nothing was changed.")
  })
  expect(textOf(await person.read("/account/tokens"))).toContain("0 active tokens")
})

test("While sessions cannot be read, public pages are shown as to a signed-out person", async () => {
  expect(await person.read("/docs")).toContain("patient@example.com")
  await whileLocked("sessions", async () => {
    const shown = ["/", "/docs", "/docs/guide/whole-lists", "/docs/reference"].map(async (path) => {
      const page = await person.read(path)
      expect([path, page.includes("patient@example.com")]).toEqual([path, false])
    })
    const failed = ["/account", "/explore/tenements"].map(async (path) => {
      expect([path, (await person.get(path)).status]).toEqual([path, 503])
    })
    await Promise.all([...shown, ...failed])
  })
})

test("Texts are served without reading the session", async () => {
  const paths = ["/docs.md", "/llms.txt", "/docs/reference.md", "/docs/guide/whole-lists.md"]
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

test("A connection lost during the commit is reported as an unknown outcome", async () => {
  proxy.endIfSent("commit")
  const posted = await person.post("/account/tokens", { form: crypto.randomUUID(), name: "x" })
  expect([posted.status, textOf(await posted.text())]).toEqual([
    503,
    expect.stringContaining("Not known whether it was changed"),
  ])
  proxy.mend()
  await until(async () => (await person.get("/account/tokens")).status === 200)
  expect(textOf(await person.read("/account/tokens"))).toContain("0 active tokens")
})
