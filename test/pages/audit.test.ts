/** The audit page shows what was changed, the newest first, page by page. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

test("changes are shown by person, by address and by page", async () => {
  const person = await signedInVisitor(service, "audited@example.com")
  for (let n = 0; n < 55; n++) {
    await service.sql`update accounts set plan = 'enterprise', request_limit = ${n + 1}
      where id = ${person.accountId}`
  }
  const first = await person.read("/account/audit")
  const [, older = ""] = /href="(\/account\/audit\?before=\d+)"/.exec(first) ?? []
  const second = await person.read(older)
  const limits = (page: string) =>
    [...textOf(page).matchAll(/request_limit \S+ -> (\d+)/g)].map(([, limit]) => Number(limit))
  expect([...limits(first), ...limits(second)]).toEqual(
    Array.from({ length: 55 }, (_, n) => 55 - n),
  )
  const read = textOf(second)
  expect(read).toMatch(/session created .*method password.* audited@example\.com 192\.0\.2\.1/)
  expect(read).toMatch(/account created plan standard, email audited@example\.com database role/)
  expect(second).not.toContain("Older")
  for (const before of ["x", "-1", "1e3", ""]) {
    expect((await person.get(`/account/audit?before=${before}`)).status).toBe(404)
  }
})

test("a name in the log that has script in it is shown as text", async () => {
  const person = await signedInVisitor(service, "scripted@example.com")
  await service.sql.begin(async (tx) => {
    await tx`select set_config('mds.who', '<script>x</script>', true)`
    await tx`update accounts set plan = 'admin' where id = ${person.accountId}`
  })
  const page = await person.read("/account/audit")
  expect(page).toContain("&lt;script&gt;x&lt;/script&gt;")
  expect(page).not.toContain("<script>x")
})
