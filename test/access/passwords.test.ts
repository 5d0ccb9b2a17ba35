/** A password signs in to its account alone, and an attempt tells nothing about which accounts exist. */
import { expect, spyOn, test } from "bun:test"
import { setDisabled } from "../../src/access/accounts.ts"
import {
  createPasswordHashing,
  HashingBusy,
  type PasswordHashingOptions,
} from "../../src/access/password-hash.ts"
import { passwordFault } from "../../src/access/password-rules.ts"
import { createPasswords } from "../../src/access/passwords.ts"
import { hashSecret } from "../../src/access/secret.ts"
import { createSessions } from "../../src/access/sessions.ts"
import { createSignInLinks } from "../../src/access/sign-in-links.ts"
import { registry } from "./registry.ts"

const malformed: unknown[] = []
const unexpected = (error: unknown) => expect(error).toBeUndefined()
/** As little as argon2id can: a millisecond. */
const cost = { memoryCost: 8, timeCost: 1 }

const at = await registry()
const sessions = createSessions({ pool: at.pool, onUseNotRecorded: unexpected })
const hashing = createPasswordHashing({
  onMalformedHash: (error) => malformed.push(error),
  cost,
})
const passwords = createPasswords({ pool: at.pool, hashing })

const now = new Date("2026-03-01T00:00:00Z")
const client = { address: "192.0.2.1", userAgent: "a test" }
const password = "correct horse battery staple"

const attempt = (typed: string) => ({ password: typed, address: client.address })

async function newAccount() {
  const email = `${crypto.randomUUID()}@Example.com`
  const accountId = await at.account(email)
  const cookie = String(await sessions.start(accountId, client, now))
  return { email, accountId, cookie, sessionId: hashSecret(cookie) }
}

async function withPassword() {
  const account = await newAccount()
  expect(await passwords.set(account, password, client.address)).toBe(true)
  return account
}

test("a password signs in to its account, however the email address is written", async () => {
  const { email, accountId } = await withPassword()
  expect(await passwords.accountOf(email, attempt(password))).toBe(accountId)
  expect(await passwords.accountOf(email.toUpperCase(), attempt(password))).toBe(accountId)
  expect(await passwords.isSet(accountId)).toBe(true)
})

test("nothing else signs in: another password, another account, none, a disabled account", async () => {
  const account = await withPassword()
  const other = await newAccount()
  for (const [email, wrong] of [
    [account.email, `${password} `],
    [account.email, password.toUpperCase()],
    [account.email, ""],
    [account.email, "x".repeat(10_000)],
    [account.email, "\0"],
    [other.email, password],
    [other.email, ""],
    ["nobody@example.com", password],
    ["", password],
    ["'; drop table accounts; --", password],
  ] as const) {
    expect([email, await passwords.accountOf(email, attempt(wrong))]).toEqual([email, null])
  }
  expect(await passwords.isSet(other.accountId)).toBe(false)
  await setDisabled(at.editor, account.email, true)
  expect(await passwords.accountOf(account.email, attempt(password))).toBeNull()
})

test("the same characters match however they were composed", async () => {
  const account = await newAccount()
  await passwords.set(account, "Za\u0308hlwerk im Stollen", client.address)
  expect(await passwords.accountOf(account.email, attempt("Z\u00e4hlwerk im Stollen"))).toBe(
    account.accountId,
  )
})

test("a password is stored as argon2id alone, and the audit has neither it nor its hash", async () => {
  const { accountId, email, sessionId } = await newAccount()
  const hashing = createPasswordHashing({ onMalformedHash: unexpected })
  const costly = createPasswords({ pool: at.pool, hashing })
  await costly.set({ accountId, sessionId }, password, client.address)
  const [row] = await at.sql(`select hash from passwords where account_id = ${accountId}`)
  const hash = String(row?.hash)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=65536,t=2,p=1\$/)
  const entries = await at.sql(
    `select columns, who, origin from access_changes
     where account_id = ${accountId} and columns ? 'password_set_at'`,
  )
  expect([...entries] as unknown[]).toEqual([
    {
      columns: { password_set_at: [null, expect.any(String)] },
      who: email,
      origin: client.address,
    },
  ])
  const audit = JSON.stringify(await at.sql("select row_to_json(t)::text from access_changes t"))
  for (const secret of [password, hash, hash.slice(-20)]) expect(audit).not.toContain(secret)
})

