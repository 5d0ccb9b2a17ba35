/** What others try on the pages for signing in fails: over real sockets, as they would. */
import { beforeEach, expect, test } from "bun:test"
import { setDisabled } from "../../src/access/accounts.ts"
import { hashSecret } from "../../src/access/secret.ts"
import { mailServer } from "../support/mail-server.ts"
import { afterFile } from "../support/of-file.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { linkSecret, password, signedInByLink, visitor, withPassword } from "./visitor.ts"

let email: string

const minuteMs = 60_000
const baseUrl = "https://data.example.com"
const mailSettings = () => ({
  SMTP_URL: mail.url,
  MAIL_FROM: "Data <data@example.com>",
  BASE_URL: baseUrl,
})

const mail = mailServer()
afterFile(mail.stop)
const service = await serviceOfFile({ settings: mailSettings() })
const open = await serviceOfFile({
  beside: service,
  settings: { ...mailSettings(), SIGNUP: "open" },
})

beforeEach(async () => {
  // Each test begins with empty windows.
  for (const each of [service, open]) each.clock.advance(15 * minuteMs)
  email = `${crypto.randomUUID()}@example.com`
  await service.issue(email)
})

const mailedLink = async (to: string): Promise<string> => {
  const { text } = await mail.mailTo(to)
  return /https?:\/\/\S+/.exec(text ?? "")?.[0] ?? ""
}

const secretIn = (url: string) => new URL(url).searchParams.get("link") ?? ""

/** What anybody can compare of two responses. */
async function comparable(response: Response, typed: string) {
  const headers = Object.fromEntries(response.headers)
  const text = (await response.text())
    .replaceAll(typed, "TYPED")
    .replace(/Request id <code>.*?<\/code>/, "")
  return { status: response.status, headers: { ...headers, date: "", "x-request-id": "" }, text }
}

test("forms sent from another site are refused, and change nothing", async () => {
  const person = await withPassword(service, email)
  const secret = await linkSecret(service, email)
  const forms: [path: string, form: Record<string, string>][] = [
    ["/account/sign-in", { email, password }],
    ["/account/link", { link: secret }],
    ["/account/send-link", { email }],
    ["/account/password", { password: "another good password" }],
    ["/account/sessions/end", { session: hashSecret(person.jar.cookie ?? "") }],
    ["/account/sessions/end-all", {}],
    ["/account/sign-out", {}],
  ]
  const origins: Record<string, string>[] = [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "", Origin: "https://evil.example" },
    { "Sec-Fetch-Site": "cross-site", Origin: service.url },
    { Origin: "https://evil.example" },
    { Origin: "null" },
  ]
  for (const [path, form] of forms) {
    for (const headers of origins) {
      const answer = await person.post(path, form, { headers })
      expect([path, answer.status, answer.headers.get("set-cookie")]).toEqual([path, 403, null])
    }
    for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }, {}]) {
      const answer = await fetch(service.url + path, {
        method: "POST",
        body: new URLSearchParams(form),
        headers: { ...headers, Cookie: `__Host-session=${person.jar.cookie}` },
        redirect: "manual",
      })
      expect([path, headers, answer.status]).toEqual([path, headers, 403])
    }
  }
  expect((await person.get("/account/sessions")).status).toBe(200)
  expect((await visitor(service).post("/account/sign-in", { email, password })).status).toBe(303)
  expect((await visitor(service).post("/account/link", { link: secret })).status).toBe(303)
})

test("a stolen cookie is worth nothing after signing out everywhere, nor is a link of before", async () => {
  const person = await withPassword(service, email)
  const secret = await linkSecret(service, email)
  const thief = visitor(service)
  thief.jar.cookie = person.jar.cookie
  expect((await thief.get("/account/sessions")).status).toBe(200)
  await person.post("/account/sessions/end-all")
  for (const answer of [
    await thief.get("/account/sessions"),
    await thief.post("/account/password", { password: "the thief's password" }),
  ]) {
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/account\/sign-in\?/),
    ])
  }
  // The other process refuses it from the next request on too.
  const elsewhere = visitor(open)
  elsewhere.jar.cookie = thief.jar.cookie
  expect((await elsewhere.get("/account/sessions")).status).toBe(303)
  expect((await thief.post("/account/link", { link: secret })).status).toBe(410)
  expect((await visitor(service).post("/account/sign-in", { email, password })).status).toBe(303)
})

