/** A source is fetched when it is due, kept as it came, and loaded as by hand, or all stays as it was. */
import { beforeEach, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { withAddresses } from "../../../src/ingest/fetching/fetch-address.ts"
import { LoadError } from "../../../src/ingest/loading/load-error.ts"
import { testLimits } from "./access.ts"
import { directory, fetchBench, modified } from "./fetch-bench.ts"
import { arcgis, titles } from "./map-servers.ts"
import { plain, reply } from "./misbehaving-server.ts"

const bench = await fetchBench()
beforeEach(() => bench.reset())

const sha256 = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex")
const urls = (...paths: string[]) => paths.map((path) => bench.server.url + path)

test("A file is kept under its digest and loaded with the time of its last change", async () => {
  const content = directory("QZA", "QZB")
  bench.server.respond(() => reply(200, modified, content))
  const { outcome, files, summary } = await bench.fetched()
  expect(outcome).toBe("published")
  expect(await bench.codes()).toEqual(["QZA", "QZB"])
  const name = `20260110T000000Z-${sha256(content)}.csv`
  expect(files).toEqual([join(bench.dataDir, "raw", "asx-directory", name)])
  expect(readFileSync(files[0] ?? "", "utf8")).toBe(content)
  expect(bench.rawFiles("asx-directory")).toEqual([name, "state.json"])
  // So that a release leads to its file.
  expect(summary).toMatchObject({
    observed: "2026-01-09T08:00:00Z",
    files: [{ name, sha256: sha256(content) }],
  })
})

test("The source shows the address and the licence of the operator's file", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  const url = `${bench.server.url}/api/hidden/a.csv?key=hidden`
  const public_address = "https://example.test/companies"
  await bench.fetched(
    {},
    { url, public_address, licence: "CC BY 4.0", attribution: "The exchange" },
  )
  const shown = async () => [
    ...(await bench.sql`select address, licence, attribution, last_fetched_at::text as at from sources`),
  ]
  const terms = {
    address: public_address,
    licence: "CC BY 4.0",
    attribution: "The exchange",
  }
  expect(await shown()).toEqual([{ ...terms, at: expect.stringContaining("2026-01-10 00:00:00") }])
  bench.hours(24)
  expect((await bench.fetched({}, { url })).outcome).toBe("unchanged")
  // What an entry no longer says is not shown any longer; this machine's address is of no use to others.
  expect(await shown()).toEqual([
    { ...terms, address: null, at: expect.stringContaining("2026-01-11 00:00:00") },
  ])
})

test("A file without a time of change, or with a future one, has the time of its fetch", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  expect((await bench.fetched())?.summary?.observed).toBe("2026-01-10T00:00:00Z")
  bench.hours(24)
  const future = { "Last-Modified": "Fri, 09 Jan 2037 08:00:00 GMT" }
  bench.server.respond(() => reply(200, future, directory("QZA", "QZB")))
  expect((await bench.fetched())?.summary?.observed).toBe("2026-01-11T00:00:00Z")
})

test("An unchanged or repeated file is not kept again, and publishes nothing", async () => {
  bench.serve(directory("QZA"))
  await bench.fetched()
  bench.hours(30)
  const unchanged = { outcome: "unchanged", summary: { release: null } }
  expect(await bench.fetched({ force: false })).toMatchObject(unchanged)
  expect(bench.server.requests[1]?.headers).toMatchObject({
    "if-none-match": modified.ETag,
    "if-modified-since": modified["Last-Modified"],
    "user-agent": "mds/test",
  })
  bench.server.respond(() => reply(200, modified, directory("QZA")))
  bench.hours(30)
  expect(await bench.fetched({ force: false })).toMatchObject(unchanged)
  expect(bench.rawFiles("asx-directory")).toHaveLength(2)
  expect(await bench.releases()).toBe(1)
})

test("The reason of a failed fetch has no repeated secret and no control character", async () => {
  const page =
    "<html><title>Not found: ?key=query%20secret, query secret, header-secret \x1b[31m</title></html>"
  bench.server.respond(() => reply(200, {}, page))
  const failed = await bench.fetched(
    { environment: { FEED_KEY: "header-secret" } },
    { url: `${bench.server.url}/a.csv?key=query%20secret`, headers: { "X-Api-Key": "FEED_KEY" } },
  )
  expect(failed.outcome).toBe("failed")
  const [row] = await bench.sql`select last_reason as reason from sources`
  for (const shown of [failed.reason, row?.reason]) {
    expect(shown).toContain("Not found")
    expect(shown).not.toContain("secret")
    expect(shown).not.toContain("\x1b")
  }
})

