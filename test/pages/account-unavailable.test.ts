/** While the database is away, pages of the account area say so with 503 in time, and recover by themselves. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { interruptibleProxy } from "../contract/interruptible-proxy.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

let service: TestService
let proxy: Awaited<ReturnType<typeof interruptibleProxy>>
let person: SignedInVisitor

beforeAll(async () => {
  let to = { host: "127.0.0.1", port: 0 }
  proxy = await interruptibleProxy({
    get host() {
      return to.host
    },
    get port() {
      return to.port
    },
  })
  service = await testService({
    settings: { STATEMENT_TIMEOUT_SECONDS: "1" },
    reach: (databaseUrl) => {
      const url = new URL(databaseUrl)
      to = { host: url.hostname, port: Number(url.port) }
      url.host = `127.0.0.1:${proxy.port}`
      return url.href
    },
  })
  person = await signedInVisitor(service, "patient@example.com")
})

afterAll(async () => {
  proxy.mend()
  await service.stop()
  proxy.close()
})

const paths = ["/account", "/account/tokens", "/account/usage", "/account/audit"]

test.each(["cut", "silence"] as const)(
  "a database that is %s gives a page with a sentence, in time",
  async (how) => {
    proxy[how]()
    for (const path of paths) {
      const startedMs = performance.now()
      const response = await person.get(path)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
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
    await until(async () => (await person.get("/account/tokens")).status === 200)
    expect(textOf(await person.read("/account/tokens"))).toContain("0 tokens can be used")
  },
)

test("a table that another session has locked gives such a page too, and other pages go on", async () => {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const locking = service.sql.begin(async (tx) => {
    await tx`lock table recent_requests in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const response = await person.get("/account/usage")
  expect(response.status).toBe(503)
  expect((await person.get("/account/tokens")).status).toBe(200)
  released.resolve()
  await locking
  await until(async () => (await person.get("/account/usage")).status === 200)
})

test("a token that waits for a locked table is refused in time, and is not made later", async () => {
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const locking = service.sql.begin(async (tx) => {
    await tx`lock table access_changes in access exclusive mode`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const posted = await person.post("/account/tokens", { form: crypto.randomUUID(), name: "x" })
  expect(posted.status).toBe(503)
  expect(textOf(await posted.text())).toContain("Nothing was changed.")
  released.resolve()
  await locking
  expect(textOf(await person.read("/account/tokens"))).toContain("0 tokens can be used")
})

test("a connection that is lost during the commit is reported: the change may have been made", async () => {
  proxy.endIfSent("commit")
  const posted = await person.post("/account/tokens", { form: crypto.randomUUID(), name: "x" })
  expect([posted.status, textOf(await posted.text())]).toEqual([
    503,
    expect.stringContaining("Not known whether it was changed"),
  ])
  proxy.mend()
  await until(async () => (await person.get("/account/tokens")).status === 200)
  expect(textOf(await person.read("/account/tokens"))).toContain("0 tokens can be used")
})