test("every change of a password is in the audit, two at the same time too", async () => {
  const account = await withPassword()
  const change = () => passwords.set(account, password, client.address)
  expect(await Promise.all([change(), change()])).toEqual([true, true])
  const entries = await at.sql(
    `select action from access_changes
     where account_id = ${account.accountId} and columns ? 'password_set_at' order by id`,
  )
  expect([...entries].map(({ action }) => action)).toEqual(["created", "changed", "changed"])
})

test("a new password ends all other sessions and withdraws the links", async () => {
  const account = await withPassword()
  const others = await Promise.all([1, 2].map(() => sessions.start(account.accountId, client, now)))
  const foreign = await newAccount()
  const links = createSignInLinks({ pool: at.pool, isSignUpOpen: false })
  const link = await links.request(account.email, now)
  expect(await passwords.set(account, "another good password", client.address)).toBe(true)
  for (const each of others) expect(await sessions.find(String(each), now)).toBeNull()
  expect(await sessions.find(account.cookie, now)).not.toBeNull()
  expect(await sessions.find(foreign.cookie, now)).not.toBeNull()
  expect(await links.find(link?.secret ?? "", now)).toBeNull()
  expect(await passwords.accountOf(account.email, attempt(password))).toBeNull()
})

test("a session that has ended, another's or a disabled account's sets no password", async () => {
  const [account, other] = [await withPassword(), await newAccount()]
  const set = (session: { accountId: number; sessionId: string }) =>
    passwords.set(session, "another good password", client.address)
  expect(await set({ accountId: account.accountId, sessionId: other.sessionId })).toBe(false)
  await setDisabled(at.editor, other.email, true)
  expect(await set(other)).toBe(false)
  await sessions.endAll(account.accountId)
  expect(await set(account)).toBe(false)
  expect(await passwords.accountOf(account.email, attempt(password))).toBe(account.accountId)
})

test("a hash that is none matches nothing, and is reported", async () => {
  const account = await withPassword()
  await at.sql(
    `update passwords set hash = '$argon2id$nonsense' where account_id = ${account.accountId}`,
  )
  expect(await passwords.accountOf(account.email, attempt(password))).toBeNull()
  expect(malformed).toHaveLength(1)
})

test("passwords of 12 to 200 characters are accepted, but not the email address", () => {
  const email = "analyst@example.com"
  expect(passwordFault("x".repeat(11), email)).toBe("Use at least 12 characters")
  expect(passwordFault("éèêëēéèêëēab", email)).toBeNull()
  const faces = Array.from({ length: 200 }, (_, index) => 0x1f600 + (index % 50))
  expect(passwordFault(String.fromCodePoint(...faces), email)).toBeNull()
  expect(passwordFault("x".repeat(201), email)).toBe("Use at most 200 characters")
  expect(passwordFault("\ufdfa".repeat(200), email)).toBe("Use at most 200 characters")
  expect(passwordFault("Analyst@Example.com", email)).toBe(
    "Use something other than your email address",
  )
})

test.each([
  "aaaaaaaaaaaa",
  "abababababab",
  "111111222222",
  "123456789012",
  "098765432109",
  "abcdefghijkl",
  "qwertyuiopas",
  "1q2w3e4r5t6y",
  "123456123456",
  "passwordpassword",
  "password1234",
  "Password123!",
  "P@ssw0rd1234",
  "iloveyou1234",
  "Mining and Geological Data 1",
  "mininggeologicaldata2026",
])("a password that many have is refused: %s", (common) => {
  expect(passwordFault(common, "analyst@example.com")).toBe(
    "This is easy to guess, because many people use it or it repeats itself. Use a few random words",
  )
})

