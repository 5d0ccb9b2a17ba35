/** In the pages, people make watches from what the explorer shows, and pause, test and delete their own. */
import { expect, test } from "bun:test"
import { awkward } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import {
  factsOf,
  headingOf,
  hiddenField,
  leadOf,
  linkTo,
  optionsOf,
  textOf,
} from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor, visitor } from "./visitor.ts"

const service = await serviceOfFile({ settings: { WEBHOOK_PRIVATE: "true" } })

const mailing = await serviceOfFile({
  beside: service,
  now: service.clock.now,
  settings: {
    SMTP_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "data@example.com",
    BASE_URL: "https://example.com",
  },
})

let people = 0
const someone = (at = service) => signedInVisitor(at, `watcher${++people}@example.com`)

/** Nothing listens there. */
const url = "http://127.0.0.1:9/events?key=of-the-receiver"
const webhook = { name: "Gold in WA", channel: "webhook", url, reports: "both", days: "90" }
const newWatch = "/account/watches/new"
const secretPattern = /whsec_[\w+/=]{20,}/

const stored = async (person: SignedInVisitor) => [
  ...(await service.sql`select id::int, name, subject, channel, state, secret from watches
    where account_id = ${person.accountId} order by id`),
]

async function made(person: SignedInVisitor, form: Record<string, string> = {}) {
  const response = await person.post(newWatch, { ...webhook, path: "/tenements?state=WA", ...form })
  const text = await response.text()
  const row = (await stored(person)).at(-1)
  const id = Number(row?.id)
  return { response, text, row, id, path: `/account/watches/${id}` }
}

const explorer = await someone(mailing)

test.each([
  [
    "/tenements?status=granted&state=WA&page=2&sort=area_km2&fields=state",
    "/tenements?state=WA&status=granted",
  ],
  ["/map?state=WA", "/tenements?state=WA"],
  ["/holders?state=WA", "/tenements?state=WA"],
  ["/holders/BIG%20ORE%20LIMITED", "/tenements?held_by=BIG%20ORE%20LIMITED"],
  ["/companies?sector=materials", "/companies?sector=materials"],
  ["/companies/big/tenements?state=WA", "/companies/BIG/tenements?state=WA"],
  ["/reports?company=big", "/reports?company=BIG"],
  ["/companies/BIG/subsidiaries", "/companies/BIG/subsidiaries"],
  ["/companies/BIG", "/companies/BIG"],
  ["/tenements/WA-E47-1235", "/tenements/WA-E47-1235"],
  ["/reports/a2", "/reports/a2"],
  ["/changes/tenements?state=WA&since=0", "/tenements?state=WA"],
])("“Watch” on %s makes a watch of %s by one more button", async (shown, watched) => {
  const opened = await explorer.get(`/explore${shown}`)
  const listed = opened.headers.get("location") ?? `/explore${shown}`
  const form = await explorer.read(linkTo(await explorer.read(listed), "Watch") ?? "")
  const sent = await explorer.post(newWatch, {
    path: hiddenField(form, "path"),
    name: /id="name"[^>]* value="([^"]*)"/.exec(form)?.[1] ?? "",
    channel: "at-once",
    ...(form.includes('name="reports"') && { reports: "both", days: "90" }),
  })
  const row = (await stored(explorer)).at(-1)
  expect([sent.status, sent.headers.get("location")]).toEqual([
    303,
    `/account/watches/${row?.id}?done=created`,
  ])
  expect([row?.subject.path, row?.channel]).toEqual([watched, { kind: "mail", when: "at-once" }])
})

test("The explorer's list of all subsidiaries is none of the API, so it cannot be watched", async () => {
  const person = await someone()
  expect(linkTo(await person.read("/explore/subsidiaries"), "Watch")).toBeUndefined()
})

