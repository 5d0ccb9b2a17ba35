/** A file is downloaded whole, whatever its server does, or not at all and with the cause named. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { download } from "../../src/fetching/download.ts"
import { FetchError } from "../../src/fetching/fetch-error.ts"
import { type Access, redirectTarget } from "../../src/fetching/request.ts"
import { until } from "../support/until.ts"
import { testAccess } from "./access.ts"
import {
  cut,
  type MisbehavingServer,
  misbehavingServer,
  plain,
  reply,
} from "./misbehaving-server.ts"

let server: MisbehavingServer
let other: MisbehavingServer
const directory = mkdtempSync(join(tmpdir(), "mds-download-"))
const path = join(directory, "file")
beforeAll(async () => {
  server = await misbehavingServer()
  other = await misbehavingServer()
})
afterEach(() => rmSync(path, { force: true }))
afterAll(() => {
  server.close()
  other.close()
  rmSync(directory, { recursive: true })
})

const body = "asx_code,company_name\nQZA,Alpha\n".repeat(20)
const fetched = (access: Access = testAccess(), at = "/file.csv") =>
  download(new URL(server.url + at), path, access)
const content = () => readFileSync(path, "utf8")
async function failure(...args: Parameters<typeof fetched>): Promise<string> {
  const outcome = await fetched(...args).catch((error: unknown) => error)
  if (outcome instanceof FetchError) return outcome.message.replaceAll(server.url, "")
  throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome })
}

test("a file arrives with its digest and what identifies its version", async () => {
  const modified = "Sat, 03 Jan 2026 04:05:06 GMT"
  server.answer(() => reply(200, { ETag: '"1"', "Last-Modified": modified }, body))
  expect(await fetched()).toEqual({
    sha256: new Bun.CryptoHasher("sha256").update(body).digest("hex"),
    bytes: body.length,
    type: "",
    etag: '"1"',
    lastModified: modified,
  })
  expect(content()).toBe(body)
  expect(server.asked[0]?.headers).toMatchObject({ "user-agent": "mds/test" })
})

test("a known version is asked for, and 304 downloads nothing", async () => {
  server.answer(() => ({ pieces: ["HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"] }))
  const known = { etag: 'W/"1"', lastModified: "Sat, 03 Jan 2026 04:05:06 GMT" }
  expect(await download(new URL(`${server.url}/x`), path, testAccess(), known)).toBeNull()
  expect(server.asked[0]?.headers).toMatchObject({
    "if-none-match": 'W/"1"',
    "if-modified-since": "Sat, 03 Jan 2026 04:05:06 GMT",
  })
})

test("a compressed transfer is stored without its compression", async () => {
  server.answer(() => reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(body)))
  expect((await fetched())?.bytes).toBe(body.length)
  expect(content()).toBe(body)
  server.answer(() => reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(body).slice(0, -9)))
  expect(await failure()).toContain("its compressed data is truncated or corrupt")
  server.answer(() => reply(200, { "Content-Encoding": "br" }, body))
  expect(await failure()).toContain("it is encoded as br")
})

test("a transfer that is cut off goes on where it stopped, if the file is the same", async () => {
  // A connection that is closed may take with it what has not been read, so this one falls silent.
  server.answer(({ headers }) => {
    if (!headers.range) return { ...cut(body, 100, { ETag: '"1"' }), keepOpen: true }
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1])
    const range = `bytes ${from}-${body.length - 1}/${body.length}`
    return reply(206, { ETag: '"1"', "Content-Range": range }, body.slice(from))
  })
  expect((await fetched(testAccess({ idleMs: 200 })))?.bytes).toBe(body.length)
  expect(content()).toBe(body)
  expect(server.asked.at(-1)?.headers).toMatchObject({ range: "bytes=100-", "if-range": '"1"' })
})

test.each([
  ["without a version", {}],
  ["with a weak ETag", { ETag: 'W/"1"' }],
])("a transfer %s that is cut off begins again", async (_, headers) => {
  server.answer((_, nth) => (nth === 1 ? cut(body, 100, headers) : plain(body)))
  await fetched()
  expect(content()).toBe(body)
  expect(server.asked[1]?.headers.range).toBeUndefined()
})

test("a file that changed between two tries begins again", async () => {
  const changed = body.toLowerCase().slice(0, 90)
  server.answer(({ headers }) =>
    headers.range ? plain(changed) : { ...cut(body, 100, { ETag: '"1"' }), keepOpen: true },
  )
  await fetched(testAccess({ idleMs: 200 }))
  expect(content()).toBe(changed)
})

test("a part other than the one asked for is not used", async () => {
  let parts = 0
  server.answer(({ headers }) => {
    if (parts > 0 && !headers.range) return plain(body)
    if (!headers.range) return { ...cut(body, 100, { ETag: '"1"' }), keepOpen: true }
    parts++
    return reply(206, { "Content-Range": `bytes 7-9/${body.length}` }, "abc")
  })
  await fetched(testAccess({ idleMs: 200 }))
  expect(content()).toBe(body)
  expect(parts).toBe(1)
})

test("a transfer that is always cut off fails after some tries", async () => {
  server.answer(() => cut(body, 50))
  expect(await failure()).toBe("Cannot fetch /file.csv: the connection was cut off")
  expect(server.asked).toHaveLength(4)
})

test("a chunked transfer without its end is cut off", async () => {
  const start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
  server.answer(() => ({ pieces: [start] }))
  expect(await failure(testAccess({ tries: 1 }))).toContain("the connection was cut off")
})

const header = (content: string) => `HTTP/1.1 200 OK\r\n${content}Content-Length: 4\r\n\r\na,b\n`
test.each([
  ["very many headers", header("X-A: a\r\n".repeat(5_000)), "its headers are too large"],
  ["a very long header", header(`X-A: ${"a".repeat(100_000)}\r\n`), "its headers are too large"],
  ["no status line", "a,b\n1,2\n", "it does not answer in HTTP/1.1"],
  ["TLS", "\x16\x03\x01\0\x05", "it does not answer in HTTP/1.1"],
  ["another version", "HTTP/2 200 OK\r\n\r\na", "it does not answer in HTTP/1.1"],
  ["a damaged header", header("X Y\r\n"), "it does not answer in HTTP/1.1"],
  ["a negative length", header("Content-Length: -4\r\n"), "it does not answer in HTTP/1.1"],
])("a response with %s is refused for it", async (_, response, message) => {
  server.answer(() => ({ pieces: [response] }))
  expect(await failure(testAccess({ tries: 1 }))).toContain(`Cannot fetch /file.csv: ${message}`)
})

test.each([100, 500])("a response with %i headers is read", async (count) => {
  server.answer(() => ({ pieces: [header("X-A: a\r\n".repeat(count))] }))
  expect((await fetched())?.bytes).toBe(4)
})

test("headers without end are left at once", async () => {
  const start = "HTTP/1.1 200 OK\r\n"
  server.answer(() => ({
    pieces: [start],
    repeat: { piece: "X-A: a\r\n".repeat(1_000), everyMs: 1 },
  }))
  expect(await failure()).toContain("its headers are too large")
  expect(server.asked).toHaveLength(1)
})

test("failures of a moment are tried again, others are not", async () => {
  server.answer((_, nth) => (nth < 3 ? reply(nth === 1 ? 500 : 503, {}) : plain(body)))
  await fetched()
  expect(content()).toBe(body)
  server.answer(() => reply(404, {}))
  expect(await failure()).toBe("Cannot fetch /file.csv: it answers 404")
  expect(server.asked).toHaveLength(1)
  server.answer(() => reply(401, {}))
  expect(await failure()).toContain("it answers 401, so it wants a sign-in")
})

test("the pause that a server asks for is kept, unless it is too long", async () => {
  const times: number[] = []
  server.answer((_, nth) => {
    times.push(performance.now())
    return nth === 1 ? reply(429, { "Retry-After": "1" }) : plain(body)
  })
  await fetched()
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950)
  server.answer(() => reply(503, { "Retry-After": "3600" }))
  expect(await failure()).toContain("it answers 503")
  expect(server.asked).toHaveLength(1)
})

test("a sign-in page that is answered with 200 is recognised", async () => {
  const page = "<!DOCTYPE html><html><title>Sign in</title></html>"
  server.answer(() => reply(200, { "Content-Type": "text/csv" }, page))
  expect(await failure()).toBe(
    'Cannot fetch /file.csv: it is a web page (HTML), such as a sign-in or error page, not a table ("Sign in")',
  )
  expect(server.asked).toHaveLength(1)
  server.answer(() => plain(""))
  expect(await failure()).toContain("it is empty")
})

test("a server that says nothing, or stops, is left after a time", async () => {
  server.answer(() => ({ pieces: [], keepOpen: true }))
  expect(await failure(testAccess({ headersMs: 60, tries: 1 }))).toContain("no response within")
  const start = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"
  server.answer(() => ({ pieces: [start], keepOpen: true }))
  expect(await failure(testAccess({ idleMs: 60, tries: 2 }))).toContain(
    "it sent nothing for 0.06 s",
  )
  expect(server.asked).toHaveLength(2)
})

test("a drip that never stops ends with the time for the whole source", async () => {
  const start = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
  server.answer(() => ({ pieces: [start], repeat: { piece: "a", everyMs: 5 } }))
  const ending = new AbortController()
  setTimeout(() => ending.abort(new Error("too long")), 150)
  const outcome = await fetched(testAccess({}, { signal: ending.signal })).catch((error) => error)
  expect(outcome).toEqual(new Error("too long"))
  expect(server.asked).toHaveLength(1)
})

test("a file that is too large is refused, also when it is so only after decompression", async () => {
  server.answer(() => plain("a,b\n".repeat(1000)))
  expect(await failure(testAccess({ maxBytes: 3000 }))).toContain("it is larger than")
  const packed = Bun.gzipSync("a,b\n".repeat(1000))
  server.answer(() => reply(200, { "Content-Encoding": "gzip" }, packed))
  expect(await failure(testAccess({ maxBytes: 3000 }))).toContain("it is larger than")
})

test("a file that is refused while it is decompressed is not left open", async () => {
  // It is still more than one read of the file when it is packed.
  const packed = Bun.gzipSync(randomBytes(200_000).toString("hex"))
  server.answer(() => reply(200, { "Content-Encoding": "gzip" }, packed))
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((fd) => linkOf(`/proc/self/fd/${fd}`).includes(directory))
  for (let times = 0; times < 5; times++) await failure(testAccess({ maxBytes: 300_000 }))
  await until(() => openFiles().length === 0, 5_000)
})

/** Empty where it has been closed meanwhile. */
const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ""
  }
}

