/** The audit page tells in words what was changed, the newest first, page by page. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AuditEntry } from "../../src/access/audit.ts"
import { entryInWords } from "../../src/pages/account/audit-words.ts"
import { type TestService, testService } from "../support/service.ts"
import { textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

type Columns = Record<string, [unknown, unknown]>
const entry = (
  action: AuditEntry["action"],
  columns: Columns,
  tokenPrefix: string | null = null,
) => ({
  id: 1,
  at: "2026-01-02T03:04:05Z",
  tokenPrefix,
  action,
  columns,
  who: "jo",
  origin: "test",
})
const prefix = "mds_1a2b3c4d"
const at = "2026-01-02T03:04:05+00:00"

test.each([
  [
    entry("created", { email: [null, "a@b"], plan: [null, "standard"] }),
    "Account created a@b, on the standard plan",
  ],
  [
    entry("changed", { plan: ["standard", "enterprise"], request_limit: [null, 7] }),
    "Account plan changed from standard to enterprise, limit 7 requests per hour",
  ],
  [
    entry("changed", { plan: ["enterprise", "admin"], request_limit: [7, null] }),
    "Account plan changed from enterprise to admin",
  ],
  [entry("changed", { disabled_at: [null, at] }), "Account disabled"],
  [entry("changed", { disabled_at: [at, null] }), "Account enabled"],
  [entry("changed", { email: ["a@b", "c@d"] }), "Account address changed from a@b to c@d"],
  [
    entry(
      "created",
      { account_id: [null, 1], name: [null, "n"], for_spreadsheets: [null, false] },
      prefix,
    ),
    `Token ${prefix} created “n”`,
  ],
  [
    entry(
      "created",
      { name: [null, "n"], expires_at: [null, at], for_spreadsheets: [null, true] },
      prefix,
    ),
    `Token ${prefix} created “n”, expires 2026-01-02 03:04 UTC, for spreadsheets`,
  ],
  [entry("changed", { name: ["a", "b"] }, prefix), `Token ${prefix} renamed from “a” to “b”`],
  [
    entry("changed", { for_spreadsheets: [false, true] }, prefix),
    `Token ${prefix} marked for spreadsheets`,
  ],
  [
    entry("changed", { for_spreadsheets: [true, false] }, prefix),
    `Token ${prefix} no longer marked for spreadsheets`,
  ],
  [
    entry("changed", { expires_at: [null, at] }, prefix),
    `Token ${prefix} expires 2026-01-02 03:04 UTC`,
  ],
  [entry("changed", { expires_at: [at, null] }, prefix), `Token ${prefix} no longer expires`],
  [entry("changed", { revoked_at: [null, at] }, prefix), `Token ${prefix} revoked`],
  [entry("changed", { revoked_at: [at, null] }, prefix), `Token ${prefix} no longer revoked`],
  [entry("changed", { account_id: [1, 2] }, prefix), `Token ${prefix} moved to another account`],
  [
    entry("deleted", { name: ["n", null], for_spreadsheets: [false, null] }, prefix),
    `Token ${prefix} deleted “n”`,
  ],
  [entry("created", { password_set_at: [null, at] }), "Password set"],
  [entry("changed", { password_set_at: [at, at] }), "Password changed"],
  [
    entry("created", { signed_in_at: [null, at], method: [null, "link"] }),
    "Signed in by one-time link",
  ],
  [entry("deleted", { signed_in_at: [at, null], method: ["link", null] }), "Session ended"],
])("%j is told as: %s", (change, words) => {
  expect(entryInWords(change)).toBe(words)
})

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
    [...textOf(page).matchAll(/limit (\d+) requests/g)].map(([, limit]) => Number(limit))
  expect([...limits(first), ...limits(second)]).toEqual(
    Array.from({ length: 55 }, (_, n) => 55 - n),
  )
  const read = textOf(second)
  expect(read).toContain("Signed in by password audited@example.com 192.0.2.1")
  expect(read).toContain("Account created audited@example.com, on the standard plan database role")
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
