/** Only the cookie identifies a session. Its owner, its account or time ends it. */
import { beforeEach, expect, test } from "bun:test"
import { setDisabled } from "../../../src/accounts/access/accounts.ts"
import { hashSecret } from "../../../src/accounts/access/secret.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { linkSecret, signedInByLink, type Visitor, visitor } from "./visitor.ts"

let email: string

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const service = await serviceOfFile()
const elsewhere = await serviceOfFile({ beside: service })

beforeEach(async () => {
  email = `${crypto.randomUUID()}@example.com`
  await service.issue(email)
})

const isSignedIn = async (person: Visitor): Promise<boolean> => {
  const { status, headers } = await person.get("/account/sessions")
  if (status === 200) return true
  expect([status, headers.get("location")]).toEqual([
    303,
    "/account/sign-in?next=%2Faccount%2Fsessions",
  ])
  return false
}

/** A client that has taken the cookie, on this process or on another one. */
function withCookieOf({ jar }: Visitor, on = service) {
  const other = visitor(on)
  other.jar.cookie = jar.cookie
  return other
}

/** Waits until the use of the session is recorded at the service's time. */
const used = (person: Visitor) =>
  until(async () => {
    const id = hashSecret(person.jar.cookie ?? "")
    const [row] = await service.sql`select last_seen_at from sessions where id = ${id}`
    return row?.last_seen_at.getTime() === Math.floor(service.clock.now.getTime() / 1000) * 1000
  })

// First: later the clock is years ahead, and the retention of the audit log may delete its entries meanwhile.
test("Signing in ends the session that the browser had before, such as a planted one", async () => {
  const attacker = await signedInByLink(service, email)
  const victim = withCookieOf(attacker)
  const own = `${crypto.randomUUID()}@example.com`
  await service.issue(own)
  await victim.post("/account/link", { link: await linkSecret(service, own) })
  expect(victim.jar.cookie).not.toBe(attacker.jar.cookie)
  expect([await isSignedIn(victim), await isSignedIn(attacker)]).toEqual([true, false])
  const entries = await service.sql`
    select accounts.email, action, columns, who, origin from access_changes
    join accounts on accounts.id = account_id
    where email in ${service.sql([email, own])} and columns ? 'signed_in_at' order by access_changes.id`
  const at = `${service.clock.now.toISOString().slice(0, 19)}+00:00`
  const entry = { columns: { signed_in_at: [null, at] }, origin: "127.0.0.1" }
  expect([...entries] as unknown[]).toEqual([
    { ...entry, email, action: "created", who: email },
    { ...entry, email: own, action: "created", who: own },
    { ...entry, email, action: "deleted", columns: { signed_in_at: [at, null] }, who: email },
  ])
})

test("A session ends 90 days after its last use", async () => {
  const person = await signedInByLink(service, email)
  service.clock.advance(90 * dayMs - minuteMs)
  expect(await isSignedIn(person)).toBe(true)
  await used(person)
  service.clock.advance(90 * dayMs)
  expect(await isSignedIn(person)).toBe(false)
})

test("A session ends 365 days after signing in, however much it is used", async () => {
  const person = await signedInByLink(service, email)
  for (let day = 73; day < 365; day += 73) {
    service.clock.advance(73 * dayMs)
    expect(await isSignedIn(person)).toBe(true)
    await used(person)
  }
  service.clock.advance(73 * dayMs - minuteMs)
  expect(await isSignedIn(person)).toBe(true)
  service.clock.advance(minuteMs)
  expect(await isSignedIn(person)).toBe(false)
})

test("The use of a session is recorded once a minute at most, and renews the cookie", async () => {
  const person = await signedInByLink(service, email)
  const { cookie } = person.jar
  const version = async () =>
    (await service.sql`select xmin::text from sessions where id = ${hashSecret(cookie ?? "")}`)[0]
  const begun = await version()
  service.clock.advance(minuteMs - 1_000)
  expect((await person.get("/account")).headers.get("set-cookie")).toBeNull()
  expect(await version()).toEqual(begun as Record<string, unknown>)

  const renewed = (seconds: number) =>
    `__Host-session=${cookie}; Max-Age=${seconds}; Path=/; Secure; HttpOnly; SameSite=Lax`
  const quarter = 90 * 24 * 3_600
  for (const path of ["/account", "/docs", "/explore/companies", "/explore/companies.csv"]) {
    service.clock.advance(minuteMs)
    const response = await person.get(path)
    expect([path, response.headers.get("set-cookie")]).toEqual([path, renewed(quarter)])
    await used(person)
  }
  for (let month = 0; month < 11; month++) {
    service.clock.advance(30 * dayMs)
    await person.get("/account")
    await used(person)
  }
  service.clock.advance(dayMs)
  const last = (await person.get("/account")).headers.get("set-cookie") ?? ""
  const seconds = Number(/Max-Age=(\d+)/.exec(last)?.[1])
  expect(last).toBe(renewed(seconds))
  expect(seconds).toBeGreaterThan(33 * 24 * 3_600)
  expect(seconds).toBeLessThan(34 * 24 * 3_600)
  service.clock.advance(minuteMs)
  expect((await person.post("/account/sign-out")).headers.getSetCookie()).toEqual([
    "__Host-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax",
  ])
})