test("The form says what is watched, offers what fits it, and counts what would have been sent", async () => {
  const person = await someone()
  const tenements = await person.read(
    `${newWatch}?path=${encodeURIComponent("/tenements?state=WA")}`,
  )
  expect(leadOf(tenements)).toBe("Tenements in Western Australia")
  expect(optionsOf(tenements, "reports")).toEqual(["both", "changes", "removals", "expiry"])
  const text = textOf(tenements)
  for (const kind of ["Added", "Status", "Holder", "Expiry", "Area", "Companies"]) {
    expect(text).toContain(kind)
  }
  expect(text).toContain("Nothing in the last 30 days.")
  const companies = await person.read(`${newWatch}?path=/companies`)
  expect(optionsOf(companies, "reports")).toEqual(["both", "changes", "removals"])
  const company = await person.read(`${newWatch}?path=/companies/BIG`)
  expect([leadOf(company), optionsOf(company, "reports")]).toEqual(["Company BIG", undefined])
  expect(linkTo(company, "Its tenements")).toBe(`${newWatch}?path=%2Fcompanies%2FBIG%2Ftenements`)
  expect(linkTo(company, "Its announcements")).toBe(`${newWatch}?path=%2Freports%3Fcompany%3DBIG`)
  expect(leadOf(await person.read(newWatch))).toBe("Every release")
})

test("The URL of a webhook is stored as requests have it, without control characters", async () => {
  const { response, row } = await made(await someone(), { url: `${url}\0 \r\n\u001B[31m` })
  expect([response.status, row?.channel]).toEqual([
    200,
    { kind: "webhook", url: `${url}%00%20%1B[31m` },
  ])
})

test("The form offers mail only where the service sends mail", async () => {
  const path = `${newWatch}?path=/companies`
  const [without, withMail] = [await someone(), await someone(mailing)]
  expect(optionsOf(await without.read(path), "channel")).toEqual(["webhook"])
  expect(optionsOf(await withMail.read(path), "channel")).toEqual([
    "at-once",
    "daily",
    "weekly",
    "webhook",
  ])
  const { response } = await made(without, { channel: "daily" })
  expect([response.status, await stored(without)]).toEqual([400, []])
})

test("A watch reports the chosen kinds of change, removals, or coming expiry dates", async () => {
  const person = await someone()
  await made(person, { reports: "changes", "only Holder": "true", "only Added": "true" })
  await made(person, { reports: "removals", "only Holder": "true" })
  await made(person, { reports: "expiry", days: "30" })
  expect((await stored(person)).map(({ subject }) => subject)).toEqual([
    { kind: "list", path: "/tenements?changed=added%2Cholder_name&state=WA", reports: "changes" },
    { kind: "list", path: "/tenements?state=WA", reports: "removals" },
    { kind: "expiry", path: "/tenements?state=WA", days: 30 },
  ])
  const list = textOf(await person.read("/account/watches"))
  expect(list).toContain(
    "Tenements in Western Australia, only these changes: added, holder, only changes",
  )
  expect(list).toContain("Tenements in Western Australia, 30 days before expiry")
})

test("Counting again keeps the form and makes no watch", async () => {
  const person = await someone()
  const { response, text } = await made(person, {
    preview: "true",
    reports: "changes",
    "only Holder": "true",
  })
  expect([response.status, leadOf(text), await stored(person)]).toEqual([
    200,
    "Tenements in Western Australia, only these changes: holder, only changes",
    [],
  ])
  expect(text).toContain('<option value="changes" selected>')
  expect(text).toMatch(/name="only Holder" value="true" checked/)
  expect(text).toContain(`value="${url}"`)
})

const unlucky = await someone()

test.each([
  [{ name: " " }, "A watch requires a name."],
  [{ name: "x".repeat(101) }, "at most 100 characters."],
  [{ url: "ftp://example.com" }, "must begin with https:// or http://."],
  [{ reports: "expiry", days: "731" }, "must be an integer from 1 to 730."],
  [{ path: "/usage" }, "Not a list that can be watched: /usage."],
  [{ path: "/companies/nope" }, "There is no company NOPE."],
  [{ path: "/companies/nope/tenements" }, "There is no company NOPE."],
  [{ path: "/tenements?near=NOPE,30" }, "There is no tenement NOPE."],
  [{ path: "/tenements?state=nope" }, "state:"],
  [{ channel: "pigeon" }, "a value that the form does not offer"],
  [{ reports: "nothing" }, "a value that the form does not offer"],
])("%j makes no watch: %s", async (form, message) => {
  const { response, text } = await made(unlucky, form)
  expect([response.status, await stored(unlucky)]).toEqual([400, []])
  expect(textOf(text)).toContain(message)
})