test("a session that was planted is not the one that a sign-in makes, and has ended then", async () => {
  const owner = await withPassword(service, email)
  email = `${crypto.randomUUID()}@example.com`
  await service.issue(email)
  const attacker = await signedInByLink(service, email)
  const planted = attacker.jar.cookie
  const victim = visitor(service)
  victim.jar.cookie = planted
  const ownerEmail = (await (await owner.get("/account/password")).text()).match(
    /value="([^"]+@example.com)"/,
  )?.[1]
  await victim.post("/account/sign-in", { email: ownerEmail ?? "", password })
  expect(victim.jar.cookie).not.toBe(planted)
  expect((await victim.get("/account/sessions")).status).toBe(200)
  expect((await attacker.get("/account/sessions")).status).toBe(303)

  const invented = visitor(service)
  invented.jar.cookie = `${"A".repeat(22)}.${"B".repeat(43)}`
  await invented.post("/account/link", { link: await linkSecret(service, email) })
  expect(invented.jar.cookie).not.toContain("AAAA")
})

test("guesses are throttled, and then the right password too, but not the link", async () => {
  await withPassword(service, email)
  const guesser = visitor(service)
  const statuses: number[] = []
  for (let guess = 0; guess < 30; guess++) {
    const answer = await guesser.post("/account/sign-in", { email, password: `guess ${guess}` })
    statuses.push(answer.status)
  }
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 400))
  expect(new Set(statuses.slice(10))).toEqual(new Set([429]))

  const person = visitor(service)
  const refused = await person.post("/account/sign-in", { email, password })
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
  expect(await refused.text()).toContain("Too many attempts. Try again at ")
  expect(
    (await person.post("/account/link", { link: await linkSecret(service, email) })).status,
  ).toBe(303)
  service.clock.advance(15 * minuteMs)
  expect((await visitor(service).post("/account/sign-in", { email, password })).status).toBe(303)
})

test("the current password can't be guessed in a stolen session either", async () => {
  const person = await withPassword(service, email)
  service.clock.advance(61 * minuteMs)
  const chosen = "the thief's password"
  for (let guess = 0; guess < 10; guess++) {
    const form = { current: `guess ${guess}`, password: chosen }
    expect((await person.post("/account/password", form)).status).toBe(400)
  }
  const right = await person.post("/account/password", { current: password, password: chosen })
  expect(right.status).toBe(429)
})

/** What an account, none and a disabled one get for the same form, `times` in turn. */
async function answersTo(path: string, times: number, fields: Record<string, string> = {}) {
  const disabled = `${crypto.randomUUID()}@example.com`
  await service.issue(disabled)
  await setDisabled(service.editor, disabled, true)
  const unknown = `${crypto.randomUUID()}@example.com`
  const answers: unknown[] = []
  for (const typed of [email, unknown, disabled]) {
    const own: unknown[] = []
    for (let attempt = 0; attempt < times; attempt++) {
      const answer = await visitor(service).post(path, { email: typed, ...fields })
      own.push(await comparable(answer, typed))
    }
    answers.push(own)
  }
  return { answers, unknown, disabled }
}

test("signing in answers the same for an account, for none and for a disabled one", async () => {
  await withPassword(service, email)
  const { answers } = await answersTo("/account/sign-in", 11, { password: "a wrong password" })
  expect(answers).toEqual([answers[0], answers[0], answers[0]])
})

test("asking for a link answers the same for an account, for none and for a disabled one, at the same cost", async () => {
  const { answers, unknown, disabled } = await answersTo("/account/send-link", 6)
  expect(answers).toEqual([answers[0], answers[0], answers[0]])
  await until(() => mail.mails.filter(({ recipients }) => recipients.includes(email)).length === 5)
  for (const other of [unknown, disabled]) {
    expect(mail.mails.some(({ recipients }) => recipients.includes(other))).toBe(false)
  }
  const made =
    await service.sql`select 1 from sign_in_links where email in ${service.sql([email, unknown])} group by email having count(*) = 5`
  expect(made).toHaveLength(2)
})