test("Only the exact cookie finds a session", async () => {
  const person = await signedInByLink(service, email)
  const cookie = person.jar.cookie ?? ""
  for (const wrong of [
    hashSecret(cookie),
    `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`,
    `${cookie}A`,
    cookie.slice(1),
    cookie.toLowerCase().toUpperCase(),
    "x".repeat(8_000),
  ]) {
    const other = visitor(service)
    other.jar.cookie = wrong
    expect(await isSignedIn(other)).toBe(false)
  }
  expect(await isSignedIn(person)).toBe(true)
})

test("Sessions are listed with browser and address, and the owner ends each separately", async () => {
  const firefox = await signedInByLink(
    service,
    email,
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
  )
  const phone = await signedInByLink(
    service,
    email,
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  )
  const page = await firefox.read("/account/sessions")
  for (const text of ["Firefox on Windows", "Safari on iPhone", "this one", "127.0.0.1"]) {
    expect(page).toContain(text)
  }
  const session = hashSecret(phone.jar.cookie ?? "")
  expect(page).toContain(`value="${session}"`)
  expect(page).not.toContain(phone.jar.cookie ?? "")

  const other = `${crypto.randomUUID()}@example.com`
  await service.issue(other)
  await (await signedInByLink(service, other)).post("/account/sessions/end", { session })
  for (const wrong of ["", "\0", "x".repeat(1_000)]) {
    await firefox.post("/account/sessions/end", { session: wrong })
  }
  expect(await isSignedIn(phone)).toBe(true)
  await firefox.post("/account/sessions/end", { session })
  expect([await isSignedIn(phone), await isSignedIn(firefox)]).toEqual([false, true])
})

test("Signing out ends the session in every process from the next request on", async () => {
  const person = await signedInByLink(service, email)
  const thieves = [withCookieOf(person), withCookieOf(person, elsewhere)]
  for (const thief of thieves) expect(await isSignedIn(thief)).toBe(true)
  await person.post("/account/sign-out")
  for (const thief of thieves) expect(await isSignedIn(thief)).toBe(false)
})

test("Signing out everywhere ends all sessions and unused links of the account", async () => {
  const person = await signedInByLink(service, email)
  const phone = await signedInByLink(service, email)
  const link = await linkSecret(service, email)
  await person.post("/account/sessions/end-all")
  expect([await isSignedIn(phone), await isSignedIn(withCookieOf(phone, elsewhere))]).toEqual([
    false,
    false,
  ])
  expect((await visitor(service).post("/account/link", { link })).status).toBe(410)
})

test("Disabling an account ends its sessions, which enabling does not bring back; its tokens work again", async () => {
  const person = await signedInByLink(service, email)
  const token = await service.issue(email)
  await setDisabled(service.editor, email, true)
  expect(await isSignedIn(person)).toBe(false)
  await setDisabled(service.editor, email, false)
  expect(await isSignedIn(person)).toBe(false)
  expect((await service.get("/companies", { token })).status).toBe(200)
})

test("A session outlives a restart of the service", async () => {
  const person = await signedInByLink(service, email)
  await using restarted = await testService({ beside: service, now: service.clock.now })
  expect(await isSignedIn(withCookieOf(person, restarted))).toBe(true)
})

test("Over plain HTTP the page says that browsers keep no session", async () => {
  const says = async (headers: Record<string, string>) =>
    (await (await visitor(service).get("/account/sign-in", { headers })).text()).includes(
      "opened over plain HTTP",
    )
  expect(await says({ Host: "data.example.com" })).toBe(true)
  expect(await says({ Host: "192.0.2.1:3000" })).toBe(true)
  expect(await says({ Host: "localhost:3000" })).toBe(false)
  expect(await says({ Host: "127.0.0.1:3000" })).toBe(false)
  expect(await says({ Host: "data.example.com", "X-Forwarded-Proto": "https" })).toBe(false)
  expect(await says({ Host: "data.example.com", "Sec-Fetch-Site": "none" })).toBe(false)
})
