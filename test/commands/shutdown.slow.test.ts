/** After SIGTERM every sent request gets its response within the time allowed. */

import { expect, test } from "bun:test"
import { throughProxy } from "../contract/interruptible-proxy.ts"
import { collect, opened, parseAnswer, type RawAnswer, requestText } from "../contract/raw-http.ts"
import { none } from "../support/fixtures.ts"
import { processesOfFile } from "../support/of-file.ts"
import { serviceOfFile } from "../support/service.ts"
import { freePort } from "../support/supervised.ts"
import { until } from "../support/until.ts"

/** Of 1,000 bytes each: far more than the buffers between server and client. */
const reportCount = 20_000

const service = await serviceOfFile({ records: none })
await service.sql`drop index reports_by_title`
// By the database alone: a release of as many records takes this process longer than all tests.
await service.sql`
  insert into reports (hash, asx_code, title, title_folded, types_folded, published_at, source, since_release)
  select lpad(to_hex(n), 6, '0'), 'BIG', rpad(n || ' ', 1000, 'x'), 'x', '{}', '2026-01-01', 'test', 1
  from generate_series(1, ${reportCount}::int) n`

const startProcess = processesOfFile()
const start = (settings: Record<string, string> = {}) =>
  startProcess({ DATABASE_URL: service.database.url, ...settings })

const request = (path: string) =>
  requestText(path, {
    Authorization: `Bearer ${service.tokens.admin}`,
    "Accept-Encoding": "identity",
  })

/** Sends requests on one connection, one after the other, until the server closes it. */
async function requestUntilClosed(
  port: number,
  onAnswer: () => void,
): Promise<"lost" | "announced"> {
  const socket = await opened(port)
  const end = Promise.withResolvers<"lost" | "announced">()
  let received = Buffer.alloc(0)
  const sendRequest = () => socket.write(request("/api/v1/companies/XXX"))
  socket.on("error", () => end.resolve("lost"))
  socket.on("close", () => end.resolve("lost"))
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const response = parseAnswer(received)
    if (!response?.complete) return
    onAnswer()
    if (response.headers.connection === "close") return end.resolve("announced")
    received = Buffer.alloc(0)
    sendRequest()
  })
  sendRequest()
  return end.promise
}

async function requestOnce(port: number, path: string): Promise<RawAnswer | null> {
  const socket = await opened(port)
  const received = collect(socket)
  socket.write(request(path))
  await until(() => received.closed || parseAnswer(received.bytes())?.complete === true)
  socket.destroy()
  return parseAnswer(received.bytes())
}

/** Whether the port rejects new connections. */
const isClosed = (port: number): Promise<boolean> =>
  opened(port).then(
    (socket) => {
      socket.destroy()
      return false
    },
    () => true,
  )

/** Starts an export and reads only its first bytes. */
async function pausedExport(port: number) {
  const socket = await opened(port)
  const received = collect(socket)
  socket.write(request("/api/v1/reports?format=csv&all=true"))
  await new Promise((resolve) => socket.once("data", resolve))
  socket.pause()
  return { socket, response: () => parseAnswer(received.bytes()), received }
}

test("Shutdown loses no sent request, and announces each closed connection", async () => {
  const { port, child } = await start()
  let responses = 0
  const clients = Promise.all(
    Array.from({ length: 40 }, () => requestUntilClosed(port, () => responses++)),
  )
  await until(() => responses > 400)
  child.kill("SIGTERM")
  expect([...new Set(await clients)]).toEqual(["announced"])
  expect(await child.exited).toBe(0)
})

test("Readiness fails first: new connections are still served, with Connection: close", async () => {
  const { port, child } = await start()
  expect((await requestOnce(port, "/readyz"))?.status).toBe(200)
  child.kill("SIGTERM")
  await until(async () => (await requestOnce(port, "/readyz"))?.status === 503)
  const ready = await requestOnce(port, "/readyz")
  expect(JSON.parse(ready?.body ?? "")).toMatchObject({ status: "stopping", release: null })
  for (const [path, status] of [
    ["/livez", 200],
    ["/api/v1/companies", 200],
    ["/api/v1/companies/XXX", 404],
  ] as const) {
    const response = await requestOnce(port, path)
    expect([path, response?.status, response?.headers.connection]).toEqual([path, status, "close"])
  }
  expect(await child.exited).toBe(0)
})

