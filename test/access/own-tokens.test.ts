/** Owners of accounts create, rename, mark, rotate and revoke their own tokens, and no others. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { setDisabled, showAccount } from "../../src/access/accounts.ts"
import { createCredentials } from "../../src/access/credentials.ts"
import {
  createOwnToken,
  editOwnToken,
  type NewOwnToken,
  revokeOwnToken,
  rotateOwnToken,
  UnknownToken,
} from "../../src/access/own-tokens.ts"
import { findOwnToken, listOwnTokens } from "../../src/access/token-list.ts"
import { cacheSizes } from "../../src/db/cache.ts"
import { type Registry, refusal, registry } from "./registry.ts"

let at: Registry

beforeAll(async () => {
  at = await registry()
})

afterAll(() => at.stop())

const dayMs = 24 * 3_600_000
const now = new Date("2026-03-01T00:00:00Z")

/** An account with one token, which is its first. */
async function owner(email: string) {
  const token = await at.issue(email, "first")
  const [row] = await at.sql(`select id::int from accounts where email = '${email}'`)
  const accountId = row?.id as number
  const [first] = await listOwnTokens(at.pool, accountId, { now })
  return { accountId, tokenId: first?.id ?? 0, token, email }
}

const form = (accountId: number, others: Partial<NewOwnToken> = {}): NewOwnToken => ({
  accountId,
  name: "nightly",
  now,
  expiresAt: null,
  forSpreadsheets: false,
  formId: crypto.randomUUID(),
  ...others,
})

const isAccepted = async (token: string | null, when = now) =>
  (await createCredentials({ records: at.pool, accounts: at.pool }, cacheSizes(1_000_000)).callerOf(
    token ?? "",
    when,
  )) !== null

const namesOf = async (accountId: number) =>
  (await listOwnTokens(at.pool, accountId, { now })).map(({ name }) => name)

test("a created token works, and is listed with its name, purpose and expiry, the newest first", async () => {
  const { accountId } = await owner("create@example.com")
  const expiresAt = new Date("2040-01-02T03:04:05Z")
  const { value } = await createOwnToken(
    at.editor,
    form(accountId, { name: " My sheet ", expiresAt, forSpreadsheets: true }),
  )
  const prefix = value.token?.slice(0, 12)
  expect(value).toEqual({
    token: expect.stringMatching(/^mds_[0-9A-Za-z]{49}$/),
    name: "My sheet",
    prefix: String(prefix),
  })
  expect(await isAccepted(value.token)).toBe(true)
  expect((await listOwnTokens(at.pool, accountId, { now }))[0]).toEqual({
    id: expect.any(Number),
    name: "My sheet",
    prefix: String(prefix),
    forSpreadsheets: true,
    createdAt: expect.any(String),
    lastUsedAt: null,
    expiresAt: "2040-01-02T03:04:05Z",
    revokedAt: null,
    replacedAt: null,
    isValid: true,
  })
  expect(await namesOf(accountId)).toEqual(["My sheet", "first"])
})

test("one form makes one token, however often and however much at once it is sent", async () => {
  const { accountId } = await owner("twice@example.com")
  const sent = form(accountId)
  const made = await Promise.all([1, 2, 3].map(() => createOwnToken(at.editor, sent)))
  const shown = made.filter(({ value }) => value.token !== null)
  expect(shown).toHaveLength(1)
  const { name, prefix } = shown[0]?.value ?? {}
  expect(new Set(made.map(({ value }) => `${value.name} ${value.prefix}`))).toEqual(
    new Set([`${name} ${prefix}`]),
  )
  expect(await namesOf(accountId)).toEqual(["nightly", "first"])
})

test("the form of another account is no obstacle", async () => {
  const [one, other] = [await owner("form1@example.com"), await owner("form2@example.com")]
  const formId = crypto.randomUUID()
  for (const { accountId } of [one, other]) {
    const { value } = await createOwnToken(at.editor, form(accountId, { formId }))
    expect(value.token).not.toBeNull()
  }
})

test.each([
  ["", "A token requires a name"],
  ["  \t ", "A token requires a name"],
  ["x".repeat(101), "The name of a token has at most 100 characters"],
  ["a\nb", "The name of a token must not contain control characters"],
  ["a\0b", "The name of a token must not contain control characters"],
  ["a\u202eb", "The name of a token must not contain control characters"],
  ["a\u2028b", "The name of a token must not contain control characters"],
])("the name %j is refused: %s", async (name, message) => {
  const email = `name${crypto.randomUUID()}@example.com`
  const { accountId, tokenId } = await owner(email)
  expect(await refusal(createOwnToken(at.editor, form(accountId, { name })))).toBe(message)
  const edited = { accountId, tokenId, name, forSpreadsheets: false }
  expect(await refusal(editOwnToken(at.editor, edited))).toBe(message)
  expect(await namesOf(accountId)).toEqual(["first"])
})