test("redirects are followed on the same host, a few times, and elsewhere only where allowed", async () => {
  server.answer(({ target }) => (target === "/a" ? reply(302, { Location: "/b" }) : plain(body)))
  await fetched(testAccess(), "/a")
  expect(server.asked.map(({ target }) => target)).toEqual(["/a", "/b"])
  server.answer(() => reply(307, { Location: "/file.csv" }))
  expect(await failure()).toContain("it is redirected more than 5 times")
  expect(server.asked).toHaveLength(6)
  const elsewhere = other.url.replace("127.0.0.1", "localhost")
  other.answer(() => plain(body))
  server.answer(() => reply(302, { Location: `${elsewhere}/c` }))
  expect(await failure()).toContain("which is not allowed")
  expect(other.asked).toHaveLength(0)
  const headers = { "X-Key": "secret" }
  await fetched(testAccess({}, { redirectHosts: [new URL(elsewhere).host], headers }))
  expect(server.asked[1]?.headers["x-key"]).toBe("secret")
  expect(other.asked[0]?.headers["x-key"]).toBeUndefined()
  server.answer(() => reply(302, { Location: "file:///etc/passwd" }))
  expect(await failure()).toContain("no http or https address")
})

test("a redirect to another port of the same host is one to elsewhere, and gets no credentials", async () => {
  other.answer(() => plain(body))
  server.answer(() => reply(302, { Location: `${other.url}/c` }))
  const headers = { "X-Key": "secret", Authorization: "Bearer secret" }
  const { host } = new URL(other.url)
  expect(await failure(testAccess({}, { headers }))).toBe(
    `Cannot fetch /file.csv: it is redirected to ${host}, which is not allowed unless redirect_hosts names it`,
  )
  const withoutPort = { headers, redirectHosts: ["127.0.0.1"] }
  expect(await failure(testAccess({}, withoutPort))).toContain("unless redirect_hosts names it")
  expect(other.asked).toHaveLength(0)
  await fetched(testAccess({}, { headers, redirectHosts: [host] }))
  expect(JSON.stringify(other.asked)).not.toContain("secret")
})

