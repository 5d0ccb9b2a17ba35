/**
 * The requests of one account delay no other account, and equal requests at the same time are one
 * database query.
 */

import { expect, test } from "bun:test"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { holdLock } from "../support/held-locks.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { opened, requestText, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()
const load = fileLoader(service)
const others = await Promise.all(Array.from({ length: 4 }, () => service.issueWithLimit(10_000)))

/** Keeps all statements on reports waiting until its release. */
const lockReports = ({ sql } = service) =>
  holdLock(sql, "lock table reports in access exclusive mode")

/** Statements of the service that wait for the lock. */
const blocked = async ({ sql } = service) => {
  const [row] = await sql<{ different: number; all: number }[]>`
    select count(*)::int as all, count(distinct query)::int as different
    from pg_stat_activity
    where datname = current_database() and application_name like 'mds %' and wait_event_type = 'Lock'`
  return { all: row?.all ?? 0, different: row?.different ?? 0 }
}

const search = (text: string, token?: string) =>
  service.get(`/reports?search=${text}`, token === undefined ? {} : { token })
const statuses = async (responses: Promise<Response>[]) =>
  (await Promise.all(responses)).map(({ status }) => status)

test("An account at its share of connections delays no other account", async () => {
  await using locked = await lockReports()
  const slow = Array.from({ length: 40 }, (_, index) => search(`slow ${index}`))
  await until(async () => (await blocked()).all >= 4)
  for (let round = 0; round < 5; round++) {
    const paths = ["/companies", "/companies/BIG", "/tenements?per_page=1", "/subsidiaries"]
    const responses = others.flatMap((token) => paths.map((path) => service.get(path, { token })))
    expect(await statuses(responses)).toEqual(others.flatMap(() => [200, 200, 200, 404]))
  }
  await locked.release()
  expect(await statuses(slow)).toEqual(Array(40).fill(200))
})

test("An account with over 1,000 requests at once, and no other, gets 503 with Retry-After, and the log shows whose requests they were", async () => {
  await using locked = await lockReports()
  const headers = { Authorization: `Bearer ${service.tokens.admin}` }
  // More connections than `fetch` opens.
  const flood = Array.from({ length: 1_050 }, (_, index) =>
    sendRaw(service.port, requestText(`/api/v1/reports?search=flood%20${index}`, headers)),
  )
  let rejected = 0
  for (const response of flood) {
    response.then(
      ({ status }) => (rejected += Number(status === 503)),
      () => {},
    )
  }
  await until(() => rejected === 50)
  const refused = await Promise.race(flood)
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, "UNAVAILABLE"])
  expect(refused.headers["retry-after"]).toMatch(/^[1-9]\d*$/)
  const waiting = others.slice(0, 3).map((token, index) => search(`of ${index}`, token))
  for (const token of others.slice(3)) {
    expect((await service.get("/companies", { token })).status).toBe(200)
  }
  await locked.release()
  expect(await statuses(waiting)).toEqual([200, 200, 200])
  const flooded = (await Promise.all(flood)).map(({ status }) => status)
  // The admitted requests are served in their turn.
  expect(flooded.filter((status) => status === 200)).toHaveLength(1_000)
  const logged = () => service.logLines.map((line) => JSON.parse(line))
  const unavailable = () => logged().filter((line) => line["error.type"] === "UNAVAILABLE")
  await until(() => unavailable().length === rejected)
  for (const line of unavailable()) expect(line["mds.account"]).toBeGreaterThan(0)
  expect(logged().filter(({ level }) => level === "error")).toEqual([])
})

test("A hundred first callers of one filter share one count and one page", async () => {
  await using locked = await lockReports()
  const responses = Array.from({ length: 100 }, (_, caller) =>
    search("february", others[caller % others.length]),
  )
  await until(async () => (await blocked()).all >= 2)
  expect(await blocked()).toEqual({ all: 2, different: 2 })
  await locked.release()
  const all = await Promise.all(responses)
  const bodies = new Set(await Promise.all(all.map((response) => response.text())))
  expect(all.map(({ status }) => status)).toEqual(Array(100).fill(200))
  expect(bodies.size).toBe(1)
})

test("Exports of one account wait for each other, not for other accounts", async () => {
  await using few = await testService({ beside: service, settings: { MAX_EXPORTS: "10" } })
  const token = await few.issueWithLimit(10_000)
  const every = "/reports?format=csv&all=true"
  const exports = Array.from({ length: 60 }, () => few.get(every))
  // None of these is read until the end: two are under way, and the others wait.
  const begun = await Promise.race(exports)
  expect(begun.status).toBe(200)
  expect(await statuses(Array.from({ length: 2 }, () => few.get(every, { token })))).toEqual([
    200, 200,
  ])
  const bodies = await Promise.all(exports.map(async (response) => (await response).text()))
  expect(new Set(bodies).size).toBe(1)
})

test("A receiver that disconnects at any stage of its export frees its slot", async () => {
  await using one = await testService({ beside: service, settings: { MAX_EXPORTS: "1" } })
  const path = "/api/v1/reports?format=csv&all=true"
  await using locked = await lockReports(one)
  const early = await opened(one.port)
  early.write(requestText(path, { Authorization: `Bearer ${one.tokens.admin}` }))
  await until(async () => (await blocked(one)).all > 0)
  early.destroy()
  await locked.release()
  for (let round = 0; round < 20; round++) {
    const socket = await opened(one.port)
    socket.write(requestText(path, { Authorization: `Bearer ${one.tokens.admin}` }))
    for (let turns = round % 10; turns > 0; turns--) await new Promise((next) => setImmediate(next))
    socket.destroy()
  }
  const response = await one.get("/reports?format=csv&all=true")
  expect(response.status).toBe(200)
  expect((await response.text()).length).toBeGreaterThan(100)
})

test("Other requests proceed between the areas around many tenements", async () => {
  const stars = Array.from({ length: 6 }, (_, index) => {
    const corners = Array.from({ length: 150 }, (_, corner) => {
      const angle = (corner / 75) * Math.PI
      const size = corner % 2 === 0 ? 0.4 : 0.3
      return `${(115 + index + size * Math.cos(angle)).toFixed(6)} ${(-25 + size * Math.sin(angle)).toFixed(6)}`
    })
    return `STAR${index},S${index},WA,granted,"POLYGON ((${[...corners, corners[0]].join()}))"`
  })
  await load("tenements", { "stars.csv": ["id,tenement_id,state,status,geometry", ...stars] })
  // No shape is in this box, so that areas, and no comparisons, take the time.
  const begun = performance.now()
  let [last, longest] = [begun, 0]
  const ticks = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  const responses = stars.map((_, index) =>
    service.get(`/tenements?near=STAR${index},0.5&bbox=90,-1,91,0`),
  )
  expect(await statuses(responses)).toEqual(stars.map(() => 200))
  clearInterval(ticks)
  expect(longest).toBeLessThan((performance.now() - begun) / 3)
})
