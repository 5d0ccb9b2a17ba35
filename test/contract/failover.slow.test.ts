/**
 * A database fails over behind one address: the service recovers within five seconds by reconnecting, and
 * shows nothing older than before.
 */
import { expect, test } from "bun:test"
import { afterFile } from "../support/of-file.ts"
import { type OwnServer, ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { awkwardPublished, serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList } from "./bodies.ts"
import { interruptibleProxy } from "./interruptible-proxy.ts"

const recoveryMs = 5_000
const paths = ["/companies", "/companies/BIG", "/reports?format=csv&all=true", "/usage"]

const target = { host: "127.0.0.1", port: 0 }

const portOf = ({ url }: OwnServer): number => Number(new URL(url).port)

const primary = await ownServer()
afterFile(primary.stop)
const note = await fillWith(awkwardPublished, primary.url)
const standbys = await Promise.all([
  ownServer({ standbyOf: primary }),
  ownServer({ standbyOf: primary }),
])
for (const standby of standbys) {
  afterFile(standby.stop)
  await until(() =>
    standby.run("select from releases").then(
      (rows) => rows.length === 1,
      () => false,
    ),
  )
}
target.port = portOf(primary)
const proxy = await interruptibleProxy(target)
afterFile(proxy.close)
const service = await serviceOfFile({
  beside: { database: { url: primary.url, note, drop: async () => {} } },
  settings: { CACHE_MEMORY_MB: "0" },
  reach: (url) => url.replace(/:\d+\//, `:${proxy.port}/`),
})

const isBack = async () => {
  const responses = await Promise.all(paths.map((path) => service.get(path)))
  return responses.every(({ status }) => status === 200)
}

const isListening = async () => {
  service.clock.advance(1_000)
  const response = await fetch(`${service.url}/readyz`)
  const { notifications } = (await response.json()) as { notifications?: string }
  return response.status === 200 && notifications === "listening"
}

/** Sends new connections there. Those that there are stay open, and nothing passes through them. */
async function failOverTo(standby: OwnServer): Promise<void> {
  await standby.promote()
  target.port = portOf(standby)
  proxy.failOver()
}

async function expectRecovery(): Promise<void> {
  const startedMs = performance.now()
  await until(isBack)
  await until(isListening)
  const tookMs = performance.now() - startedMs
  process.stderr.write(`Served ${Math.round(tookMs)} ms after the failover\n`)
  expect(tookMs).toBeLessThan(recoveryMs)
}

test("After the primary is killed the service uses its successor, and a page sequence has each record once", async () => {
  const seen: unknown[] = []
  const read = async (page: number) => {
    const response = await service.get(`/tenements?per_page=1&page=${page}`)
    expect([response.status, response.headers.get("x-data-release")]).toEqual([200, "1"])
    const { data, meta } = await readList(response)
    seen.push(...data.map(({ id }) => id))
    return meta.total_pages
  }
  const pages = await read(1)
  await primary.kill()
  expect((await service.get("/companies")).status).toBe(503)
  await failOverTo(standbys[0])
  await expectRecovery()
  for (let page = 2; page <= pages; page++) await read(page)
  expect(new Set(seen).size).toBe(pages)
})

test("After the primary freezes the service uses its successor, and a page sequence has each record once", async () => {
  const [first, second] = standbys
  expect(await isBack()).toBe(true)
  first.freeze()
  await failOverTo(second)
  await expectRecovery()
  // Notifications come from the new one.
  const { standard: token } = service.tokens
  expect((await service.get("/companies", { token })).status).toBe(200)
  await second.run(`update tokens set revoked_at = now() from accounts
    where accounts.id = account_id and email = 'standard@example.com'`)
  await until(async () => (await service.get("/companies", { token })).status === 401, 1_000)
  first.thaw()
})