test("a redirect never sends a user or password", async () => {
  const { host } = new URL(server.url)
  server.answer(() => reply(302, { Location: `http://user:secret@${host}/c` }))
  expect(await failure()).toBe(
    "Cannot fetch /file.csv: it is redirected to an address with a user or password",
  )
  expect(server.asked).toHaveLength(1)
})

test.each([
  ["http://a.test/x", "https://a.test/y", [], true],
  ["http://a.test:8080/x", "https://a.test/y", [], false],
  ["http://a.test/x", "https://a.test:8443/y", [], false],
  ["https://a.test/x", "https://a.test./y", [], false],
  ["https://a.test/x", "https://b.test/y", ["b.test"], true],
  ["https://a.test/x", "https://b.test:8443/y", ["b.test"], false],
  ["https://a.test/x", "https://b.test:8443/y", ["b.test:8443"], true],
  ["https://a.test/x", "http://b.test/y", ["b.test"], false],
  ["https://a.test/x", "//a.test/y", [], true],
])("a redirect from %s to %s, with %j, is followed: %p", (from, to, hosts, isFollowed) => {
  const follow = () => redirectTarget(new URL(from), to, new URL(from), hosts)
  if (isFollowed) expect(follow().pathname).toBe("/y")
  else expect(follow).toThrow(FetchError)
})

test("this machine and private networks are not connected to unless that is allowed", async () => {
  server.answer(() => plain(body))
  const access = testAccess({}, { allowPrivate: false })
  expect(await failure(access)).toContain("127.0.0.1 is an address of a private network")
  const named = new URL(server.url.replace("127.0.0.1", "localhost"))
  expect(download(named, path, access)).rejects.toThrow("is an address of a private network")
  expect(server.asked).toHaveLength(0)
})

test("an error names the address without user, password and query", async () => {
  server.answer(() => reply(404, {}))
  expect(await failure(testAccess(), "/x.csv?key=secret")).toBe(
    "Cannot fetch /x.csv: it answers 404",
  )
})