test("Operators see the service alive but not ready until shutdown ends", async () => {
  const adminPort = freePort()
  const settings = { SHUTDOWN_SECONDS: "60" }
  const { port, child } = await start({ ...settings, ADMIN_PORT: String(adminPort) })
  const { socket } = await pausedExport(port)
  // Kept open, as a scraper does: it must not delay the end.
  const scraper = await opened(adminPort)
  const scraped = collect(scraper)
  scraper.write(requestText("/metrics", {}))
  await until(() => parseAnswer(scraped.bytes())?.complete === true)
  expect((await requestOnce(adminPort, "/readyz"))?.status).toBe(200)
  child.kill("SIGTERM")
  await until(() => isClosed(port))
  const ready = await requestOnce(adminPort, "/readyz")
  expect([ready?.status, JSON.parse(ready?.body ?? "").status]).toEqual([503, "stopping"])
  expect((await requestOnce(adminPort, "/livez"))?.status).toBe(200)
  expect((await requestOnce(adminPort, "/metrics"))?.status).toBe(200)
  const startedMs = performance.now()
  socket.resume()
  expect(await child.exited).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  await until(() => scraped.closed)
})

test("An export in progress completes during shutdown", async () => {
  const { port, child } = await start({ SHUTDOWN_SECONDS: "60" })
  const { socket, response } = await pausedExport(port)
  child.kill("SIGTERM")
  await until(() => isClosed(port))
  socket.resume()
  await child.exited
  await until(() => response()?.complete === true)
  const rows = response()?.body.split("\r\n").slice(1, -1) ?? []
  expect(rows).toHaveLength(reportCount)
  expect(child.exitCode).toBe(0)
})

test("Shutdown aborts an unfinished export visibly at the deadline", async () => {
  const { port, child } = await start({ SHUTDOWN_SECONDS: "1" })
  const { socket, response, received } = await pausedExport(port)
  const startedMs = performance.now()
  child.kill("SIGTERM")
  expect(await child.exited).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  socket.resume()
  await until(() => received.closed)
  expect(response()?.complete).toBe(false)
})

test("Over HTTP/1.0 an aborted export ends in a reset connection", async () => {
  const { port, child } = await start({ SHUTDOWN_SECONDS: "1" })
  const socket = await opened(port)
  const ended = Promise.withResolvers<string>()
  socket.on("end", () => ended.resolve("end"))
  socket.on("error", (error: Error & { code?: string }) => ended.resolve(error.code ?? ""))
  let bytes = 0
  // Reads so slowly that the export is still in progress at the deadline.
  socket.on("data", (part) => {
    bytes += part.length
    socket.pause()
    setTimeout(() => socket.resume(), 50)
  })
  const headers = { Authorization: `Bearer ${service.tokens.admin}` }
  const target = "/api/v1/reports?format=csv&all=true"
  socket.write(requestText(target, headers, { version: "HTTP/1.0" }))
  await until(() => bytes > 10_000)
  child.kill("SIGTERM")
  expect(await ended.promise).toBe("ECONNRESET")
  await child.exited
})

test("A second signal ends the service at once", async () => {
  const settings = { SHUTDOWN_SECONDS: "600" }
  const { port, child } = await start(settings)
  await pausedExport(port)
  child.kill("SIGTERM")
  await until(async () => (await requestOnce(port, "/readyz"))?.status === 503)
  const startedMs = performance.now()
  child.kill("SIGINT")
  expect(await child.exited).toBe(130)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
})

test("A silent database does not delay shutdown beyond its limit", async () => {
  using proxy = await throughProxy(service.database.url)
  const { port, child } = await start({ DATABASE_URL: proxy.url, SHUTDOWN_SECONDS: "1" })
  expect((await requestOnce(port, "/api/v1/companies"))?.status).toBe(200)
  proxy.silence()
  const unanswered = await opened(port)
  unanswered.on("error", () => {})
  unanswered.write(request("/api/v1/tenements"))
  const startedMs = performance.now()
  child.kill("SIGTERM")
  await child.exited
  const tookMs = performance.now() - startedMs
  expect(child.exitCode).toBe(0)
  expect(tookMs).toBeLessThan(10_000)
})
