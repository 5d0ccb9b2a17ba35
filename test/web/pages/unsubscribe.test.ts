/** The link of a mail pauses its watch by one click without a session, and nothing else changes anything. */
import { beforeEach, expect, test } from "bun:test"
import { unsubscribeLink } from "../../../src/accounts/alerts/unsubscribe.ts"
import { serviceOfFile } from "../../support/service.ts"
import { textOf } from "./page-reader.ts"
import { signedInVisitor, visitor, withPool } from "./visitor.ts"

const service = await serviceOfFile()
const owner = await signedInVisitor(service, "owner@example.com")

let watchId: number
const newWatch = async (name = "Gold <b>near</b> E47"): Promise<number> => {
  const [row] = await service.sql`
    insert into watches (account_id, name, subject, channel, host, created_at, covered_release)
    values (${owner.accountId}, ${name}, '{"kind":"releases"}', '{"kind":"mail","when":"at-once"}', 'mail', now(), 0)
    returning id::int`
  return row?.id
}
const linkOf = (id: number) => withPool(service, (pool) => unsubscribeLink(pool, id))
const stateOf = async (id: number) =>
  (await service.sql`select state from watches where id = ${id}`)[0]?.state

beforeEach(async () => {
  watchId = await newWatch()
})

/** As mail programs send it: without a cookie, an origin or the headers of a browser. */
const oneClick = (
  path: string,
  body: FormData | URLSearchParams = new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
) => fetch(service.url + path, { method: "POST", body, redirect: "manual" })

const multipart = () => {
  const form = new FormData()
  form.set("List-Unsubscribe", "One-Click")
  return form
}

test("One click of a mail program pauses this watch and no other", async () => {
  const other = await newWatch()
  await linkOf(other)
  expect((await oneClick(await linkOf(watchId))).status).toBe(200)
  expect(await stateOf(watchId)).toBe("paused")
  expect(await stateOf(other)).toBe("active")
})

test("A form of several parts pauses the watch too, and a second click is harmless", async () => {
  const path = await linkOf(watchId)
  for (let click = 0; click < 2; click++) {
    const response = await oneClick(path, multipart())
    expect([response.status, await stateOf(watchId)]).toEqual([200, "paused"])
  }
})

test("Opening the link changes nothing and shows a button, which pauses the watch", async () => {
  const path = await linkOf(watchId)
  const stranger = visitor(service)
  const response = await stranger.get(path)
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(response.headers.get("referrer-policy")).toBe("same-origin")
  const page = await response.text()
  expect(textOf(page)).toContain("They are about your watch “Gold <b>near</b> E47”.")
  expect(page).toContain('<form method="post"')
  expect(page).not.toContain("<b>near</b>")
  expect(page).not.toContain("owner@example.com")
  await fetch(service.url + path, { method: "HEAD" })
  expect(await stateOf(watchId)).toBe("active")

  const pressed = await stranger.post(path)
  expect([pressed.status, await stateOf(watchId)]).toEqual([200, "paused"])
  expect(textOf(await pressed.text())).toContain("The watch sends nothing until you resume it.")
  expect(await stranger.read(path)).not.toContain('<form method="post" class')
})

test("Each mail has a link of its own, and all stay valid until the watch is deleted", async () => {
  const links = [await linkOf(watchId), await linkOf(watchId)]
  expect(new Set(links).size).toBe(2)
  for (const path of links) {
    await service.sql`update watches set state = 'active' where id = ${watchId}`
    expect((await oneClick(path)).status).toBe(200)
    expect(await stateOf(watchId)).toBe("paused")
  }
  await service.sql`delete from watches where id = ${watchId}`
  for (const path of links) {
    expect((await oneClick(path)).status).toBe(404)
    expect(await visitor(service).read(path, 404)).toContain("This link is no longer valid")
  }
})

test("No other token pauses a watch", async () => {
  const path = await linkOf(watchId)
  const [digest] =
    await service.sql`select sha256 from unsubscribe_tokens where watch_id = ${watchId}`
  const token = path.split("=")[1] ?? ""
  expect(token).toMatch(/^mds_stop_[\w-]{43}$/)
  for (const wrong of [
    digest?.sha256,
    token.slice(0, -1),
    `${token}A`,
    "",
    "\0",
    "x".repeat(5_000),
  ]) {
    const response = await oneClick(`/account/unsubscribe?token=${encodeURIComponent(wrong)}`)
    expect(response.status).toBe(404)
  }
  expect((await oneClick("/account/unsubscribe")).status).toBe(404)
  expect(await stateOf(watchId)).toBe("active")
})

test("The database has only the digest, and the audit log who paused the watch, and the log no token", async () => {
  const path = await linkOf(watchId)
  await oneClick(path)
  const token = path.split("=")[1] ?? ""
  // The log has the paths of requests.
  await fetch(`${service.url}/${token}`)
  expect((await service.logged()).join()).not.toContain(token)
  expect(JSON.stringify(await service.sql`select * from unsubscribe_tokens`)).not.toContain(token)
  const [last] = await service.sql`
    select who, account_id::int from access_changes order by id desc limit 1`
  expect(last).toEqual({ who: "owner@example.com", account_id: owner.accountId })
})
