/** People sign in by link or password, see where they are signed in, and sign out, over real sockets. */
import { beforeEach, expect, test } from "bun:test"
import { hashSecret } from "../../src/access/secret.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { linkSecret, password, signedInByLink, visitor, withPassword } from "./visitor.ts"

let email: string

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const service = await serviceOfFile()

beforeEach(async () => {
  email = `${crypto.randomUUID()}@example.com`
  await service.issue(email)
})

test("from a one-time link to a password, and in again with it", async () => {
  const person = visitor(service)
  const secret = await linkSecret(service, email)
  const shown = await person.get(`/account/link?link=${secret}&next=%2Fexplore`)
  expect([shown.status, shown.headers.get("cache-control")]).toEqual([200, "no-store"])
  const page = await shown.text()
  expect(page).toContain(email)
  expect(page).toContain('action="/account/link"')
  expect(person.jar.cookie).toBeNull()

  const used = await person.post("/account/link", { link: secret, next: "/explore" })
  expect([used.status, used.headers.get("location")]).toEqual([
    303,
    "/account/password?next=%2Fexplore",
  ])
  expect(used.headers.get("set-cookie")).toMatch(
    /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  )
  const choose = await (await person.get("/account/password?next=%2Fexplore")).text()
  expect(choose).toContain("<h1>Choose a password</h1>")
  expect(choose).toContain('href="/explore">Not now</a>')
  expect(choose).not.toContain("Current password")
  const set = await person.post("/account/password", { password, next: "/explore" })
  expect([set.status, set.headers.get("location")]).toEqual([303, "/explore"])

  expect((await person.post("/account/sign-out")).headers.get("set-cookie")).toContain("Max-Age=0")
  expect((await person.get("/account/sessions")).headers.get("location")).toBe(
    "/account/sign-in?next=%2Faccount%2Fsessions",
  )
  const again = await person.post("/account/sign-in", {
    email,
    password,
    next: "/account/sessions",
  })
  expect([again.status, again.headers.get("location")]).toEqual([303, "/account/sessions"])
  expect((await person.get("/account/sessions")).status).toBe(200)
})

test("the form says what is wrong and keeps what was typed, but never the password", async () => {
  const person = visitor(service)
  const attempts: [form: Record<string, string>, fault: string, field: string][] = [
    [{ email: "analyst", password }, "Enter an email address, such as you@example.com", "email"],
    [{ email, password: "" }, "Enter your password", "password"],
    [{ email, password }, "The email address or the password is wrong", "password"],
    [{}, "Enter an email address, such as you@example.com", "email"],
  ]
  for (const [form, fault, field] of attempts) {
    const answer = await person.post("/account/sign-in", form)
    const page = await answer.text()
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([400, null])
    expect(page).toContain(`<p class="fault" id="${field}-fault">${fault}</p>`)
    expect(page).toMatch(new RegExp(`<input[^>]* id="${field}"[^>]* aria-invalid="true"`))
    expect(page).toContain(`value="${form.email ?? ""}"`)
    expect(page).not.toContain(password)
  }
  const typed = '"><script>alert(1)</script>'
  expect(await (await person.post("/account/sign-in", { email: typed })).text()).not.toContain(
    "<script>alert",
  )
})

test("a new password needs the current one, or a link used within the hour", async () => {
  const person = await withPassword(service, email)
  const chosen = { password: "another good password" }
  service.clock.advance(61 * minuteMs)
  const missing = await person.post("/account/password", chosen)
  expect([missing.status, await missing.text()]).toEqual([
    400,
    expect.stringContaining("This is not your current password"),
  ])
  for (const [form, fault] of [
    [{ current: password, password: "too short" }, "Use at least 12 characters"],
    [{ current: password, password: email }, "Use something other than your email address"],
    [{ current: "wrong", ...chosen }, "This is not your current password"],
  ] as const) {
    const answer = await person.post("/account/password", form)
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(fault)])
  }
  const changed = await person.post("/account/password", { current: password, ...chosen })
  expect(changed.headers.get("location")).toBe("/account/password?done")
  expect(await (await person.get("/account/password?done")).text()).toContain(
    "Your password is set. All other sessions have ended.",
  )
  const other = visitor(service)
  expect((await other.post("/account/sign-in", { email, password })).status).toBe(400)
  expect((await other.post("/account/sign-in", { email, ...chosen })).status).toBe(303)
})

