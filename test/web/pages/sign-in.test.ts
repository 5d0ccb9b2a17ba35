/** People sign in by one-time links, and what others try on these pages fails, over real sockets. */
import { beforeEach, expect, test } from "bun:test"
import { setDisabled } from "../../../src/accounts/access/accounts.ts"
import { hashSecret } from "../../../src/accounts/access/secret.ts"
import { linkPath } from "../../../src/accounts/access/sign-in-links.ts"
import { type MailServerOptions, mailServer } from "../../support/mail-server.ts"
import { afterFile } from "../../support/of-file.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { hiddenField, linkTo, textOf } from "./page-reader.ts"
import { linkSecret, signedInByLink, visitor } from "./visitor.ts"

let email: string

const minuteMs = 60_000
const baseUrl = "https://data.example.com"
const mailSettings = (url: string) => ({
  SMTP_URL: url,
  MAIL_FROM: "Data <data@example.com>",
  BASE_URL: baseUrl,
  TRUSTED_PROXIES: "1",
})

const mail = mailServer()
afterFile(mail.stop)
const service = await serviceOfFile({ settings: mailSettings(mail.url) })
const open = await serviceOfFile({
  beside: service,
  settings: { ...mailSettings(mail.url), SIGNUP: "open" },
})

/** Sends no mail. */
const mute = await serviceOfFile({ beside: service })

const newAccount = async (address = `${crypto.randomUUID()}@example.com`): Promise<string> => {
  await service.issue(address)
  return address
}

beforeEach(async () => {
  // Each test begins with empty windows.
  for (const each of [service, open, mute]) each.clock.advance(15 * minuteMs)
  email = await newAccount()
})

/** Asks for a link as a client with an address. */
const ask = (typed: string, { on = service, from = "192.0.2.1", form = {} } = {}) =>
  visitor(on).post(
    "/account/send-link",
    { email: typed, ...form },
    { headers: { "X-Forwarded-For": from } },
  )

const press = (link: string, on = service) => visitor(on).post("/account/link", { link })

const mailedLink = async (to: string): Promise<string> => {
  const { text } = await mail.mailTo(to)
  return /https?:\/\/\S+/.exec(text ?? "")?.[0] ?? ""
}

const mailsTo = (to: string) => mail.mails.filter(({ recipients }) => recipients.includes(to))

const secretIn = (url: string) => new URL(url).searchParams.get("link") ?? ""

/** What anybody can compare of two responses. */
async function comparable(response: Response, typed: string) {
  const headers = Object.fromEntries(response.headers)
  const text = (await response.text())
    .replaceAll(typed, "TYPED")
    .replace(/Request id <code>.*?<\/code>/, "")
  return { status: response.status, headers: { ...headers, date: "", "x-request-id": "" }, text }
}

test("A mailed link signs in and leads to the page that the person requested", async () => {
  const person = visitor(service)
  const response = await person.post("/account/send-link", { email, next: "/explore?a=1&b=2" })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(email)])
  const { pathname, search } = new URL(await mailedLink(email))
  const shown = await person.get(pathname + search)
  expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "no-store"])
  const page = await shown.text()
  expect(page).toContain(`As <b>${email}</b>.`)
  const form = { link: hiddenField(page, "link"), next: "/explore?a=1&b=2" }
  const used = await person.post("/account/link", form)
  expect([used.status, used.headers.get("location")]).toEqual([303, "/explore?a=1&b=2"])
  expect(used.headers.get("set-cookie")).toMatch(
    /^__Host-session=[\w-]{43}; Max-Age=7776000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  )
  expect(await person.read("/account/sessions")).toContain(email)
})

const shared = "/explore/tenements?state=WA&status=granted"

/** Opens a page, and the sign-in page that it leads to. */
const signInPageFor = async (path: string, on = service) => {
  const person = visitor(on)
  const location = (await person.get(path)).headers.get("location") ?? ""
  return { person, page: await person.read(location) }
}