test("A source is fetched once a day, or as often as its entry says, unless it is forced", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  const due = () => bench.fetched({ force: false })
  expect((await due()).outcome).toBe("published")
  bench.hours(23)
  expect(await due()).toMatchObject({
    outcome: "not due",
    reason: "due from 2026-01-10T23:30:00.000Z on; --force fetches it now",
  })
  expect((await bench.fetched({ force: false }, { every: 12 })).outcome).toBe("unchanged")
  bench.hours(23)
  expect((await due()).outcome).toBe("not due")
  bench.hours(1)
  expect((await due()).outcome).toBe("unchanged")
  expect(bench.server.requests).toHaveLength(3)
})

test("A source is due at the same time every day, however long or late its fetches are", async () => {
  bench.server.respond(() => {
    bench.hours(1 / 6)
    return plain(directory("QZA"))
  })
  for (const minute of [0, 20, 3, 25, 0]) {
    bench.clock.now = new Date(`${bench.clock.now.toISOString().slice(0, 11)}02:00:02Z`)
    bench.hours(24 + minute / 60)
    expect([minute, (await bench.fetched({ force: false })).outcome]).not.toContain("not due")
  }
})

test("A failed fetch is recorded, not repeated within the hour, and changes nothing", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  await bench.fetched()
  bench.hours(24)
  bench.server.respond(() => reply(200, {}, "<html><title>Sign in</title></html>"))
  const failed = await bench.fetched({ force: false })
  expect(failed.outcome).toBe("failed")
  expect(failed.reason).toContain('a sign-in or error page, not a table ("Sign in")')
  expect(await bench.status()).toMatchObject({
    last_outcome: "failed",
    last_reason: failed.reason,
    last_observed_at: new Date("2026-01-10T00:00:00Z"),
  })
  expect(await bench.codes()).toEqual(["QZA"])
  expect((await bench.fetched({ force: false })).outcome).toBe("not due")
  bench.hours(1)
  bench.server.respond(() => plain(directory("QZA")))
  expect((await bench.fetched({ force: false })).outcome).toBe("unchanged")
  expect(await bench.status()).toMatchObject({ last_outcome: "unchanged", last_reason: null })
})

test("A failed fetch is repeated at once if its entry was edited since, and a completed one is not", async () => {
  bench.server.respond(() => reply(404, {}))
  expect((await bench.fetched({ force: false })).outcome).toBe("failed")
  bench.server.respond(() => plain(directory("QZA")))
  const fetchEdited = (editedMs: number) => bench.fetched({ force: false, editedMs })
  const failedMs = bench.clock.now.getTime()
  expect((await fetchEdited(failedMs - 1)).outcome).toBe("not due")
  expect((await fetchEdited(failedMs + 1)).outcome).toBe("published")
  expect((await fetchEdited(failedMs + 2)).outcome).toBe("not due")
})

test("A failed fetch does not change when a source was last loaded", async () => {
  const times = async () =>
    (await bench.sql`select last_loaded_at as loaded, last_outcome as outcome from sources`).map(
      (row) => ({ ...row }),
    )
  bench.server.respond(() => reply(404, {}))
  await bench.fetched()
  expect(await times()).toEqual([{ loaded: null, outcome: "failed" }])
  bench.server.respond(() => reply(200, modified, directory("QZA")))
  await bench.fetched()
  await bench.sql`update sources set last_loaded_at = '2026-01-01'`
  const loaded = new Date("2026-01-01T00:00:00Z")
  bench.server.respond(() => reply(404, {}))
  await bench.fetched()
  expect(await times()).toEqual([{ loaded, outcome: "failed" }])
})

test("Hosts that share a database fetch a source as often as one host, also after a failure", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  const on = (host: string) => bench.fetched({ force: false, dataDir: join(bench.dataDir, host) })
  expect((await on("first")).outcome).toBe("published")
  expect((await on("second")).outcome).toBe("not due")
  bench.hours(24)
  bench.server.respond(() => reply(404, {}))
  expect((await on("second")).outcome).toBe("failed")
  expect((await on("first")).outcome).toBe("not due")
  bench.hours(1)
  bench.server.respond(() => plain(directory("QZA")))
  expect((await on("first")).outcome).toBe("unchanged")
  expect((await on("second")).outcome).toBe("not due")
  expect(bench.server.requests).toHaveLength(1)
})

test("A file with a changed schema is kept and rejected, and changes no data", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  await bench.fetched()
  const changed = "Ticker,Name\nQZB,Beta\n"
  bench.server.respond(() => plain(changed))
  const refused = await bench.fetched()
  expect(refused.outcome).toBe("refused")
  expect(refused.files[0]).toContain(sha256(changed))
  expect(await bench.codes()).toEqual(["QZA"])
  expect(await bench.releases()).toBe(1)
  expect(await bench.status()).toMatchObject({ last_outcome: "refused" })
})

