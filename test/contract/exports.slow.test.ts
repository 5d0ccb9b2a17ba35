/**
 * An export is one release, complete or visibly aborted, whether its receiver stalls, disconnects
 * or is overtaken by a load.
 */

import { expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { parquetMetadata } from "hyparquet"
import { setDisabled } from "../../src/accounts/access/accounts.ts"
import { none, type ReportFixture } from "../support/fixtures.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { parseCsv } from "./delimited-reader.ts"
import { throughProxy } from "./interruptible-proxy.ts"
import { collect, opened, parseAnswer, requestText } from "./raw-http.ts"

/**
 * Hard to compress. The buffers between server and client hold two chunks of 2,000, and one more is
 * read ahead: of a receiver that does not read, some are never read from the database.
 */
const reports: ReportFixture[] = Array.from({ length: 16_000 }, (_, index) => ({
  hash: index.toString(16).padStart(6, "0"),
  asx_code: "BIG",
  title: "Report",
  type: null,
  published_at: "2026-01-01T00:00:00Z",
  url: Array.from({ length: 20 }, (_, part) => digest(`${index} ${part}`)).join(""),
}))

function digest(text: string): string {
  return new Bun.CryptoHasher("sha512").update(text).digest("base64")
}

const service = await serviceOfFile({
  records: { ...none, reports },
  settings: { DATABASE_CONNECTIONS: "6", MAX_EXPORTS: "50", EXPORT_STALL_SECONDS: "600" },
})

/** Starts an export, and stops reading as soon as it has begun. */
async function stalledExport(
  of = service,
  headers: Record<string, string> = {},
  format = "csv",
  token = of.tokens.admin,
) {
  const socket = await opened(of.port)
  const received = collect(socket)
  const authorization = { Authorization: `Bearer ${token}` }
  socket.write(
    requestText(`/api/v1/reports?format=${format}&all=true`, { ...authorization, ...headers }),
  )
  socket.on("data", function pauseOnce() {
    if (parseAnswer(received.bytes()) === null) return
    socket.off("data", pauseOnce)
    socket.pause()
  })
  await until(() => parseAnswer(received.bytes()) !== null)
  const response = parseAnswer(received.bytes()) ?? fail()
  expect(response.status).toBe(200)
  return { socket, received, id: response.headers["x-request-id"] ?? "" }
}

/** Not compressed, which would take long and prove nothing more. */
const plain = { headers: { "Accept-Encoding": "identity" } }

const wholeExport = async () => (await service.get("/reports?format=csv&all=true", plain)).text()

/** What the log says of an export's end. */
const endOf = (id: string, of = service) =>
  of.logLines
    .map((line) => JSON.parse(line))
    .find((line) => line.event === "export ended" && line["mds.request_id"] === id)

const connections = (of = service) =>
  of.sql<{ state: string; xact_start: unknown }[]>`
    select state, xact_start from pg_stat_activity
    where datname = current_database() and application_name = 'mds exports'`

const codings = [{}, { "Accept-Encoding": "gzip" }]

type StalledExport = Awaited<ReturnType<typeof stalledExport>>

/** Waits until the export has ended, and what it sent has come. Parsing it again and again takes long. */
async function ended({ received, id }: StalledExport, of = service): Promise<void> {
  await until(() => received.closed || endOf(id, of) !== undefined)
  await until(() => received.closed || received.endsWith("0\r\n\r\n"))
}

/** What has been received, decoded. */
function textOf(received: { bytes: () => Buffer }): string {
  const { headers, content } = parseAnswer(received.bytes()) ?? fail()
  return (headers["content-encoding"] === "gzip" ? gunzipSync(content) : content).toString()
}

const fail = (): never => {
  throw new Error("There is no response")
}

/** Waits for the export's end and for all that was sent, and expects every record once and in order. */
async function expectWhole(stalled: StalledExport, of = service): Promise<void> {
  const { received } = stalled
  await ended(stalled, of)
  expect(parseAnswer(received.bytes())?.complete).toBe(true)
  const rows = parseCsv(textOf(received))
  expect(rows.slice(1).map(([hash]) => hash)).toEqual(reports.map(({ hash }) => hash))
}

test.each(codings)(
  "An export that is read to its end has every record once (%j)",
  async (headers) => {
    const stalled = await stalledExport(service, headers)
    const { socket, received, id } = stalled
    socket.resume()
    await expectWhole(stalled)
    await until(() => endOf(id) !== undefined)
    expect(endOf(id)).toMatchObject({ outcome: "complete", records: reports.length })
    socket.destroy()
    const response = parseAnswer(received.bytes())
    expect(response?.headers["x-total-count"]).toBe(String(reports.length))
    expect(response?.headers["content-encoding"]).toBe(headers["Accept-Encoding"])
  },
)

test("Slow receivers hold no connection and no transaction", async () => {
  const stalled = await Promise.all([1, 2, 3, 4].map(() => stalledExport()))
  // There is one connection for exports: another can end only because the stalled ones leave it.
  expect((await wholeExport()).length).toBeGreaterThan(10_000_000)
  expect((await service.get("/reports?page=60")).status).toBe(200)
  await until(async () =>
    (await connections()).every(({ state, xact_start }) => state === "idle" && xact_start === null),
  )
  for (const { id } of stalled) expect(endOf(id)).toBeUndefined()
  for (const { socket } of stalled) socket.destroy()
  await until(() => stalled.every(({ id }) => endOf(id) !== undefined))
  for (const { id } of stalled) {
    expect(endOf(id)).toMatchObject({ level: "info", outcome: "cancelled" })
    // Nothing was read ahead of the receiver but what the buffers in between take.
    expect(endOf(id).records).toBeLessThan(reports.length)
  }
})

test("A connection lost within a chunk costs no record", async () => {
  const stalled = await stalledExport()
  const { socket } = stalled
  const endWaiting = () => service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'mds exports'
      and wait_event_type = 'Lock'`
  await service.sql.begin(async (transaction) => {
    await transaction`lock table reports, reports_history in access exclusive mode`
    socket.resume()
    // The second time, it is the repetition that is lost.
    await until(async () => (await endWaiting()).length > 0)
    await until(async () => (await endWaiting()).length > 0)
  })
  await expectWhole(stalled)
  socket.destroy()
})

test("A short database outage costs an export no record", async () => {
  using proxy = await throughProxy(service.database.url)
  await using remote = await testService({ beside: service, reach: () => proxy.url })
  const stalled = await stalledExport(remote)
  proxy.cut()
  stalled.socket.resume()
  await until(() => proxy.refused() > 3)
  proxy.mend()
  await expectWhole(stalled, remote)
  stalled.socket.destroy()
})

test("A receiver that stops reading is disconnected after the limit", async () => {
  await using strict = await testService({
    beside: service,
    settings: { EXPORT_STALL_SECONDS: "1" },
  })
  const { socket, received, id } = await stalledExport(strict)
  await until(() => {
    strict.clock.advance(500)
    return endOf(id, strict) !== undefined
  })
  expect(endOf(id, strict)).toMatchObject({ outcome: "stalled" })
  socket.resume()
  await until(() => received.closed)
  expect(parseAnswer(received.bytes())?.complete).toBe(false)
})

test("Accounts whose clients read nothing keep no slot that another account waits for", async () => {
  await using few = await testService({ beside: service, settings: { MAX_EXPORTS: "20" } })
  const accounts = await Promise.all([1, 2, 3, 4, 5].map(() => few.issueWithLimit(100)))
  const tokens = accounts.flatMap((token) => [token, token, token, token])
  const exports = await Promise.all(tokens.map((token) => stalledExport(few, {}, "ndjson", token)))
  const sixth = few.get("/reports?all=true&format=ndjson", plain)
  const cutOnes = () => exports.filter(({ id }) => endOf(id, few) !== undefined)
  await until(() => {
    few.clock.advance(500)
    return cutOnes().length > 0
  })
  const response = await sixth
  expect(response.status).toBe(200)
  expect((await response.text()).split("\n").length).toBe(reports.length + 1)
  const cut = cutOnes()
  expect(cut.map(({ id }) => endOf(id, few).outcome)).toEqual(["stalled"])
  for (const stalled of cut) {
    stalled.socket.resume()
    await until(() => stalled.received.closed)
    expectCut(stalled, "ndjson")
  }
  for (const { socket } of exports) socket.destroy()
})

test("Disabling an account or revoking a token ends its exports in every process", async () => {
  await using other = await testService({ beside: service })
  const email = `${crypto.randomUUID()}@example.com`
  const [disabled, revoked] = [await service.issue(email), await service.issueWithLimit(100)]
  // One after another: on a busy machine, many at once can be too slow to open their database connections.
  const run = (...tokens: string[]) =>
    Array.fromAsync(
      tokens.flatMap((token) => [service, other].map((of) => ({ of, token }))),
      async ({ of, token }) => ({ of, ...(await stalledExport(of, {}, "csv", token)) }),
    )
  const untouched = await run(service.tokens.admin)
  const exports = await run(disabled, revoked)
  await setDisabled(service.editor, email, true)
  await service.revoke(revoked)
  for (const stalled of exports) {
    await until(() => endOf(stalled.id, stalled.of) !== undefined)
    expect(endOf(stalled.id, stalled.of)).toMatchObject({ outcome: "aborted" })
    stalled.socket.resume()
    await until(() => stalled.received.closed)
    expectCut(stalled, "csv")
  }
  for (const { id, of, socket } of untouched) {
    expect(endOf(id, of)).toBeUndefined()
    socket.destroy()
  }
})

test("A load does not change a running export", async () => {
  const whole = await wholeExport()
  const stalled = await stalledExport()
  const { socket, received, id } = stalled
  await service.publish({ ...none, reports: reports.slice(0, 10) })
  socket.resume()
  await ended(stalled)
  expect(endOf(id)).toMatchObject({ outcome: "complete", records: reports.length })
  expect(textOf(received)).toBe(whole)
  socket.destroy()
})

test.each(codings)(
  "A failed export is aborted, and never ends as a shorter response (%j)",
  async (headers) => {
    await service.publish({ ...none, reports })
    const whole = await wholeExport()
    const { socket, received, id } = await stalledExport(service, headers)
    await service.publish({ ...none, reports: reports.slice(0, 10) })
    // Against the rules, which is how a failure is made: nothing takes away a release that is read.
    await service.sql`truncate reports_history`
    socket.resume()
    await until(() => received.closed)
    const response = parseAnswer(received.bytes())
    expect([response?.status, response?.complete]).toEqual([200, false])
    expect(endOf(id)).toMatchObject({ level: "error", outcome: "failed" })
    expect(endOf(id).error).toContain("no longer available")
    if ("Accept-Encoding" in headers) {
      // A decoder can tell: what it was sent has no end.
      expect(() => textOf(received)).toThrow("unexpected end of file")
    } else {
      // What came is data to its last byte: no error text has entered it.
      expect(whole.startsWith(response?.body ?? "-")).toBe(true)
      expect(response?.body.length).toBeLessThan(whole.length)
    }
  },
)

const exportFormats = ["csv", "tsv", "ndjson", "parquet"]

/** Expects that neither the connection nor the data ended as those of a whole export do. */
function expectCut({ received }: StalledExport, format: string): void {
  const response = parseAnswer(received.bytes()) ?? fail()
  expect([format, response.status, response.complete]).toEqual([format, 200, false])
  if (format !== "parquet") return
  const file = new Uint8Array(response.content).buffer
  expect(() => parquetMetadata(file)).toThrow()
}

/** One that has begun, in each format. */
const stalledInEachFormat = (of = service) =>
  Promise.all(
    exportFormats.map(async (format) => ({ format, stalled: await stalledExport(of, {}, format) })),
  )

test("An export without its database is never complete in any format", async () => {
  await service.publish({ ...none, reports })
  using proxy = await throughProxy(service.database.url)
  await using remote = await testService({ beside: service, reach: () => proxy.url })
  const exports = await stalledInEachFormat(remote)
  proxy.cut()
  for (const { stalled } of exports) stalled.socket.resume()
  for (const { format, stalled } of exports) {
    await until(() => stalled.received.closed)
    expectCut(stalled, format)
  }
})