test("A shared link is shown after signing in, by a mailed link of the last of several forms", async () => {
  const { person, page } = await signInPageFor(shared, open)
  const signUp = linkTo(page, "Create one") ?? ""
  // The header has a link of that text too.
  const [, main = ""] = (await person.read(signUp)).split("<main")
  const signIn = linkTo(main, "Sign in") ?? ""
  const form = { email, next: hiddenField(await person.read(signIn), "next") }
  const sent = await (await person.post("/account/send-link", form)).text()
  const again = hiddenField(await person.read(linkTo(sent, "try again") ?? ""), "next")
  expect([form.next, again]).toEqual([shared, shared])
  const { pathname, search } = new URL(await mailedLink(email))
  const opened = await person.read(pathname + search)
  const used = await person.post("/account/link", {
    link: hiddenField(opened, "link"),
    next: hiddenField(opened, "next"),
  })
  expect(used.headers.get("location")).toBe(shared)
})

test("A shared link is shown after signing in with the command that the page names", async () => {
  const { person, page } = await signInPageFor(shared, mute)
  const command = `mds account link you@example.com --next '${shared}'`
  expect(textOf(page)).toContain(command)
  const link = await linkSecret(service, email)
  const opened = await person.read(linkPath(link, shared))
  const used = await person.post("/account/link", { link, next: hiddenField(opened, "next") })
  expect(used.headers.get("location")).toBe(shared)
  // A second press, as by a person who goes back, leads there too.
  expect(linkTo(await (await person.get(linkPath(link, shared))).text(), "Continue")).toBe(shared)
})

test("The command that the page names has nothing that a shell would run", async () => {
  for (const next of ["/explore/x'$(id)'", "/explore?a='`id`'", "/explore\n'id'"]) {
    const page = await visitor(mute).read(`/account/sign-in?${new URLSearchParams({ next })}`)
    const [, quoted] = /--next '(.*)'$/m.exec(textOf(page).split(" It works once")[0] ?? "") ?? []
    expect(quoted).toMatch(/^[^'\n]*$/)
  }
})

test("Opening a link does not use it up, and of two people who press its button one is signed in", async () => {
  const secret = await linkSecret(service, email)
  const scanner = visitor(service)
  for (let count = 0; count < 3; count++) {
    const response = await scanner.get(`/account/link?link=${secret}`)
    expect([response.status, response.headers.get("set-cookie")]).toEqual([200, null])
  }
  const both = await Promise.all([press(secret), press(secret)])
  expect(both.map(({ status }) => status).sort()).toEqual([303, 410])
})

test("An expired, used, withdrawn, cut or invented link gets the same page, which offers another", async () => {
  const [late, used, disabled, cut] = [
    await linkSecret(service, email),
    await linkSecret(service, email),
    await linkSecret(service, await newAccount("disabled@example.com")),
    await linkSecret(service, email),
  ]
  expect((await press(used)).status).toBe(303)
  await setDisabled(service.editor, "disabled@example.com", true)
  service.clock.advance(15 * minuteMs - 1_000)
  expect((await visitor(service).get(`/account/link?link=${late}`)).status).toBe(200)
  service.clock.advance(1_000)
  const invented = [`mds_link_${"A".repeat(43)}`, `${used}A`, "", `${used}\0`, "x".repeat(5_000)]
  const pages: string[] = []
  for (const link of [late, used, disabled, cut.slice(0, -1), cut.slice(9), ...invented]) {
    const query = new URLSearchParams({ link })
    for (const response of [
      await visitor(service).get(`/account/link?${query}`),
      await press(link),
    ]) {
      expect([link, response.status]).toEqual([link, 410])
      pages.push(await response.text())
    }
  }
  expect(pages[0]).toContain("<h1>This link has expired or was used</h1>")
  expect(pages[0]).toContain(">Ask for another</a>")
  expect(new Set(pages).size).toBe(1)
})

test("Requesting a link returns the same response for an existing, an unknown and a disabled account", async () => {
  const [unknown, disabled] = [`${crypto.randomUUID()}@example.com`, await newAccount()]
  await setDisabled(service.editor, disabled, true)
  const responses: unknown[] = []
  for (const typed of [email, unknown, disabled]) {
    const own: unknown[] = []
    for (let request = 0; request < 6; request++)
      own.push(await comparable(await ask(typed), typed))
    responses.push(own)
  }
  expect(responses).toEqual([responses[0], responses[0], responses[0]])
  await until(() => mailsTo(email).length === 5)
  expect([...mailsTo(unknown), ...mailsTo(disabled)]).toEqual([])
})

test("Five requests for links in a quarter of an hour lock nobody out: each mailed link works", async () => {
  for (let from = 0; from < 5; from++) {
    expect((await ask(email.toUpperCase(), { from: `192.0.2.${from}` })).status).toBe(200)
  }
  const refused = await ask(email, { from: "192.0.2.9" })
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "900"])
  expect(await refused.text()).toContain("Use a link that was mailed before, or try again at ")
  await until(() => mailsTo(email).length === 5)
  service.clock.advance(15 * minuteMs - 1_000)
  for (const { source } of mailsTo(email)) {
    const text = source.replaceAll("=\r\n", "").replaceAll("=3D", "=")
    expect((await press(/link=(mds_link_[\w-]{43})/.exec(text)?.[1] ?? "")).status).toBe(303)
  }
  service.clock.advance(1_000)
  expect((await ask(email)).status).toBe(200)
})

