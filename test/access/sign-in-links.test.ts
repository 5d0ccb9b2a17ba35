/** A one-time link signs in once, within 15 minutes, to the account with exactly the address that it was sent to. */
import { expect, test } from "bun:test"
import { setDisabled } from "../../src/access/accounts.ts"
import { createSessions } from "../../src/access/sessions.ts"
import {
  createSignInLinks,
  issueLink,
  linkPath,
  type SignInLinks,
} from "../../src/access/sign-in-links.ts"
import { refusal, registry } from "./registry.ts"

const at = await registry()
const sessions = createSessions({
  pool: at.pool,
  onUseNotRecorded: (error) => expect(error).toBeUndefined(),
})
const closed = createSignInLinks({ pool: at.pool, isSignUpOpen: false })
const open = createSignInLinks({ pool: at.pool, isSignUpOpen: true })

const now = new Date("2026-03-01T00:00:00Z")

const client = { address: "192.0.2.1", userAgent: "a test" }

async function newAccount(email = `${crypto.randomUUID()}@example.com`): Promise<string> {
  await at.issue(email)
  return email
}

async function linkFor(email: string, links = closed): Promise<string> {
  const link = await links.request(email, now)
  return link?.secret ?? "none"
}

const signedIn = async (redeemed: Awaited<ReturnType<SignInLinks["redeem"]>>) =>
  redeemed && (await sessions.find(redeemed.cookie, now))

test("a text that resembles a link signs nobody in", async () => {
  const secret = await linkFor(await newAccount())
  const swapped = secret.endsWith("A") ? "B" : "A"
  for (const wrong of [
    "",
    secret.slice(0, -1),
    secret.slice(0, -1) + swapped,
    secret.slice("mds_link_".length),
    `${secret}A`,
    `${secret}\0`,
    "x".repeat(100_000),
  ]) {
    expect(await closed.find(wrong, now)).toBeNull()
    expect(await closed.redeem(wrong, client, now)).toBeNull()
  }
})

test("a link is sent for an account that is there, to the address it was created with", async () => {
  const email = await newAccount(`${crypto.randomUUID()}@Example.com`)
  expect(await closed.request(email.toLowerCase(), now)).toMatchObject({ email })
  expect(await closed.request("nobody@example.com", now)).toBeNull()
  await setDisabled(at.editor, email, true)
  expect(await closed.request(email, now)).toBeNull()
  expect(await open.request(email, now)).toBeNull()
})

test("where accounts are open to all, a link makes a standard account, and where not, none", async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const secret = await linkFor(email, open)
  expect(await open.find(secret, now)).toEqual({ email, isNewAccount: true })
  expect([...(await at.sql(`select 1 from accounts where email = '${email}'`))]).toEqual([])
  const cookie = await open.redeem(secret, client, now)
  expect(await signedIn(cookie)).toMatchObject({ email, plan: "standard", limit: 1000 })
  const [entry] = await at.sql(
    `select who, origin from access_changes where columns -> 'email' ->> 1 = '${email}'`,
  )
  expect(entry).toEqual({ who: email, origin: client.address })

  const late = `${crypto.randomUUID()}@example.com`
  expect(await closed.redeem(await linkFor(late, open), client, now)).toBeNull()
  expect([...(await at.sql(`select 1 from accounts where email = '${late}'`))]).toEqual([])
})

test("a link to a mailbox whose address only folds to an account's does not sign in to it", async () => {
  const name = crypto.randomUUID()
  const kelvin = `mi\u212ae-${name}@example.com`
  const secret = await linkFor(kelvin, open)
  expect(secret).toStartWith("mds_link_")
  const email = await newAccount(`mike-${name}@example.com`)
  expect(await open.redeem(secret, client, now)).toBeNull()
  expect(await open.request(kelvin, now)).toMatchObject({ email })
})

test("two links for a new address make one account", async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const secrets = [await linkFor(email, open), await linkFor(email, open)]
  const cookies = await Promise.all(secrets.map((secret) => open.redeem(secret, client, now)))
  const people = await Promise.all(cookies.map(signedIn))
  expect(people.map((person) => person?.email)).toEqual([email, email])
  expect(people[0]?.accountId).toBe(people[1]?.accountId as number)
})

test("an operator makes a link for an account that exists and is enabled", async () => {
  const email = await newAccount()
  const secret = await issueLink(at.pool, email.toUpperCase(), now)
  expect(await signedIn(await closed.redeem(secret, client, now))).toMatchObject({ email })
  expect(await refusal(issueLink(at.pool, "nobody@example.com", now))).toBe(
    "Account nobody@example.com does not exist",
  )
  await setDisabled(at.editor, email, true)
  expect(await refusal(issueLink(at.pool, email, now))).toBe(`Account ${email} is disabled`)
})

test("a link's address has its secret in the query, and where to go afterwards", () => {
  expect(linkPath("mds_link_x")).toBe("/account/link?link=mds_link_x")
  expect(linkPath("mds_link_x", "/explore?a=1&b=2")).toBe(
    "/account/link?link=mds_link_x&next=%2Fexplore%3Fa%3D1%26b%3D2",
  )
})
