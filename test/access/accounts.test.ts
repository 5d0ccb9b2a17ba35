import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  AccountError,
  createAccount,
  issueToken,
  listAccounts,
  listTokens,
  revokeToken,
} from "../../src/access/accounts.ts"
import { createCredentials } from "../../src/access/credentials.ts"
import { createPool, type Pool } from "../../src/db/pool.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool(database.url, {
    name: "test",
    connections: 2,
    queueLength: 100,
    statementTimeoutMs: 10_000,
  })
})

afterAll(async () => {
  await pool.close()
  await database.drop()
})

const now = new Date("2026-03-01T00:00:00Z")
const token = (email: string, name = "test", expiresAt: Date | null = null) =>
  issueToken(pool, { email, name, expiresAt })

test("accounts are listed by address, with their plan and how many tokens are in use", async () => {
  await createAccount(pool, { email: "Zoe@example.com", plan: "enterprise", requestLimit: 20_000 })
  await createAccount(pool, { email: "amy@example.com", plan: "admin", requestLimit: null })
  const revoked = await token("zoe@EXAMPLE.com")
  await token("zoe@example.com")
  await revokeToken(pool, revoked)
  const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(await listAccounts(pool)).toEqual([
    { email: "amy@example.com", plan: "admin", requestLimit: null, createdAt, tokens: 0 },
    { email: "Zoe@example.com", plan: "enterprise", requestLimit: 20_000, createdAt, tokens: 1 },
  ])
})

test("an address has one account, whatever its case", async () => {
  await createAccount(pool, { email: "one@example.com", plan: "standard", requestLimit: null })
  const again = createAccount(pool, { email: "ONE@example.com", plan: "admin", requestLimit: null })
  await expect(again).rejects.toThrow("There is an account ONE@example.com already")
})

test.each([
  [{ email: "nobody", plan: "standard", requestLimit: null }, "nobody is no email address"],
  [{ email: "a b@c", plan: "standard", requestLimit: null }, "a b@c is no email address"],
  [{ email: "a@b", plan: "enterprise", requestLimit: null }, "The enterprise plan needs a limit"],
  [{ email: "a@b", plan: "standard", requestLimit: 5 }, "The limit of the standard plan is fixed"],
  [{ email: "a@b", plan: "admin", requestLimit: 5 }, "The limit of the admin plan is fixed"],
] as const)("%j is refused: %s", async (account, message) => {
  const refused = createAccount(pool, account)
  await expect(refused).rejects.toThrow(message)
  await expect(refused).rejects.toBeInstanceOf(AccountError)
})

test("a token makes its account where it is missing, on the standard plan", async () => {
  await token("new@example.com")
  const made = (await listAccounts(pool)).find(({ email }) => email === "new@example.com")
  expect(made).toMatchObject({ plan: "standard", requestLimit: null, tokens: 1 })
  await expect(token("new@example.com", " ")).rejects.toThrow("A token needs a name")
  await expect(token("new")).rejects.toThrow("new is no email address")
})

test("nothing that is kept of a token is enough to use it", async () => {
  const secret = await token("kept@example.com", "spreadsheet")
  expect(secret).toMatch(/^mds_[0-9A-Za-z]{49}$/)
  const rows = await pool.run(() =>
    pool.db.execute("select row_to_json(t)::text as row from tokens t"),
  )
  expect(JSON.stringify(rows)).not.toContain(secret.slice(12))
  expect(await listTokens(pool, "KEPT@example.com")).toEqual([
    {
      prefix: secret.slice(0, 12),
      name: "spreadsheet",
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    },
  ])
  await expect(listTokens(pool, "nobody@example.com")).rejects.toThrow("There is no account")
})

test("a token is revoked by how it begins, or whole, and only once", async () => {
  const [first, second] = [await token("r@example.com", "first"), await token("r@example.com")]
  expect(await revokeToken(pool, first.slice(0, 10))).toEqual({
    name: "first",
    prefix: first.slice(0, 12),
  })
  await expect(revokeToken(pool, first)).rejects.toThrow("That token is revoked already")
  await expect(revokeToken(pool, second.slice(0, 20))).rejects.toThrow("No token begins like that")
  await revokeToken(pool, second)
  for (const start of ["", "mds_", "abc", "mds_%", "mds_' or 1=1"]) {
    await expect(revokeToken(pool, start)).rejects.toThrow("A token is named by how it begins")
  }
  await expect(revokeToken(pool, "mds_0000000000000")).rejects.toThrow("No token begins like that")
})

test("where several tokens begin alike, revoking asks for more", async () => {
  const tokens = [await token("s@example.com", "one"), await token("s@example.com", "two")]
  await pool.run(() =>
    pool.db.execute(
      `update tokens set prefix = 'mds_SAMESAME' where name in ('one', 'two') and prefix in ('${tokens
        .map((each) => each.slice(0, 12))
        .join("', '")}')`,
    ),
  )
  const refused = revokeToken(pool, "mds_SAME")
  await expect(refused).rejects.toThrow(
    /More than one token .*one, s@example.com.*two, s@example.com/,
  )
})

test("a caller is known by a token that is neither revoked nor expired", async () => {
  const credentials = createCredentials(pool, pool)
  const [lasting, brief, revoked] = [
    await token("zoe@example.com"),
    await token("zoe@example.com", "brief", new Date(now.getTime() + 1000)),
    await token("zoe@example.com"),
  ]
  expect(await credentials.callerOf(lasting, now)).toMatchObject({ limit: 20_000 })
  expect(await credentials.callerOf(brief, now)).not.toBeNull()
  expect(await credentials.callerOf(brief, new Date(now.getTime() + 1000))).toBeNull()
  await revokeToken(pool, revoked)
  expect(await credentials.callerOf(revoked, now)).toBeNull()
  expect(await credentials.callerOf("nonsense", now)).toBeNull()
})

test("a token's last use is written at most once a minute, by however many processes", async () => {
  const processes = [createCredentials(pool, pool), createCredentials(pool, pool)]
  const secret = await token("used@example.com")
  const caller = await processes[0]?.callerOf(secret, now)
  const lastUsed = async () => (await listTokens(pool, "used@example.com"))[0]?.lastUsedAt
  for (const [seconds, written] of [
    [0, "2026-03-01T00:00:00Z"],
    [59, "2026-03-01T00:00:00Z"],
    [61, "2026-03-01T00:01:01Z"],
  ] as const) {
    const at = new Date(now.getTime() + seconds * 1000)
    for (const { noteUse } of processes) await noteUse(caller?.tokenId ?? 0, at)
    expect(await lastUsed()).toBe(written)
  }
})