test("A used link, and signing out everywhere, which ends all links, allow further requests", async () => {
  const person = await signedInByLink(service, email)
  const ways = [
    async () => press(secretIn(await mailedLink(email))),
    () => person.post("/account/sessions/end-all", {}),
  ]
  for (const [from, way] of ways.entries()) {
    const typed = { from: `198.51.100.${from}` }
    while ((await ask(email, typed)).status === 200);
    await until(() => mailsTo(email).length === 5 + from)
    expect((await way()).status).toBe(303)
    expect((await ask(email, typed)).status).toBe(200)
  }
})

test("Concurrent requests for links are limited too", async () => {
  const statuses = Array.from({ length: 9 }, async () => (await ask(email)).status)
  expect((await Promise.all(statuses)).filter((status) => status === 200)).toHaveLength(5)
})

test("A client has twenty requests for links, and further ones do not count for an account", async () => {
  for (let count = 0; count < 20; count++) {
    expect((await ask(`${count}@example.com`)).status).toBe(200)
  }
  for (let count = 0; count < 6; count++) expect((await ask(email)).status).toBe(429)
  expect((await ask(email, { from: "192.0.2.2" })).status).toBe(200)
})

test("While mail fails, the page says so for any address, and names the operator", async () => {
  let isDown = false
  const replace: MailServerOptions["replace"] = () => (isDown ? "421 Closing" : undefined)
  using failing = mailServer({ replace })
  await using affected = await testService({ beside: service, settings: mailSettings(failing.url) })
  const shows = async () =>
    (await visitor(affected).read("/account/sign-in")).includes("can&#x27;t send mail right now")
  expect(await shows()).toBe(false)
  const before = await linkSecret(service, email)
  for (const typed of ["nobody@example.com", email]) {
    isDown = true
    await ask(typed, { on: affected })
    await until(shows)
    const page = await (await ask(typed, { on: affected })).text()
    expect(page).toContain("mds account link you@example.com")
    expect(page).toContain("Links that were mailed before still work.")
    isDown = false
    await ask(typed, { on: affected })
    await until(async () => !(await shows()))
  }
  expect((await press(before)).status).toBe(303)
})

test.each([
  ["is rejected", "RCPT", "550 No such user"],
  // The reply breaks off.
  ["cannot be handed over", "MAIL", "250-221 Closing"],
])(
  "A mail that %s does not show on the page, since it would reveal an account",
  async (_, verb, reply) => {
    using rejecting = mailServer({
      replace: (command) => (command.startsWith(verb) ? reply : undefined),
    })
    await using affected = await testService({
      beside: service,
      settings: mailSettings(rejecting.url),
    })
    await ask(email, { on: affected })
    await until(() => affected.logLines.join("").includes("mail could not be sent"))
    expect(await visitor(affected).read("/account/sign-in")).not.toContain("send mail right now")
  },
)

test("A flood of guessed links from one address keeps nobody else from signing in", async () => {
  const flood = Array.from({ length: 400 }, (_, index) =>
    visitor(service).post(
      "/account/link",
      { link: `mds_link_${index}` },
      { headers: { "X-Forwarded-For": "203.0.113.1" } },
    ),
  )
  const person = await signedInByLink(service, email)
  expect(await person.read("/account/sessions")).toContain(email)
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([410]))
})

