/** Tokens are issued, rotated and revoked as the commands ask, and none can be recovered from what is stored. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { listAccounts, listTokens } from "../../src/access/accounts.ts"
import { createCredentials } from "../../src/access/credentials.ts"
import { issueToken, revokeToken, rotateToken } from "../../src/access/tokens.ts"
import { cacheSizes } from "../../src/db/cache.ts"
import { type Registry, refusal, registry } from "./registry.ts"

let at: Registry

beforeAll(async () => {
  at = await registry()
})

afterAll(() => at.stop())

const now = new Date("2026-03-01T00:00:00Z")
const hourMs = 3_600_000
const dayMs = 24 * hourMs

const isAccepted = async (token: string, when = now) =>
  (await createCredentials({ records: at.pool, accounts: at.pool }, cacheSizes(1_000_000)).callerOf(
    token,
    when,
  )) !== null

test("issuing a token creates its account where it does not exist, on the standard plan", async () => {
  await at.issue("new@example.com")
  const made = (await listAccounts(at.pool)).find(({ email }) => email === "new@example.com")
  expect(made).toMatchObject({ plan: "standard", requestLimit: null, tokens: 1 })
})

test("a token that can't be issued leaves no account behind", async () => {
  const token = { email: "none@example.com", name: " ", expiresAt: null }
  expect(await refusal(issueToken(at.editor, token))).toBe("A token requires a name")
  const malformed = issueToken(at.editor, { ...token, email: "none", name: "x" })
  expect(await refusal(malformed)).toBe("Not a valid email address: none")
  expect(await refusal(listTokens(at.pool, "none@example.com"))).toBe(
    "Account none@example.com does not exist",
  )
})

test("nothing that is stored of a token suffices to use it", async () => {
  const secret = await at.issue("kept@example.com", "spreadsheet")
  expect(secret).toMatch(/^mds_[0-9A-Za-z]{49}$/)
  for (const table of ["tokens", "access_changes"]) {
    const rows = await at.sql(`select row_to_json(t)::text as row from ${table} t`)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(secret.slice(12, 24))
  }
  expect(await listTokens(at.pool, "KEPT@example.com")).toEqual([
    {
      prefix: secret.slice(0, 12),
      name: "spreadsheet",
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      id: expect.any(Number),
      forSpreadsheets: false,
      replacedAt: null,
      isValid: true,
    },
  ])
})

test("a token is revoked by its prefix or its whole text, and only once", async () => {
  const [first, second] = [
    await at.issue("r@example.com", "first"),
    await at.issue("r@example.com"),
  ]
  expect(await revokeToken(at.editor, first.slice(0, 10))).toEqual({
    value: { name: "first", prefix: first.slice(0, 12) },
    unconfirmed: 0,
  })
  expect(await refusal(revokeToken(at.editor, first))).toBe("The token is already revoked")
  const mistaken = revokeToken(at.editor, second.slice(0, 20))
  expect(await refusal(mistaken)).toBe("No token has this prefix")
  await revokeToken(at.editor, second)
  for (const start of ["", "mds_", "abc", "mds_%", "mds_' or 1=1"]) {
    expect(await refusal(revokeToken(at.editor, start))).toStartWith(
      "A token is identified by its prefix",
    )
  }
  const unknown = revokeToken(at.editor, "mds_0000000000000")
  expect(await refusal(unknown)).toBe("No token has this prefix")
})

test("where several tokens have the prefix, more of it is asked for, and the whole token suffices", async () => {
  const [one, two] = [
    await at.issue("s@example.com", "one"),
    await at.issue("s@example.com", "two"),
  ]
  const shared = "mds_SAMESAME"
  await at.sql(`update tokens set prefix = '${shared}' where name in ('one', 'two')`)
  for (const change of [
    () => revokeToken(at.editor, "mds_SAME"),
    () => rotateToken(at.editor, { prefix: shared, graceMs: 0, now }),
  ]) {
    expect(await refusal(change())).toMatch(
      /Several tokens .*one, s@example.com.*two, s@example.com/,
    )
  }
  expect([await isAccepted(one), await isAccepted(two)]).toEqual([true, true])
})

test("a rotated token stays valid beside its successor for the grace period", async () => {
  const old = await at.issue("rotate@example.com", "nightly")
  const { value } = await rotateToken(at.editor, { prefix: old.slice(0, 12), graceMs: dayMs, now })
  const until = new Date(now.getTime() + dayMs)
  expect(value).toEqual({
    token: expect.stringMatching(/^mds_[0-9A-Za-z]{49}$/),
    name: "nightly",
    prefix: old.slice(0, 12),
    until,
  })
  const justBefore = new Date(until.getTime() - 1)
  expect([await isAccepted(old, justBefore), await isAccepted(value.token, justBefore)]).toEqual([
    true,
    true,
  ])
  expect([await isAccepted(old, until), await isAccepted(value.token, until)]).toEqual([
    false,
    true,
  ])
  const tokens = await listTokens(at.pool, "rotate@example.com")
  expect(tokens.map(({ name, expiresAt }) => [name, expiresAt])).toEqual([
    ["nightly", "2026-03-02T00:00:00Z"],
    ["nightly", null],
  ])
})

test("without a grace period the old token is revoked at once", async () => {
  const old = await at.issue("atonce@example.com")
  const { value } = await rotateToken(at.editor, { prefix: old, graceMs: 0, now })
  expect(value.until).toBeNull()
  expect([await isAccepted(old), await isAccepted(value.token)]).toEqual([false, true])
  const again = rotateToken(at.editor, { prefix: old, graceMs: 0, now })
  expect(await refusal(again)).toBe("The token is already revoked")
})

test("the successor has the lifetime of the old token, which the grace period never prolongs", async () => {
  // By a clock that is years from that of the database.
  const created = new Date("2020-01-01T00:00:00.600Z")
  const expiresAt = new Date(created.getTime() + 10 * dayMs)
  const brief = { email: "brief@example.com", name: "brief", now: created, expiresAt }
  const { value: old } = await issueToken(at.editor, brief)
  const at9 = new Date(created.getTime() + 9.5 * dayMs)
  const { value } = await rotateToken(at.editor, { prefix: old, graceMs: dayMs, now: at9 })
  const until = value.until?.getTime() ?? 0
  expect(Math.abs(until - (created.getTime() + 10 * dayMs))).toBeLessThanOrEqual(1_000)
  const [, successor] = await listTokens(at.pool, "brief@example.com")
  const lifeMs = Date.parse(successor?.expiresAt ?? "") - at9.getTime()
  // The column holds whole seconds.
  expect(Math.abs(lifeMs - 10 * dayMs)).toBeLessThan(1_000)
})

test("a token in its grace period can't be rotated again: its successor can", async () => {
  const expiresAt = new Date(now.getTime() + 90 * dayMs)
  const again = { email: "again@example.com", name: "again", now, expiresAt }
  const { value: old } = await issueToken(at.editor, again)
  const rotate = (token: string) => rotateToken(at.editor, { prefix: token, graceMs: dayMs, now })
  const { value: second } = await rotate(old)
  expect(await refusal(rotate(old))).toBe("The token was replaced already: rotate its successor")
  await rotate(second.token)
  const ends = (await listTokens(at.pool, "again@example.com")).map(({ expiresAt }) => expiresAt)
  expect(ends).toEqual(["2026-03-02T00:00:00Z", "2026-03-02T00:00:00Z", "2026-05-30T00:00:00Z"])
})

test("an expired token can't be rotated", async () => {
  const old = await at.issue("late@example.com", "late", new Date(now.getTime() + 1_000))
  const late = { prefix: old, graceMs: dayMs, now: new Date(now.getTime() + 1_000) }
  expect(await refusal(rotateToken(at.editor, late))).toBe("The token has expired")
  expect(await listTokens(at.pool, "late@example.com")).toHaveLength(1)
})