test("An archive that unpacks beyond the limit is kept and rejected", async () => {
  bench.server.respond(() => plain(Bun.gzipSync(directory("QZA", "QZB"))))
  const refused = await bench.fetched({ limits: { ...testLimits, maxUnpackedBytes: 100 } })
  expect(refused).toMatchObject({
    outcome: "refused",
    reason: expect.stringMatching(/^Cannot read .*: it unpacks to more than 0 MB$/),
  })
  expect(existsSync(refused.files[0] ?? "")).toBe(true)
})

test("A kept file that was never loaded is loaded, and a deleted one is downloaded again", async () => {
  bench.serve(directory("QZA"))
  const { files } = await bench.fetched()
  // As if the process had been killed before its load.
  await bench.empty()
  expect((await bench.fetched()).outcome).toBe("published")
  expect(await bench.codes()).toEqual(["QZA"])
  rmSync(files[0] ?? "")
  expect((await bench.fetched()).outcome).toBe("unchanged")
  expect(existsSync(files[0] ?? "")).toBe(true)
})

test("A fetch whose load had no outcome is due again after an hour", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  const lost = await bench.fetched({
    force: false,
    onCommit: () => {
      throw new Error("the process is killed")
    },
  })
  expect(lost).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("It is not known whether the release was published"),
  })
  expect(await bench.codes()).toEqual([])
  expect((await bench.fetched({ force: false })).outcome).toBe("not due")
  bench.hours(1)
  expect((await bench.fetched({ force: false })).outcome).toBe("published")
  expect(await bench.codes()).toEqual(["QZA"])
})

test("With HOLDER_NAMES=companies the service keeps no file of tenements, and each fetch downloads it", async () => {
  const wa = "fmt_tenid,type,tenstatus,holder1\nE 9,Exploration,LIVE,Jane Doe\n"
  bench.server.respond(() => reply(200, modified, wa))
  const entry = { kind: "file", url: `${bench.server.url}/wa.csv` }
  const fetch = () => bench.fetch("wa", entry, { holderNames: "companies", force: false })
  expect(await fetch()).toMatchObject({ outcome: "published", files: [] })
  expect(readdirSync(join(bench.dataDir, "raw"))).toEqual([])
  bench.hours(24)
  expect(await fetch()).toMatchObject({ outcome: "unchanged", files: [] })
  expect(bench.server.requests.map(({ headers }) => headers["if-none-match"])).toEqual([
    undefined,
    undefined,
  ])
  // The setting decides on what a load makes of the file.
  expect(await bench.fetch("wa", entry)).toMatchObject({ outcome: "published" })
  expect([...(await bench.sql`select holder_name from tenements`)]).toEqual([
    { holder_name: "Jane Doe" },
  ])
})

test("Several files form one set with the oldest file's time; if one fails, none is loaded", async () => {
  const times = {
    "/a.csv": "Fri, 09 Jan 2026 08:00:00 GMT",
    "/b.csv": "Thu, 08 Jan 2026 08:00:00 GMT",
  }
  const url = urls("/a.csv", "/b.csv")
  bench.server.respond(({ target }) =>
    target === "/a.csv" ? plain(directory("QZA")) : reply(404, {}),
  )
  expect((await bench.fetched({}, { url })).outcome).toBe("failed")
  expect(await bench.codes()).toEqual([])
  bench.server.respond(({ target }) => {
    const [code, at] = target === "/a.csv" ? ["QZA", times["/a.csv"]] : ["QZB", times["/b.csv"]]
    return reply(200, { "Last-Modified": at }, directory(code))
  })
  expect((await bench.fetched({}, { url })).summary?.observed).toBe("2026-01-08T08:00:00Z")
  expect(await bench.codes()).toEqual(["QZA", "QZB"])
})

test("Each source keeps its newest 30 raw files", async () => {
  const raw = join(bench.dataDir, "raw", "asx-directory")
  mkdirSync(raw, { recursive: true })
  for (let day = 1; day <= 31; day++) {
    const name = `202501${String(day).padStart(2, "0")}T000000Z-${sha256(String(day))}.csv`
    writeFileSync(join(raw, name), "")
  }
  bench.server.respond(() => plain(directory("QZA")))
  await bench.fetched()
  const kept = bench.rawFiles("asx-directory").map((name) => name.slice(0, 8))
  expect(kept).toHaveLength(31)
  expect([kept[0], ...kept.slice(-2)]).toEqual(["20250103", "20260110", "state.js"])
})

