/** A session is found by its cookie alone, and ends when its owner, its account or time ends it. */
import { afterAll, expect, test } from "bun:test"
import { setDisabled } from "../../src/access/accounts.ts"
import { hashSecret } from "../../src/access/secret.ts"
import { createSessions } from "../../src/access/sessions.ts"
import { until } from "../support/until.ts"
import { registry } from "./registry.ts"

const failures: unknown[] = []
const at = await registry()
const sessions = createSessions({
  pool: at.pool,
  onUseNotRecorded: (error) => failures.push(error),
})

afterAll(() => expect(failures).toEqual([]))

const now = new Date("2026-03-01T00:00:00Z")
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const client = { address: "192.0.2.1", userAgent: "Mozilla/5.0 (a test)" }
const later = (ms: number) => new Date(now.getTime() + ms)
/** As lists show a time. */
const textOf = (at: Date) => at.toISOString().replace(".000Z", "Z")

async function newAccount(): Promise<{ id: number; email: string }> {
  const email = `${crypto.randomUUID()}@example.com`
  return { id: await at.account(email), email }
}

async function begun(accountId: number, when = now): Promise<string> {
  return String(await sessions.start(accountId, client, when))
}

test("a session is found by its cookie, and by nothing that is like it", async () => {
  const { id, email } = await newAccount()
  const cookie = await begun(id)
  expect(cookie).toMatch(/^[\w-]{43}$/)
  expect(await sessions.find(cookie, now)).toEqual({
    sessionId: hashSecret(cookie),
    accountId: id,
    email,
    plan: "standard",
    limit: 1000,
    signedInAt: now,
    method: "password",
  })
  const swapped = cookie.endsWith("A") ? "B" : "A"
  for (const wrong of [
    "",
    "x".repeat(100_000),
    hashSecret(cookie),
    `${cookie.slice(0, -1)}${swapped}`,
    `${cookie} `,
    cookie.toUpperCase(),
    "\0".repeat(43),
  ]) {
    expect([wrong.slice(0, 80), await sessions.find(wrong, now)]).toEqual([
      wrong.slice(0, 80),
      null,
    ])
  }
})

test("a session ends 30 days after it began, however much it is used", async () => {
  const { id } = await newAccount()
  const cookie = await begun(id)
  for (let day = 6; day < 30; day += 6) {
    expect(await sessions.find(cookie, later(day * dayMs))).not.toBeNull()
    await until(async () => {
      const [session] = await sessions.list(id, later(day * dayMs))
      return session?.lastSeenAt === textOf(later(day * dayMs))
    })
  }
  expect(await sessions.find(cookie, later(30 * dayMs - 1))).not.toBeNull()
  expect(await sessions.find(cookie, later(30 * dayMs))).toBeNull()
  expect(await sessions.list(id, later(30 * dayMs))).toEqual([])
})

test("when a session was last seen is written once a minute at most", async () => {
  const { id } = await newAccount()
  const cookie = await begun(id)
  const [before] = await at.sql(`select xmin::text from sessions where account_id = ${id}`)
  for (let second = 0; second < 60; second += 10) {
    expect(await sessions.find(cookie, later(second * 1000))).not.toBeNull()
  }
  const [after] = await at.sql(`select xmin::text from sessions where account_id = ${id}`)
  expect(after).toEqual(before as Record<string, unknown>)
  expect(await sessions.find(cookie, later(minuteMs))).not.toBeNull()
  await until(async () => {
    const [row] = await sessions.list(id, now)
    return row?.lastSeenAt === textOf(later(minuteMs))
  })
})

test("a session does not begin for an account that is disabled or missing, and text that is no session ends none", async () => {
  const { id, email } = await newAccount()
  const cookie = await begun(id)
  await setDisabled(at.editor, email, true)
  expect(await sessions.find(cookie, now)).toBeNull()
  expect(await sessions.start(id, client, now)).toBeNull()
  expect(await sessions.start(999_999_999, client, now)).toBeNull()
  for (const wrong of ["", "\0", "x".repeat(100_000)]) await sessions.end(id, wrong)
})

test("a new session replaces the one before, which each account's audit shows as its owner's doing", async () => {
  const [mine, theirs] = [await newAccount(), await newAccount()]
  const before = await begun(theirs.id)
  const replaces = { accountId: theirs.id, sessionId: hashSecret(before) }
  const cookie = await sessions.start(mine.id, client, now, replaces)
  expect(await sessions.find(String(cookie), now)).toMatchObject({ email: mine.email })
  expect(await sessions.find(before, now)).toBeNull()
  for (const [{ id, email }, action] of [
    [mine, "created"],
    [theirs, "deleted"],
  ] as const) {
    const [entry] = await at.sql(
      `select action, who from access_changes where account_id = ${id} order by id desc limit 1`,
    )
    expect(entry).toEqual({ action, who: email })
  }
})

test("a list tells sessions apart, the last one used first", async () => {
  const { id } = await newAccount()
  const older = await begun(id)
  const newer = await sessions.start(
    id,
    { address: "2001:db8:0:1::/64", userAgent: "x".repeat(5000) },
    later(minuteMs),
  )
  expect(await sessions.list(id, later(minuteMs))).toEqual([
    {
      id: hashSecret(String(newer)),
      method: "password",
      address: "2001:db8:0:1::/64",
      userAgent: "x".repeat(300),
      signedInAt: textOf(later(minuteMs)),
      lastSeenAt: textOf(later(minuteMs)),
    },
    {
      id: hashSecret(older),
      method: "password",
      ...client,
      signedInAt: textOf(now),
      lastSeenAt: textOf(now),
    },
  ])
})

test("the audit names the account, the method and the address of each sign-in and sign-out", async () => {
  const { id, email } = await newAccount()
  const cookie = await begun(id)
  await sessions.end(id, hashSecret(cookie), "192.0.2.2")
  const entries = await at.sql(
    `select action, columns, who, origin from access_changes
     where account_id = ${id} and columns ? 'signed_in_at' order by id`,
  )
  const signedInAt = "2026-03-01T00:00:00+00:00"
  expect([...entries] as unknown[]).toEqual([
    {
      action: "created",
      columns: { signed_in_at: [null, signedInAt], method: [null, "password"] },
      who: email,
      origin: "192.0.2.1",
    },
    {
      action: "deleted",
      columns: { signed_in_at: [signedInAt, null], method: ["password", null] },
      who: email,
      origin: "192.0.2.2",
    },
  ])
})