test.each([
  "correct horse battery staple",
  "Za\u0308hlwerk im Stollen",
  "password of the old mine",
  "tzTq-39vX-kkP0",
  "834027561948",
  "geological hammer 12",
  "abcabcabc stone",
])("a password that is not among those is accepted: %s", (unusual) => {
  expect(passwordFault(unusual, "analyst@example.com")).toBeNull()
})

const none = async () => undefined

/** Hashing, with attempts that match nothing. */
function hashingWith(options: Partial<PasswordHashingOptions> = {}, find = none) {
  const hashing = createPasswordHashing({
    onMalformedHash: unexpected,
    cost,
    waitMs: 50_000,
    ...options,
  })
  return (address: string, onTurn: () => Promise<void> = none) =>
    hashing.matching({ password: "x", address, onTurn }, find)
}

const statusesOf = async (attempts: Promise<unknown>[]) =>
  (await Promise.allSettled(attempts)).map(({ status }) => status)

test("past its queue, an address is refused at once, and those that wait are served", async () => {
  const match = hashingWith({ queueLengthPerAddress: 3 })
  const attempts = Array.from({ length: 8 }, () => match("192.0.2.1"))
  const [served, refused] = ["fulfilled", "rejected"] as const
  expect(await statusesOf(attempts)).toEqual([
    ...Array.from({ length: 4 }, () => served),
    ...Array.from({ length: 4 }, () => refused),
  ])
  await expect(attempts[7]).rejects.toBeInstanceOf(HashingBusy)
})

test("only a password whose turn has come is noted, and it is not hashed if that is refused", async () => {
  const match = hashingWith({ queueLengthPerAddress: 1 })
  let turns = 0
  const onTurn = async () => {
    turns++
    if (turns === 2) throw new Error("no more")
  }
  const verify = spyOn(Bun.password, "verify")
  try {
    const attempts = Array.from({ length: 8 }, () => match("192.0.2.1", onTurn))
    await Promise.allSettled(attempts)
    expect([turns, verify.mock.calls.length]).toEqual([2, 1])
    await expect(attempts[1]).rejects.toThrow("no more")
  } finally {
    verify.mockRestore()
  }
})

test.each([
  ["one address delays another by no hash", 1, 200, 1],
  ["some addresses takes turns with another", 5, 100, 8],
])("a flood from %s", async (_, addresses, count, mostBefore) => {
  const match = hashingWith()
  const begun: string[] = []
  const attempt = (address: string) =>
    match(address, async () => void begun.push(address)).catch(() => null)
  const flood = Array.from({ length: count }, (_, index) => attempt(`192.0.2.${index % addresses}`))
  await Promise.all([...flood, attempt("198.51.100.1")])
  expect(begun.indexOf("198.51.100.1")).toBeWithin(0, mostBefore + 1)
})

test("hashing rejects an attempt that has waited too long", async () => {
  const held = Promise.withResolvers<undefined>()
  const match = hashingWith({ waitMs: 0 }, () => held.promise)
  const attempts = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((address) => match(address))
  await expect(attempts[2]).rejects.toBeInstanceOf(HashingBusy)
  held.resolve(undefined)
  expect(await statusesOf(attempts)).toEqual(["fulfilled", "fulfilled", "rejected"])
})

test("an attempt costs the same with an account, without one and without a password", async () => {
  const known = await withPassword()
  const bare = await newAccount()
  const disabled = await withPassword()
  await setDisabled(at.editor, disabled.email, true)
  const statements = spyOn(at.pool, "runAlone")
  const verify = spyOn(Bun.password, "verify")
  try {
    for (const email of [known.email, bare.email, disabled.email, "nobody@example.com"]) {
      statements.mockClear()
      verify.mockClear()
      expect(await passwords.accountOf(email, attempt("a wrong password"))).toBeNull()
      // What takes the time: one hash, with the same parameters, and one statement.
      const hashed = verify.mock.calls.map(([typed, hash]) => [typed, String(hash).split("$", 4)])
      expect([email, statements.mock.calls.length, hashed]).toEqual([
        email,
        1,
        [["a wrong password", ["", "argon2id", "v=19", "m=8,t=1,p=1"]]],
      ])
    }
  } finally {
    statements.mockRestore()
    verify.mockRestore()
  }
})