test("The address of a webhook is checked while another change of the account is in progress", async () => {
  const person = await someone()
  const ended = Promise.withResolvers<void>()
  const lock = service.sql.begin(async (sql) => {
    await sql`select from accounts where id = ${person.accountId} for no key update`
    await ended.promise
  })
  let isInProgress = true
  const change = made(person).finally(() => {
    isInProgress = false
  })
  await until(async () => {
    const waiting = await service.sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return waiting.length > 0
  })
  const { response, text } = await made(person, { url: "https://169.254.169.254/" })
  expect([response.status, isInProgress]).toEqual([400, true])
  expect(textOf(text)).toContain("169.254.169.254 has no address")
  ended.resolve()
  await lock
  expect((await change).response.status).toBe(200)
})

test.each([
  ["changed=holder_name,added", "added%2Cholder_name", "changes"],
  ["changed=removed,status", "status", "both"],
  ["changed=removed", null, "removals"],
  ["changed=missing", null, "both"],
])("“Watch” on changes with %s offers these kinds of change", async (query, changed, reports) => {
  const person = await someone()
  const page = await person.read(`/explore/changes/tenements?state=WA&since=0&${query}`)
  const form = await person.read(linkTo(page, "Watch") ?? "")
  const kinds = [...form.matchAll(/name="(only [^"]+)" value="true" checked/g)]
  const chosen = /<option value="(\w+)" selected>/.exec(form)?.[1]
  const { row } = await made(person, {
    path: hiddenField(form, "path"),
    reports: chosen ?? "both",
    ...Object.fromEntries(kinds.map(([, name = ""]) => [name, "true"])),
  })
  const path = `/tenements?${changed === null ? "" : `changed=${changed}&`}state=WA`
  expect(row?.subject).toEqual({ kind: "list", path, reports })
})

test("An account can have 50 watches", async () => {
  const person = await someone()
  const { id } = await made(person)
  await service.sql`insert into watches (account_id, name, subject, channel, host, secret, created_at, covered_release)
    select account_id, name, subject, channel, host, secret, created_at, 0
    from watches, generate_series(2, 50) where id = ${id}`
  const { response, text } = await made(person)
  expect([response.status, (await stored(person)).length]).toEqual([400, 50])
  expect(textOf(text)).toContain("An account can have 50 watches. Delete one")
})

test("The secret of a webhook is shown once, and a new one once", async () => {
  const person = await someone()
  const { response, text, row, path } = await made(person)
  const secret = secretPattern.exec(text)?.[0] ?? ""
  expect([response.headers.get("cache-control"), secret]).toEqual(["no-store", row?.secret])
  expect(textOf(text)).toContain("You won't see it again")
  const replaced = await (await person.post(`${path}/secret`)).text()
  const next = secretPattern.exec(replaced)?.[0] ?? ""
  expect(next).not.toBe(secret)
  expect((await stored(person))[0]?.secret).toBe(next)
  for (const page of ["/account/watches", path, "/account/audit"]) {
    expect(await person.read(page)).not.toMatch(secretPattern)
  }
  const late = await signedInVisitor(service, person.email, {
    at: new Date(service.clock.now.getTime() - 3_601_000),
  })
  expect((await late.post(`${path}/secret`)).headers.get("location")).toContain("reason=again")
  expect((await stored(person))[0]?.secret).toBe(next)
})

