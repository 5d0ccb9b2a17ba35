/** Admins find accounts, see their use, and change them, but can't lock themselves out. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { createAccount, showAccount } from "../../src/access/accounts.ts"
import {
  findAccount,
  searchAccounts,
  setDisabledAsAdmin,
  setPlanAsAdmin,
} from "../../src/access/admin.ts"
import { readAudit } from "../../src/access/audit.ts"
import type { Plan } from "../../src/db/account-tables.ts"
import { type Registry, refusal, registry } from "./registry.ts"

let at: Registry

beforeAll(async () => {
  at = await registry()
})

afterAll(() => at.stop())

const now = new Date("2026-03-01T12:00:00Z")

async function account(email: string, plan: Plan = "standard"): Promise<number> {
  const requestLimit = plan === "enterprise" ? 5 : null
  await createAccount(at.editor, { email, plan, requestLimit })
  const [row] = await at.sql(`select id::int from accounts where email = '${email}'`)
  return row?.id as number
}

const search = async (text: string) => {
  const pages: string[][] = []
  let after = ""
  for (;;) {
    const { accounts, next, total } = await searchAccounts(at.pool, { search: text, after, now })
    pages.push(accounts.map(({ email }) => email))
    if (next === null) return { pages, total }
    after = next
  }
}

test("accounts are found by any part of their email address, page by page", async () => {
  const emails = Array.from(
    { length: 120 },
    (_, n) => `u${String(n).padStart(3, "0")}@Paged.example`,
  )
  for (const email of emails.toReversed()) await account(email)
  const { pages, total } = await search("@pAGED.ex")
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 20])
  expect(pages.flat()).toEqual(emails)
  expect(total).toBe(120)
  expect(await search("u00")).toMatchObject({ pages: [emails.slice(0, 10)], total: 10 })
  for (const none of ["nobody", "%", "_aged.", "\\", "'; drop table accounts --", "a\0"]) {
    expect(await search(none)).toEqual({ pages: [[]], total: 0 })
  }
})

test("an account shows its plan, its valid tokens, and its requests of the last day and 30 days", async () => {
  const id = await account("figures@example.com", "enterprise")
  await at.issue("figures@example.com")
  await at.issue("figures@example.com", "old", new Date("2026-02-01T00:00:00Z"))
  await at.sql(`update tokens set created_at = '2026-01-01' where account_id = ${id}`)
  await at.sql(`insert into usage_hours (account_id, hour, requests) values
    (${id}, '2026-03-01 12:00Z', 3), (${id}, '2026-02-28 13:00Z', 4), (${id}, '2026-02-28 12:00Z', 90)`)
  await at.sql(`insert into usage_days (account_id, token_id, day, requests) values
    (${id}, 1, '2026-03-01', 3), (${id}, 2, '2026-01-31', 10), (${id}, 1, '2026-01-30', 900)`)
  const expected = {
    id,
    email: "figures@example.com",
    plan: "enterprise",
    requestLimit: 5,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    disabledAt: null,
    validTokens: 1,
    requestsOfLastDay: 7,
    requestsOfLast30Days: 13,
  } as const
  expect(await findAccount(at.pool, id, now)).toEqual(expected)
  const { accounts } = await searchAccounts(at.pool, { search: "figures@", after: "", now })
  expect(accounts).toEqual([expected])
  expect(await findAccount(at.pool, 999_999_999, now)).toBeUndefined()
})

test("an admin changes plans and disables accounts, with the rules of the commands", async () => {
  const adminId = await account("admin1@example.com", "admin")
  const email = "changed@example.com"
  const by = { adminId, accountId: await account(email) }
  await setPlanAsAdmin(at.editor, { ...by, plan: "enterprise", requestLimit: 70 })
  await setDisabledAsAdmin(at.editor, { ...by, disabled: true })
  expect(await showAccount(at.pool, email)).toMatchObject({
    plan: "enterprise",
    requestLimit: 70,
    disabledAt: expect.any(String),
  })
  const again = setDisabledAsAdmin(at.editor, { ...by, disabled: true })
  expect(await refusal(again)).toBe(`Account ${email} is already disabled`)
  await setDisabledAsAdmin(at.editor, { ...by, disabled: false })
  const noLimit = setPlanAsAdmin(at.editor, { ...by, plan: "enterprise", requestLimit: null })
  expect(await refusal(noLimit)).toBe("The enterprise plan requires a limit")
  const unknown = setDisabledAsAdmin(at.editor, { adminId, accountId: 999_999_999, disabled: true })
  expect(await refusal(unknown)).toBe("Account 999999999 does not exist")
})

test("an admin can neither disable nor demote itself, but may keep its plan", async () => {
  const adminId = await account("self@example.com", "admin")
  const by = { adminId, accountId: adminId }
  expect(await refusal(setDisabledAsAdmin(at.editor, { ...by, disabled: true }))).toBe(
    "You can't disable your own account. Ask another admin to do it",
  )
  const demoted = setPlanAsAdmin(at.editor, { ...by, plan: "standard", requestLimit: null })
  expect(await refusal(demoted)).toBe(
    "You can't take the admin plan from your own account. Ask another admin to do it",
  )
  await setPlanAsAdmin(at.editor, { ...by, plan: "admin", requestLimit: null })
})

test("an account that is not, or no longer, an enabled admin changes nothing", async () => {
  const target = await account("target@example.com")
  const former = await account("former@example.com", "admin")
  const disabled = await account("disabled-admin@example.com", "admin")
  await at.sql(`update accounts set plan = 'standard' where id = ${former}`)
  await at.sql(`update accounts set disabled_at = now() where id = ${disabled}`)
  for (const adminId of [target, former, disabled, 999_999_999]) {
    const by = { adminId, accountId: target }
    for (const change of [
      () => setDisabledAsAdmin(at.editor, { ...by, disabled: true }),
      () => setPlanAsAdmin(at.editor, { ...by, plan: "admin", requestLimit: null }),
    ]) {
      expect(await refusal(change())).toBe("Only admins can change accounts")
    }
  }
  expect(await findAccount(at.pool, target, now)).toMatchObject({
    plan: "standard",
    disabledAt: null,
  })
})

test("the audit log is read page by page, the newest first, and of one account alone", async () => {
  const id = await account("log@example.com")
  const other = await account("other-log@example.com")
  for (let n = 0; n < 60; n++) {
    await at.sql(`update accounts set plan = 'enterprise', request_limit = ${n + 1}
      where id in (${id}, ${other})`)
  }
  const first = await readAudit(at.pool, id, null)
  const second = await readAudit(at.pool, id, first.next)
  expect([first.entries.length, second.entries.length, second.next]).toEqual([50, 11, null])
  const limits = [...first.entries, ...second.entries].map(
    ({ columns }) => columns.request_limit?.[1],
  )
  expect(limits).toEqual([...Array.from({ length: 60 }, (_, n) => 60 - n), undefined])
  expect(second.entries.at(-1)).toMatchObject({ action: "created", who: "jo", origin: "a test" })
})