test("Without a mail server the page says so, and names the operator", async () => {
  const page = await visitor(mute).read("/account/sign-in")
  expect(page).toContain("This service sends no mail.")
  expect(page).toContain("mds account link you@example.com")
  expect(page).not.toContain('action="/account/send-link"')
  expect((await ask(email, { on: mute })).status).toBe(404)
  expect((await visitor(mute).get("/account/sign-up")).status).toBe(404)
})

test("The response does not wait for the mail", async () => {
  // It hangs: sending ends by giving up, which is logged.
  using hanging = mailServer({ replace: () => "" })
  await using patient = await testService({ beside: service, settings: mailSettings(hanging.url) })
  expect((await ask(email, { on: patient })).status).toBe(200)
  expect((await patient.logged()).join("")).not.toContain("mail could not be sent")
})

test("The service sends a link to the account's address, and the link begins with BASE_URL", async () => {
  const created = await newAccount(`Jo-${crypto.randomUUID()}@example.com`)
  await visitor(service).post(
    "/account/send-link",
    { email: created.toLowerCase() },
    { headers: { Host: "evil.example" } },
  )
  const url = await mailedLink(created)
  expect(url).toBe(`${baseUrl}/account/link?link=${secretIn(url)}`)
})

test("A link for an address that equals an account's only after folding does not sign in to the account", async () => {
  const name = crypto.randomUUID()
  const kelvin = `mi\u212ae-${name}@example.com`
  await ask(kelvin, { on: open })
  await until(() => mail.mails.some(({ source }) => source.includes(name)))
  const mailed = mail.mails.find(({ source }) => source.includes(name))?.source ?? ""
  const text = mailed.replaceAll("=\r\n", "").replaceAll("=3D", "=")
  const [secret = ""] = /mds_link_[\w-]{43}/.exec(text) ?? []
  const account = await newAccount(`mike-${name}@example.com`)
  expect((await press(secret, open)).status).toBe(410)
  await ask(kelvin, { on: open })
  expect(await mailedLink(account)).not.toContain(secret)
})

test("With open sign-up, mailed links create one standard account when their button is pressed", async () => {
  const newcomer = `${crypto.randomUUID()}@example.com`
  const person = visitor(open)
  expect(await person.read("/account/sign-up")).toContain("<h1>Create an account</h1>")
  const secrets: string[] = []
  for (let count = 0; count < 3; count++) {
    const earlier = mailsTo(newcomer).length
    expect((await ask(newcomer, { on: open, form: { "sign-up": "true" } })).status).toBe(200)
    await until(() => mailsTo(newcomer).length > earlier)
    secrets.push(secretIn(await mailedLink(newcomer)))
  }
  const made = () =>
    service.sql`select plan, who, origin from accounts join access_changes on account_id = accounts.id
      where email = ${newcomer} and columns ? 'email'`
  expect(await person.read(`/account/link?link=${secrets[0]}`)).toContain("Create the account")
  expect(await made()).toHaveLength(0)
  // A service with closed sign-up creates none with the same link.
  expect((await press(secrets[0] ?? "")).status).toBe(410)
  const both = await Promise.all(secrets.slice(1).map((secret) => press(secret, open)))
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect([...(await made())]).toEqual([{ plan: "standard", who: newcomer, origin: "127.0.0.1" }])
})

test("The form names an invalid address and keeps the typed text", async () => {
  for (const form of [{}, { "sign-up": "true" }]) {
    const typed = '"><script>alert(1)</script>'
    const response = await ask(typed, { on: open, form })
    const page = await response.text()
    expect(response.status).toBe(400)
    expect(page).toContain('id="email-fault">Enter an email address, such as you@example.com</p>')
    expect(page).toMatch(/<input[^>]* id="email"[^>]* aria-invalid="true"/)
    expect(page).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(page).not.toContain("<script>alert")
  }
})