test("Owners pause, resume, test and delete a watch", async () => {
  const person = await someone()
  const { path } = await made(person)
  const page = await person.read(path)
  expect([headingOf(page), linkTo(page, "Tenements in Western Australia")]).toEqual([
    "Gold in WA",
    "/explore/tenements?state=WA",
  ])
  expect(factsOf(page)).toMatchObject({
    State: "active",
    Channel: "Webhook to 127.0.0.1:9",
    URL: url,
  })
  for (const [verb, done, state] of [
    ["pause", "paused", "paused"],
    ["resume", "resumed", "active"],
    ["test", "tested", "active"],
  ] as const) {
    const { status, headers } = await person.post(`${path}/${verb}`)
    expect([status, headers.get("location")]).toEqual([303, `${path}?done=${done}`])
    expect(factsOf(await person.read(`${path}?done=${done}`)).State).toBe(state)
  }
  expect((await person.post(`${path}/resume`)).status).toBe(400)
  const deleted = await person.post(`${path}/delete`)
  expect(deleted.headers.get("location")).toBe("/account/watches?deleted")
  expect(textOf(await person.read("/account/watches?deleted"))).toContain("The watch is deleted.")
  expect([await stored(person), (await person.get(path)).status]).toEqual([[], 404])
})

test("A watch lists its deliveries, and says whether a test was sent and why it is disabled", async () => {
  const person = await someone()
  const { id, path } = await made(person)
  await service.sql`update watches set state = 'disabled', reason = 'Connection refused' where id = ${id}`
  await service.sql`insert into deliveries (watch_id, event_id, type, at, release, attempt, is_ok, status, reason, ms)
    values (${id}, gen_random_uuid(), 'list.changed', '2026-02-28T01:02:03Z', 1, 9, false, 500, 'The receiver returned 500', 41.6)`
  const text = textOf(await person.read(path))
  expect(text).toContain("Disabled: Connection refused. Correct it, then resume the watch.")
  expect(text).toContain(
    "2026-02-28 01:02 UTC list.changed 1 9 failed The receiver returned 500 42 ms",
  )
  for (const [isDue, notice] of [
    [true, "The test is being sent."],
    [false, "The test has ended."],
  ] as const) {
    await service.sql`update watches set is_test_due = ${isDue} where id = ${id}`
    expect(textOf(await person.read(`${path}?done=tested`))).toContain(notice)
  }
  expect(await person.read(`${path}?done=constructor`)).not.toContain("function")
})

test("Other accounts, signed-out people and other sites neither see nor change a watch", async () => {
  const owner = await someone()
  const other = await someone()
  const { row, path } = await made(owner, { name: "<b>mine</b>" })
  expect(await other.read("/account/watches")).not.toContain("mine")
  expect((await other.get(path)).status).toBe(404)
  const guest = visitor(service)
  const foreign = { headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" } }
  for (const verb of ["pause", "resume", "test", "secret", "delete"]) {
    expect((await other.post(`${path}/${verb}`)).status).toBe(404)
    expect((await guest.post(`${path}/${verb}`)).status).toBe(303)
    expect((await owner.post(`${path}/${verb}`, {}, foreign)).status).toBe(403)
  }
  expect((await owner.post(newWatch, { ...webhook, path: "/companies" }, foreign)).status).toBe(403)
  const signIn = new URLSearchParams({ next: `${newWatch}?path=%2Fcompanies` })
  expect((await guest.get(`${newWatch}?path=/companies`)).headers.get("location")).toBe(
    `/account/sign-in?${signIn}`,
  )
  expect(await stored(owner)).toEqual([row ?? {}])
  expect(await owner.read(path)).not.toContain("<b>mine")
})

test("The form counts what one event would have had of the last 30 days", async () => {
  const person = await someone()
  const { tenements } = awkward
  const [removed, changed] = tenements
  await service.publish({
    ...awkward,
    tenements: tenements.flatMap((each) =>
      each === removed ? [] : [each === changed ? { ...each, area_km2: 1.5 } : each],
    ),
  })
  await service.sql`update releases set published_at = '2026-02-28T00:00:00Z' where id = 2`
  const list = `/tenements?state=${removed?.state}`
  const totalOf = async (kind: string) =>
    Number((await service.get(`${list}&${kind}=1`)).headers.get("x-total-count"))
  const [updates, removals] = [await totalOf("updated_since"), await totalOf("removed_since")]
  expect(removals).toBe(1)
  const form = await person.read(`${newWatch}?path=${encodeURIComponent(list)}`)
  expect(textOf(form)).toContain(
    `${updates} added or changed, ${removals} removed in the last 30 days, in 1 release. Show them`,
  )
  expect(linkTo(form, "Show them")).toContain(`/explore/changes${list}&since=1&as_of=2`)
})