test("A fetch removes files that a killed fetch left, and ignores a damaged state", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  await bench.fetched()
  const raw = join(bench.dataDir, "raw", "asx-directory")
  writeFileSync(join(raw, ".unfinished-1"), "half")
  writeFileSync(join(raw, "state.json"), '{"attempted_at"')
  expect((await bench.fetched()).outcome).toBe("unchanged")
  expect(bench.rawFiles("asx-directory").map((name) => name.slice(0, 8))).toEqual([
    "20260110",
    "state.js",
  ])
})

test("The time for a source bounds all of its requests", async () => {
  bench.server.respond(() => ({
    pieces: ["HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"],
    repeat: { piece: "a", everyMs: 5 },
  }))
  const limits = { ...testLimits, totalMs: 150 }
  expect(await bench.fetched({ limits })).toMatchObject({
    outcome: "failed",
    reason: `Cannot fetch ${bench.server.url}/a.csv: it was not complete within 0.15 s`,
  })
})

test("A second concurrent fetch reports that another one runs", async () => {
  const first = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  bench.server.respond(async () => {
    reached.resolve()
    await first.promise
    return plain(directory("QZA"))
  })
  const working = bench.fetched()
  await reached.promise
  expect((await bench.fetched()).outcome).toBe("busy")
  first.resolve()
  expect((await working).outcome).toBe("published")
})

test("Where DATA_DIR/raw is a file, the fetch fails and names the file", async () => {
  mkdirSync(bench.dataDir, { recursive: true })
  const raw = join(bench.dataDir, "raw")
  writeFileSync(raw, "")
  bench.server.respond(() => plain(directory("QZA")))
  const { outcome, reason } = await bench.fetched()
  expect(outcome).toBe("failed")
  expect(reason).toMatch(new RegExp(`^Cannot store files in ${raw}/asx-directory: [a-z -]+$`))
  expect(await bench.status()).toMatchObject({ last_outcome: "failed", last_reason: reason })
  expect(bench.server.requests).toHaveLength(0)
  const options = bench.addressOptions()
  const address = withAddresses([`${bench.server.url}/a.csv`], options, async () => "loaded")
  expect(await address.catch((error: unknown) => error)).toEqual(new LoadError(reason ?? ""))
})

test("A header has the value of its variable, and the message of a failure names a missing variable", async () => {
  bench.server.respond(() => plain(directory("QZA")))
  const entry = { headers: { "X-Key": "REGISTER_KEY" } }
  const without = await bench.fetched({}, entry)
  expect(without.reason).toBe("Cannot send X-Key: REGISTER_KEY is not set")
  await bench.fetched({ environment: { REGISTER_KEY: "secret" } }, entry)
  expect(bench.server.requests[0]?.headers["x-key"]).toBe("secret")
})

test("The layers of a source form one set, and the same records count as another observation", async () => {
  const first = arcgis(() => titles(30))
  let others = titles(35).slice(30)
  bench.server.respond((request, nth) =>
    request.target.includes("/MapServer/3")
      ? first(request, nth)
      : arcgis(() => others)(request, nth),
  )
  const url = [3, 4].map((number) => `${bench.server.url}/MapServer/${number}`)
  const layers = () => bench.fetch("wa", { kind: "arcgis", url })
  const count = async () => (await bench.sql`select from tenements`).length
  expect((await layers()).outcome).toBe("published")
  expect(await count()).toBe(35)
  others = others.slice(1)
  for (const passed of [24, 48]) {
    bench.hours(passed)
    await layers()
  }
  expect(await count()).toBe(34)
})

test("A fetch counts once with its download's time, also for an address loaded by hand", async () => {
  const lateMs = 50
  const late = async <T>(response: T): Promise<T> => {
    await Bun.sleep(lateMs)
    return response
  }
  bench.server.respond(() => late(reply(404, {})))
  await bench.fetched()
  bench.server.respond(() => late(plain(directory("QZA"))))
  await bench.fetched()
  bench.hours(48)
  await bench.fetched({ force: false })
  bench.server.respond(() => late(plain("nothing,of,this\n1,2,3\n")))
  await bench.fetched()
  bench.server.respond(() => late(plain(directory("QZA", "QZB"))))
  await withAddresses(urls("/b.csv"), bench.addressOptions(), ({ files, ...given }) =>
    bench.load("asx-directory", files, given),
  )
  const totals = await bench.sql<{ count: string; seconds: number }[]>`
    select concat_ws(' ', outcome, total->'loads') as count,
      (total->>'seconds')::float8 / (total->>'loads')::float8 as seconds
    from sources, jsonb_each(totals) as each(outcome, total) order by 1`
  expect(totals.map(({ count }) => count)).toEqual([
    "failed 1",
    "published 2",
    "refused 1",
    "unchanged 1",
  ])
  for (const { seconds } of totals) expect(seconds).toBeGreaterThan((0.9 * lateMs) / 1000)
})
