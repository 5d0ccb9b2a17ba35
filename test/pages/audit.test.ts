/** The audit page tells in words what was changed, the newest first, page by page. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AuditEntry } from "../../src/access/audit.ts"
import { entryInWords } from "../../src/pages/account/audit.ts"
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
    entry("created", { email: [null, "a@b"], plan: [null, "standard"], disabled_at: [null, null] }),
    "Account created: email a@b, plan standard",
  ],
  [
    entry("changed", { plan: ["standard", "enterprise"], request_limit: [null, 7] }),
    "Account changed: plan standard → enterprise, limit per hour no → 7",
  ],
  [
    entry("changed", { disabled_at: [null, at] }),
    "Account changed: disabled no → 2026-01-02 03:04 UTC",
  ],
  [
    entry(
      "created",
      { account_id: [null, 1], name: [null, "n"], for_spreadsheets: [null, false] },
      prefix,
    ),
    `Token ${prefix} created: name n`,
  ],
  [
    entry("created", { expires_at: [null, at], for_spreadsheets: [null, true] }, prefix),
    `Token ${prefix} created: expiry 2026-01-02 03:04 UTC, for spreadsheets yes`,
  ],
  [entry("changed", { name: ["a", "b"] }, prefix), `Token ${prefix} changed: name a → b`],
  [
    entry("changed", { revoked_at: [null, at] }, prefix),
    `Token ${prefix} changed: revoked no → 2026-01-02 03:04 UTC`,
  ],
  [entry("deleted", { name: ["n", null] }, prefix), `Token ${prefix} deleted: name n`],
  [entry("created", { password_set_at: [null, at] }), "Password created"],
  [
    entry("deleted", { signed_in_at: [at, null], method: ["link", null] }),
    "Session deleted: by link",
  ],
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
    [...textOf(page).matchAll(/limit per hour \S+ → (\d+)/g)].map(([, limit]) => Number(limit))
  expect([...limits(first), ...limits(second)]).toEqual(
    Array.from({ length: 55 }, (_, n) => 55 - n),
  )
  const read = textOf(second)
  expect(read).toMatch(/Session created: by password audited@example\.com 192\.0\.2\.1/)
  expect(read).toMatch(/Account created: plan standard, email audited@example\.com database role/)
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