test("a name of 100 characters of any kind is accepted", async () => {
  const { accountId } = await owner("long@example.com")
  const name = `<b>&"'${"😀".repeat(94)}`
  await createOwnToken(at.editor, form(accountId, { name }))
  expect(await namesOf(accountId)).toEqual([name, "first"])
})

test("a token is renamed and marked for spreadsheets, and stays valid", async () => {
  const { accountId, tokenId, token } = await owner("edit@example.com")
  await editOwnToken(at.editor, { accountId, tokenId, name: " sheet ", forSpreadsheets: true })
  expect(await listOwnTokens(at.pool, accountId, { now })).toMatchObject([
    { name: "sheet", forSpreadsheets: true },
  ])
  expect(await isAccepted(token)).toBe(true)
})

test("a rotated token stays valid for the grace period, beside a successor of the same name and purpose", async () => {
  const { accountId, tokenId, token } = await owner("grace@example.com")
  const formId = crypto.randomUUID()
  await editOwnToken(at.editor, { accountId, tokenId, name: "sheet", forSpreadsheets: true })
  const rotation = { accountId, tokenId, graceMs: dayMs, now, formId }
  const { value } = await rotateOwnToken(at.editor, rotation)
  expect(value).toMatchObject({ name: "sheet", replaced: token.slice(0, 12) })
  const untilMs = value.until?.getTime() ?? 0
  expect(await isAccepted(token, new Date(untilMs - 1))).toBe(true)
  expect(await isAccepted(token, new Date(untilMs))).toBe(false)
  expect(await isAccepted(value.token, new Date(untilMs))).toBe(true)

  const again = await rotateOwnToken(at.editor, rotation)
  expect(again.value).toEqual({ ...value, token: null })
  expect(await listOwnTokens(at.pool, accountId, { now })).toMatchObject([
    { name: "sheet", forSpreadsheets: true, prefix: value.prefix },
    { name: "sheet", forSpreadsheets: true, prefix: value.replaced },
  ])
})

test("a token in its grace period is rotated once, and its successor instead", async () => {
  const { accountId, tokenId } = await owner("again@example.com")
  const rotation = { accountId, graceMs: dayMs, now }
  const rotate = (id: number) =>
    rotateOwnToken(at.editor, { ...rotation, tokenId: id, formId: crypto.randomUUID() })
  await rotate(tokenId)
  expect(await refusal(rotate(tokenId))).toBe(
    "The token was replaced already: rotate its successor",
  )
  const [successor, replaced] = await listOwnTokens(at.pool, accountId, { now })
  expect([successor?.replacedAt, replaced?.replacedAt]).toEqual([null, expect.any(String)])
  await rotate(successor?.id ?? 0)
  expect(await namesOf(accountId)).toEqual(["first", "first", "first"])
})

test("all valid tokens are listed, and the newest hundred of those that ended", async () => {
  const { accountId, tokenId } = await owner("ended@example.com")
  await at.sql(`insert into tokens (account_id, name, sha256, prefix, revoked_at, expires_at)
    select ${accountId}, n, encode(sha256((${accountId} || '-' || n)::text::bytea), 'hex'),
      'mds_' || lpad(n::text, 8, '0'),
      case when n % 2 = 0 then now() end, case when n % 2 = 1 then '2026-02-28T00:00:00Z'::timestamptz end
    from generate_series(1, 150) n`)
  const valid = await createOwnToken(at.editor, form(accountId))
  const listed = await listOwnTokens(at.pool, accountId, { now })
  expect(listed.map(({ name }) => name)).toEqual([
    "nightly",
    ...Array.from({ length: 100 }, (_, n) => String(150 - n)),
    "first",
  ])
  expect(listed.filter(({ isValid }) => isValid).map(({ prefix }) => prefix)).toEqual([
    valid.value.prefix,
    expect.any(String),
  ])
  expect(await listOwnTokens(at.pool, accountId, { now, ended: 0 })).toHaveLength(2)
  expect(await findOwnToken(at.pool, { accountId, tokenId }, now)).toEqual(listed.at(-1))
  expect(await findOwnToken(at.pool, { accountId: 999_999, tokenId }, now)).toBeUndefined()
})

test("a form that rotated without a grace period tells the same when it is sent again", async () => {
  const { accountId, tokenId, token } = await owner("nograce@example.com")
  const rotation = { accountId, tokenId, graceMs: 0, now, formId: crypto.randomUUID() }
  const { value } = await rotateOwnToken(at.editor, rotation)
  expect(value.until).toBeNull()
  expect([await isAccepted(token), await isAccepted(value.token)]).toEqual([false, true])
  expect((await rotateOwnToken(at.editor, rotation)).value).toEqual({ ...value, token: null })
  const other = rotateOwnToken(at.editor, { ...rotation, formId: crypto.randomUUID() })
  expect(await refusal(other)).toBe("The token is already revoked")
})

