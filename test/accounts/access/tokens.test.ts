/** Owners and operators create, rename and revoke tokens, and the stored data reveals none. */
import { describe, expect, test } from "bun:test"
import { setDisabled, showAccount } from "../../../src/accounts/access/accounts.ts"
import { AccountError } from "../../../src/accounts/access/change.ts"
import { findOwnToken, listOwnTokens } from "../../../src/accounts/access/token-list.ts"
import {
  createOwnToken,
  issueToken,
  nameOf,
  revokeToken,
} from "../../../src/accounts/access/tokens.ts"
import { refusal, registry } from "./registry.ts"

const setup = await registry()

const now = new Date("2026-03-01T00:00:00Z")

describe("An operator", () => {
  const byPrefix = (prefix: string) => ({ prefix })

  test("An operator creates no account if the token cannot be issued", async () => {
    const token = { email: "none@example.com", name: " ", expiresAt: null }
    expect(await refusal(issueToken(setup.editor, token))).toBe("A token requires a name")
    const malformed = issueToken(setup.editor, { ...token, email: "none", name: "x" })
    expect(await refusal(malformed)).toBe("Not a valid email address: none")
    expect(await refusal(showAccount(setup.pool, "none@example.com"))).toBe(
      "Account none@example.com does not exist. Check the address, or run `mds account create none@example.com`",
    )
  })

  test("An operator issues no token for a disabled account", async () => {
    const token = { email: "out@example.com", name: "x", expiresAt: null }
    await issueToken(setup.editor, token)
    await setDisabled(setup.editor, token.email, true)
    expect(await refusal(issueToken(setup.editor, token))).toBe("The account is disabled")
    expect((await showAccount(setup.pool, token.email)).tokens).toHaveLength(1)
  })

  test("An operator revokes a token by its prefix or its whole text, and only once", async () => {
    const [first, second] = [
      await setup.issue("r@example.com", "one"),
      await setup.issue("r@example.com"),
    ]
    expect(await revokeToken(setup.editor, byPrefix(first.slice(0, 10)))).toEqual({
      value: { name: "one", prefix: first.slice(0, 12) },
      unconfirmed: 0,
    })
    const revoke = (prefix: string) => refusal(revokeToken(setup.editor, { prefix }))
    expect(await revoke(first)).toBe("The token is already revoked")
    expect(await revoke(second.slice(0, 20))).toBe("No token has this prefix")
    await revokeToken(setup.editor, byPrefix(second))
    for (const start of ["", "mds_", "abc", "mds_%", "mds_' or 1=1"]) {
      expect(await revoke(start)).toStartWith("A token is identified by its prefix")
    }
    expect(await revoke("mds_0000000000000")).toBe("No token has this prefix")
  })

  test("An operator must give a longer prefix if several tokens match", async () => {
    const [one, two] = [
      await setup.issue("s@example.com", "one"),
      await setup.issue("s@example.com"),
    ]
    const shared = "mds_SAMESAME"
    await setup.sql(`update tokens set prefix = '${shared}'
      where account_id = (select id from accounts where email = 's@example.com')`)
    for (const prefix of ["mds_SAME", shared]) {
      expect(await refusal(revokeToken(setup.editor, { prefix }))).toMatch(
        /Several tokens .*one, s@example.com.*s@example.com/,
      )
    }
    expect([await setup.isAccepted(one, now), await setup.isAccepted(two, now)]).toEqual([
      true,
      true,
    ])
  })
})

/** An account with one token, which is named `first`. */
async function owner() {
  const email = `${crypto.randomUUID()}@example.com`
  const token = await setup.issue(email, "first")
  const [row] = await setup.sql(`select id::int from accounts where email = '${email}'`)
  const accountId = row?.id as number
  const [first] = await listOwnTokens(setup.pool, accountId, now)
  return { accountId, tokenId: first?.id ?? 0, token, email }
}

const form = (accountId: number) => ({
  accountId,
  name: "nightly",
  now,
  expiresAt: null,
})

describe("An owner", () => {
  test.each([
    ["", "A token requires a name"],
    ["  \t ", "A token requires a name"],
    ["x".repeat(101), "The name of a token has at most 100 characters"],
    ["a\nb", "The name of a token must not contain control characters"],
    ["a\0b", "The name of a token must not contain control characters"],
    ["a\u202eb", "The name of a token must not contain control characters"],
    ["a\u2028b", "The name of a token must not contain control characters"],
  ])("An owner cannot name a token %j: %s", (name, message) => {
    expect(() => nameOf("token", name)).toThrow(new AccountError(message))
  })

  test("An owner names a token with 100 characters of any kind", () => {
    const name = `<b>&"'${"😀".repeat(94)}`
    expect(nameOf("token", ` ${name} `)).toBe(name)
  })

  test("An owner has at most 100 valid tokens, even when they are created at once", async () => {
    const { accountId } = await owner()
    await addBulk(accountId, 291, "n % 3 = 0", "n % 3 = 1")
    const sent = Array.from({ length: 4 }, () => form(accountId))
    const outcomes = await Promise.allSettled(
      sent.map((each) => createOwnToken(setup.editor, each)),
    )
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2)
    expect(await refusal(createOwnToken(setup.editor, form(accountId)))).toBe(
      "An account can have 100 valid tokens. Revoke one that is no longer used, then try again",
    )
  })

  test("An owner sees all valid tokens and the newest 100 ended tokens", async () => {
    const { accountId, tokenId } = await owner()
    await addBulk(accountId, 150, "n % 2 = 0", "n % 2 = 1")
    await createOwnToken(setup.editor, form(accountId))
    const listed = await listOwnTokens(setup.pool, accountId, now)
    expect(listed.map(({ name }) => name)).toEqual([
      "nightly",
      ...Array.from({ length: 100 }, (_, n) => String(150 - n)),
      "first",
    ])
    const valid = listed.filter(({ isValid }) => isValid).map(({ name }) => name)
    expect(valid).toEqual(["nightly", "first"])
    expect(await findOwnToken(setup.pool, { accountId, tokenId }, now)).toEqual(listed.at(-1))
    expect(await findOwnToken(setup.pool, { accountId: 999_999, tokenId }, now)).toBeUndefined()
  })

  /** Tokens, of which some are revoked and some have expired. */
  const addBulk = (accountId: number, count: number, revoked: string, expired: string) =>
    setup.sql(`insert into tokens (account_id, name, sha256, prefix, revoked_at, expires_at)
      select ${accountId}, n, encode(sha256((${accountId} || '-' || n)::text::bytea), 'hex'),
        'mds_' || lpad(n::text, 8, '0'), case when ${revoked} then now() end,
        case when ${expired} then '2026-02-28T00:00:00Z'::timestamptz end
      from generate_series(1, ${count}) n`)
})