test("who asks for a link does not wait for its mail", async () => {
  // It hangs: sending ends by giving up, which is logged.
  const hanging = mailServer({ replace: () => "" })
  const patient = await testService({
    beside: service,
    settings: { ...mailSettings(), SMTP_URL: hanging.url },
  })
  expect((await visitor(patient).post("/account/send-link", { email })).status).toBe(200)
  expect((await patient.logged()).join("")).not.toContain("a mail was not sent")
  hanging.stop()
  await patient.stop()
})

test("a link that a scanner opens still works once, and of two at once one works", async () => {
  const secret = await linkSecret(service, email)
  const scanner = visitor(service)
  for (let count = 0; count < 3; count++) {
    const answer = await scanner.get(`/account/link?link=${secret}`)
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null])
  }
  const both = await Promise.all(
    [1, 2].map(() => visitor(service).post("/account/link", { link: secret })),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([303, 410])
  const late = await linkSecret(service, email)
  service.clock.advance(15 * minuteMs)
  expect((await visitor(service).get(`/account/link?link=${late}`)).status).toBe(410)
  expect((await visitor(service).post("/account/link", { link: late })).status).toBe(410)
})

test("no address leads out of the service after signing in", async () => {
  await withPassword(service, email)
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/.//evil.example",
  ]) {
    const page = await visitor(service).get(`/account/sign-in?next=${encodeURIComponent(next)}`)
    expect(await page.text()).toContain('<input type="hidden" name="next" value="/account">')
    const answer = await visitor(service).post("/account/sign-in", { email, password, next })
    expect([next, answer.headers.get("location")]).toEqual([next, "/account"])
    const link = await linkSecret(service, email)
    const byLink = await visitor(service).post("/account/link", { link, next })
    expect([next, byLink.headers.get("location")]).toEqual([next, "/account"])
  }
})

test("a disabled account's session, password and link are refused", async () => {
  const person = await withPassword(service, email)
  const secret = await linkSecret(service, email)
  await setDisabled(service.editor, email, true)
  expect((await person.get("/account/sessions")).status).toBe(303)
  expect((await visitor(service).post("/account/sign-in", { email, password })).status).toBe(400)
  const invented = `mds_link_${"A".repeat(43)}`
  const answers: Response[] = []
  for (const link of [secret, invented]) {
    answers.push(await visitor(service).get(`/account/link?link=${link}`))
    answers.push(await visitor(service).post("/account/link", { link }))
  }
  expect(answers.map(({ status }) => status)).toEqual([410, 410, 410, 410])
  const [first, ...others] = await Promise.all(answers.map((answer) => answer.text()))
  expect(first).toContain("<h1>This link can&#x27;t be used</h1>")
  expect(first).not.toContain(email)
  for (const other of others) expect(other).toBe(first ?? "")
})

test("a body that is too long or no form is refused", async () => {
  const headers = { "Sec-Fetch-Site": "same-origin" }
  const send = async (body: string, type: string) =>
    (
      await fetch(`${service.url}/account/sign-in`, {
        method: "POST",
        body,
        headers: { ...headers, "Content-Type": type },
      })
    ).status
  const form = "application/x-www-form-urlencoded"
  expect(await send(`email=${"x".repeat(20_000)}`, form)).toBe(413)
  expect(await send("{}", "application/json")).toBe(415)
})