test("a session without a password sets a first one only soon after its link", async () => {
  const person = await signedInByLink(service, email)
  service.clock.advance(61 * minuteMs)
  for (const answer of [
    await person.get("/account/password"),
    await person.post("/account/password", { password }),
  ]) {
    expect(answer.status).toBe(303)
    expect(answer.headers.get("location")).toMatch(/^\/account\/sign-in\?next=.*&reason=link$/)
  }
})

test("sessions are listed with browser and address, and each is ended by itself", async () => {
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
  const page = await (await firefox.get("/account/sessions")).text()
  for (const text of ["Firefox on Windows", "Safari on iPhone", "this one", "127.0.0.1"]) {
    expect(page).toContain(text)
  }
  const phoneId = hashSecret(phone.jar.cookie ?? "")
  expect(page).toContain(`value="${phoneId}"`)
  expect(page).not.toContain(phone.jar.cookie ?? "")

  const ended = await firefox.post("/account/sessions/end", { session: phoneId })
  expect(ended.headers.get("location")).toBe("/account/sessions")
  expect((await phone.get("/account/sessions")).status).toBe(303)
  expect((await firefox.get("/account/sessions")).status).toBe(200)
})

test("nobody ends another person's session", async () => {
  const victim = await signedInByLink(service, email)
  const id = hashSecret(victim.jar.cookie ?? "")
  email = `${crypto.randomUUID()}@example.com`
  await service.issue(email)
  const other = await signedInByLink(service, email)
  expect((await other.post("/account/sessions/end", { session: id })).status).toBe(303)
  expect((await victim.get("/account/sessions")).status).toBe(200)
})

test("a session lasts through a restart of the service, and ends after seven days without use", async () => {
  const person = await signedInByLink(service, email)
  const other = await testService({ beside: service, now: service.clock.now })
  const elsewhere = visitor(other)
  elsewhere.jar.cookie = person.jar.cookie
  expect((await elsewhere.get("/account/sessions")).status).toBe(200)
  await other.stop()
  service.clock.advance(7 * dayMs)
  expect((await person.get("/account/sessions")).headers.get("location")).toStartWith(
    "/account/sign-in",
  )
})

test("over plain HTTP, where browsers keep no session, the page says so", async () => {
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

test("without a mail server the page says how an operator makes a link", async () => {
  const page = await (await visitor(service).get("/account/sign-in")).text()
  expect(page).toContain("mds account link")
  expect(page).not.toContain('action="/account/send-link"')
  expect((await visitor(service).post("/account/send-link", { email })).status).toBe(404)
  expect((await visitor(service).get("/account/sign-up")).status).toBe(404)
})

test("while the database is down, signing in answers 503 and loses nothing", async () => {
  const person = await withPassword(service, email)
  const secret = await linkSecret(service, email)
  const down = await testService({
    beside: service,
    now: service.clock.now,
    reach: (url) => url.replace(/@[^/]*/, "@127.0.0.1:1"),
  })
  const there = visitor(down)
  for (const answer of [
    await there.post("/account/sign-in", { email, password }),
    await there.get(`/account/link?link=${secret}`),
    await there.post("/account/link", { link: secret }),
    await there.get("/account/sessions", {
      headers: { Cookie: `__Host-session=${person.jar.cookie}` },
    }),
  ]) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get("retry-after")).toBe("5")
    expect(answer.headers.get("set-cookie")).toBeNull()
    expect(await answer.text()).toContain("Try again shortly")
  }
  await down.stop()
  expect((await visitor(service).post("/account/link", { link: secret })).status).toBe(303)
  expect((await person.get("/account/sessions")).status).toBe(200)
})

test("a connection that is lost while a link is used answers 503, and the link is still valid", async () => {
  const person = visitor(service)
  const link = await linkSecret(service, email)
  await service.sql.begin(async (lock) => {
    await lock`select 1 from accounts where email = ${email} for update`
    const answer = person.post("/account/link", { link })
    const isWaiting = service.sql`
      application_name = 'mds accounts' and wait_event_type = 'Lock' and datname = current_database()`
    await until(
      async () =>
        (await service.sql`select 1 from pg_stat_activity where ${isWaiting}`).length === 1,
    )
    await service.sql`select pg_terminate_backend(pid) from pg_stat_activity where ${isWaiting}`
    expect((await answer).status).toBe(503)
  })
  expect(person.jar.cookie).toBeNull()
  expect((await person.post("/account/link", { link })).status).toBe(303)
})