test("a revoked token is refused and can't be changed again", async () => {
  const { accountId, tokenId, token } = await owner("revoke@example.com")
  const of = { accountId, tokenId }
  expect((await revokeOwnToken(at.editor, of)).value).toEqual({
    name: "first",
    prefix: token.slice(0, 12),
  })
  expect(await isAccepted(token)).toBe(false)
  const rotation = { ...of, graceMs: 0, now, formId: crypto.randomUUID() }
  for (const change of [
    () => revokeOwnToken(at.editor, of),
    () => rotateOwnToken(at.editor, rotation),
    () => editOwnToken(at.editor, { ...of, name: "x", forSpreadsheets: false }),
  ]) {
    expect(await refusal(change())).toBe("The token is already revoked")
  }
})

test("a token of another account is as unknown as one that never was, and stays as it is", async () => {
  const [one, other] = [await owner("mine@example.com"), await owner("yours@example.com")]
  const before = await listOwnTokens(at.pool, other.accountId, { now })
  for (const tokenId of [other.tokenId, 999_999_999]) {
    const of = { accountId: one.accountId, tokenId }
    const rotation = { ...of, graceMs: dayMs, now, formId: crypto.randomUUID() }
    for (const change of [
      () => revokeOwnToken(at.editor, of),
      () => rotateOwnToken(at.editor, rotation),
      () => editOwnToken(at.editor, { ...of, name: "x", forSpreadsheets: true }),
    ]) {
      await expect(change()).rejects.toBeInstanceOf(UnknownToken)
    }
  }
  expect(await listOwnTokens(at.pool, other.accountId, { now })).toEqual(before)
})

test("an account has at most 100 valid tokens, even when they are created at once, and can rotate them all", async () => {
  const { accountId, tokenId } = await owner("many@example.com")
  await at.sql(`insert into tokens (account_id, name, sha256, prefix, revoked_at, expires_at)
    select ${accountId}, 'bulk', encode(sha256((${accountId} || '-' || n)::text::bytea), 'hex'),
      'mds_' || lpad(n::text, 8, '0'),
      case when n % 3 = 0 then now() end, case when n % 3 = 1 then '2026-02-28T00:00:00Z'::timestamptz end
    from generate_series(1, 291) n`)
  const sent = Array.from({ length: 4 }, () => form(accountId))
  const outcomes = await Promise.allSettled(sent.map((each) => createOwnToken(at.editor, each)))
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2)
  const first = sent[outcomes.findIndex(({ status }) => status === "fulfilled")]
  if (!first) throw new Error("No token was created")
  expect((await createOwnToken(at.editor, first)).value.token).toBeNull()
  expect(await refusal(createOwnToken(at.editor, form(accountId)))).toBe(
    "An account can have 100 valid tokens. Revoke one that is no longer used, then try again",
  )
  const rotation = { accountId, tokenId, graceMs: dayMs, now, formId: crypto.randomUUID() }
  expect((await rotateOwnToken(at.editor, rotation)).value.token).not.toBeNull()
})

test("a disabled account can't create or rotate tokens", async () => {
  const { accountId, tokenId, email } = await owner("disabled@example.com")
  await setDisabled(at.editor, email, true)
  const rotation = { accountId, tokenId, graceMs: 0, now, formId: crypto.randomUUID() }
  expect(await refusal(createOwnToken(at.editor, form(accountId)))).toBe("The account is disabled")
  expect(await refusal(rotateOwnToken(at.editor, rotation))).toBe("The account is disabled")
})

test("every change is in the audit log under the owner's email address and the client's address", async () => {
  const { accountId, tokenId, email } = await owner("audit@example.com")
  const editor = { url: at.url, who: email, origin: "192.0.2.7" }
  const of = { accountId, tokenId }
  const { value } = await createOwnToken(editor, form(accountId))
  await editOwnToken(editor, { ...of, name: "renamed", forSpreadsheets: true })
  await revokeOwnToken(editor, of)
  const { changes } = await showAccount(at.pool, email)
  const added = changes.slice(-3)
  for (const change of added) expect(change).toMatchObject({ who: email, origin: "192.0.2.7" })
  expect(
    added.map(({ action, tokenPrefix, columns }) => [action, tokenPrefix, columns]),
  ).toMatchObject([
    ["created", value.prefix, { name: [null, "nightly"] }],
    [
      "changed",
      expect.any(String),
      { name: ["first", "renamed"], for_spreadsheets: [false, true] },
    ],
    ["changed", expect.any(String), { revoked_at: [null, expect.any(String)] }],
  ])
})