test("where sign-up is open, an account is made once its address is confirmed", async () => {
  const newcomer = `${crypto.randomUUID()}@example.com`
  const person = visitor(open)
  expect(await (await person.get("/account/sign-up")).text()).toContain(
    "<h1>Create an account</h1>",
  )
  const asked = await person.post("/account/send-link", { email: newcomer, "sign-up": "true" })
  expect(asked.status).toBe(200)
  const url = await mailedLink(newcomer)
  expect(url).toStartWith(`${baseUrl}/account/link?link=mds_link_`)
  const exists = async () =>
    (await service.sql`select 1 from accounts where email = ${newcomer}`).length > 0
  expect(await exists()).toBe(false)
  const { pathname, search } = new URL(url)
  expect(await (await person.get(pathname + search)).text()).toContain("Create the account")
  expect(await exists()).toBe(false)
  const made = await person.post("/account/link", { link: secretIn(url) })
  expect(made.headers.get("location")).toStartWith("/account/password?")
  expect(await (await person.get("/account/sessions")).text()).toContain(newcomer)
  expect((await visitor(open).post("/account/link", { link: secretIn(url) })).status).toBe(410)
})

test("the address of a mailed link does not come from the request", async () => {
  await visitor(service).post(
    "/account/send-link",
    { email },
    { headers: { Host: "evil.example" } },
  )
  const url = await mailedLink(email)
  expect(url).toBe(`${baseUrl}/account/link?link=${secretIn(url)}`)
})

test("no secret is in the log or anywhere in the database", async () => {
  const person = await withPassword(service, email)
  await visitor(service).post("/account/sign-in", { email, password })
  await visitor(service).post("/account/sign-in", { email, password: "an0ther-guess-here" })
  await visitor(service).post("/account/send-link", { email })
  const mailed = secretIn(await mailedLink(email))
  const printed = await linkSecret(service, email)
  for (const secret of [mailed, printed]) {
    const escaped = encodeURIComponent(encodeURIComponent(`/account/link?link=${secret}`))
    for (const path of [
      `/account/link?link=${secret}`,
      `/account/link?LINK=${secret}`,
      `/account/link?l%69nk=${secret}&next=${escaped}`,
      `/account/link/${secret}`,
      `/account/sign-in?next=${escaped}&reason=${secret}`,
      `/${secret}`,
    ]) {
      await (await person.get(path, { headers: { Referer: service.url + path } })).text()
    }
    await visitor(service).post(`/account/link?link=${secret}`, { link: secret })
  }
  const token = await service.issue(email)
  const mistaken = [
    ...[token, mailed].flatMap((each) => [
      `?apikey=${each}`,
      `?token=${each.replace("_", "%5F")}`,
      `?${each}`,
      `/${each}`,
      `/${"x".repeat(400)}${each}?page=${"x".repeat(400)}${each}`,
    ]),
    "?last",
  ]
  for (const wrong of mistaken) await service.get(`/api/v1/companies${wrong}`, { token })
  await until(async () => {
    const stored = await service.sql`select 1 from recent_requests where target like '%?last'`
    return stored.length === 1
  })
  const asked = await service.sql`select 1 from recent_requests where target ~ 'mds_(link_)?.*…'`
  expect(asked).toHaveLength(mistaken.length - 1)
  const cookie = person.jar.cookie ?? ""
  const secrets = [
    ...[password, "an0ther-guess-here", cookie],
    ...[mailed.slice(9), printed.slice(9), token.slice(12)],
  ]
  const tables = await service.sql`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  expect(tables.length).toBeGreaterThan(10)
  let stored = ""
  for (const { name } of tables) {
    const rows = await service.sql.unsafe(`select row_to_json(t)::text as row from ${name} t`)
    stored += rows.map(({ row }) => row).join("\n")
  }
  const logged = (await service.logged()).join("")
  expect(stored).toContain(hashSecret(cookie))
  const lines = (await service.logged()).map((line) => JSON.parse(line))
  const shown = lines.filter(
    (line) => line["url.path"] === "/account/link" && line["http.request.method"] === "GET",
  )
  expect(shown.length).toBeGreaterThan(4)
  expect(shown[0]).not.toHaveProperty("url.query")
  for (const each of secrets) {
    expect(each.length).toBeGreaterThan(10)
    for (const text of [stored, logged]) expect(text.includes(each)).toBe(false)
    expect(logged.includes(each.slice(8, 24))).toBe(false)
  }
})