test("No address leads out of the service after signing in", async () => {
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/.//evil.example",
    "/\t/evil.example",
    "/\r\n/evil.example",
    "javascript:alert(1)",
  ]) {
    const page = await visitor(service).read(`/account/sign-in?${new URLSearchParams({ next })}`)
    expect(hiddenField(page, "next")).toBe("/account")
    const link = await linkSecret(service, email)
    const response = await visitor(service).post("/account/link", { link, next })
    expect([next, response.headers.get("location")]).toEqual([next, "/account"])
  }
})

test("Forms sent from another site are rejected, and change nothing", async () => {
  const person = await signedInByLink(service, email)
  const secret = await linkSecret(service, email)
  const forms: [path: string, form: Record<string, string>][] = [
    ["/account/link", { link: secret }],
    ["/account/send-link", { email }],
    ["/account/sessions/end", { session: hashSecret(person.jar.cookie ?? "") }],
    ["/account/sessions/end-all", {}],
    ["/account/sign-out", {}],
    ["/account/tokens", { name: "stolen" }],
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
      const response = await person.post(path, form, { headers })
      expect([path, response.status, response.headers.get("set-cookie")]).toEqual([path, 403, null])
    }
    for (const headers of [{ Origin: "https://evil.example" }, { Origin: "null" }, {}]) {
      const response = await fetch(service.url + path, {
        method: "POST",
        body: new URLSearchParams(form),
        headers: { ...headers, Cookie: `__Host-session=${person.jar.cookie}` },
        redirect: "manual",
      })
      expect([path, headers, response.status]).toEqual([path, headers, 403])
    }
  }
  expect(mailsTo(email)).toEqual([])
  expect(await service.sql`select from tokens where name = 'stolen'`).toHaveLength(0)
  expect((await person.get("/account/sessions")).status).toBe(200)
  expect((await press(secret)).status).toBe(303)
})

test("A body that is too long or is not a form is rejected", async () => {
  const send = async (body: string, type: string) =>
    (
      await fetch(`${service.url}/account/send-link`, {
        method: "POST",
        body,
        headers: { "Sec-Fetch-Site": "same-origin", "Content-Type": type },
      })
    ).status
  const form = "application/x-www-form-urlencoded"
  expect(await send(`email=${"x".repeat(20_000)}`, form)).toBe(413)
  expect(await send("{}", "application/json")).toBe(415)
})

test("While the database is down, signing in returns 503, and the link stays valid", async () => {
  const secret = await linkSecret(service, email)
  const down = await testService({
    beside: service,
    now: service.clock.now,
    settings: mailSettings(mail.url),
    reach: (url) => url.replace(/@[^/]*/, "@127.0.0.1:1"),
  })
  const there = visitor(down)
  for (const response of [
    await ask(email, { on: down }),
    await there.get(`/account/link?link=${secret}`),
    await there.post("/account/link", { link: secret }),
    await there.get("/account", { headers: { Cookie: `__Host-session=${"x".repeat(43)}` } }),
  ]) {
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"])
    expect(response.headers.get("set-cookie")).toBeNull()
    expect(await response.text()).toContain("Try again shortly")
  }
  await down.stop()
  expect((await press(secret)).status).toBe(303)
})

test("A connection that is lost while a link is used gets 503, and the link stays valid", async () => {
  const person = visitor(service)
  const link = await linkSecret(service, email)
  await service.sql.begin(async (lock) => {
    await lock`select 1 from accounts where email = ${email} for update`
    const response = person.post("/account/link", { link })
    const isWaiting = service.sql`
      application_name = 'mds accounts' and wait_event_type = 'Lock' and datname = current_database()`
    await until(
      async () =>
        (await service.sql`select 1 from pg_stat_activity where ${isWaiting}`).length === 1,
    )
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity where ${isWaiting}`
    expect((await response).status).toBe(503)
  })
  expect(person.jar.cookie).toBeNull()
  expect((await person.post("/account/link", { link })).status).toBe(303)
})

test("No secret is in the log or anywhere in the database", async () => {
  const person = await signedInByLink(service, email)
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
  const requests = await service.sql`select 1 from recent_requests where target ~ 'mds_(link_)?.*…'`
  expect(requests).toHaveLength(mistaken.length - 1)
  const cookie = person.jar.cookie ?? ""
  const secrets = [cookie, mailed.slice(9), printed.slice(9), token.slice(12)]
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
