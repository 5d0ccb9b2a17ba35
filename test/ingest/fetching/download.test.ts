/** A file is downloaded whole, whatever its server does, or not at all and with the cause named. */
import { afterEach, expect, test } from "bun:test"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { download } from "../../../src/ingest/fetching/download.ts"
import { FetchError } from "../../../src/ingest/fetching/fetch-error.ts"
import { type Access, redirectTarget } from "../../../src/ingest/fetching/request.ts"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { testAccess } from "./access.ts"
import { cut, misbehavingServer, plain, reply } from "./misbehaving-server.ts"

const path = join(directoryOfFile(), "file")
const server = await misbehavingServer()
const other = await misbehavingServer()
afterEach(() => rmSync(path, { force: true }))
afterFile(server.close)
afterFile(other.close)

const body = "asx_code,company_name\nQZA,Alpha\n".repeat(20)
const fetched = (access: Access = testAccess(), at = "/file.csv") =>
  download(new URL(at, server.url), path, access)
const content = () => readFileSync(path, "utf8")
async function failure(...args: Parameters<typeof fetched>): Promise<string> {
  const outcome = await fetched(...args).catch((error: unknown) => error)
  if (outcome instanceof FetchError) return outcome.message.replaceAll(server.url, "")
  throw new Error(`Not refused: ${JSON.stringify(outcome)}`, { cause: outcome })
}

test("A compressed transfer is stored without its compression", async () => {
  server.respond(() => reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(body)))
  await fetched()
  expect(content()).toBe(body)
  server.respond(() => reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(body).slice(0, -9)))
  expect(await failure()).toContain("its compressed data is truncated or corrupt")
  server.respond(() => reply(200, { "Content-Encoding": "br" }, body))
  expect(await failure()).toContain("its compressed data is truncated or corrupt")
})

test("An interrupted transfer restarts, and fails after three attempts", async () => {
  server.respond((_, nth) => (nth === 1 ? cut(body, 100) : plain(body)))
  await fetched()
  expect(content()).toBe(body)
  server.respond(() => cut(body, 50))
  expect(await failure()).toBe("Cannot fetch /file.csv: the connection was cut off")
  expect(server.requests).toHaveLength(3)
  const start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
  server.respond(() => ({ pieces: [start] }))
  expect(await failure()).toContain("the connection was cut off")
})

const header = (content: string) => `HTTP/1.1 200 OK\r\n${content}Content-Length: 4\r\n\r\na,b\n`
test.each([
  ["very many headers", header("X-A: a\r\n".repeat(5_000))],
  ["no status line", "a,b\n1,2\n"],
  ["TLS", "\x16\x03\x01\0\x05"],
  ["a negative length", header("Content-Length: -4\r\n")],
])(
  "A response with %s is rejected, and the message has the address without its query",
  async (_, response) => {
    server.respond(() => ({ pieces: [response] }))
    const message = await failure(testAccess(), "/file.csv?key=secret")
    expect(message).toStartWith("Cannot fetch /file.csv: ")
    expect(message).not.toContain("secret")
  },
)

test("Endless headers end the download at once", async () => {
  const piece = "X-A: a\r\n".repeat(1_000)
  server.respond(() => ({ pieces: ["HTTP/1.1 200 OK\r\n"], repeat: { piece, everyMs: 1 } }))
  expect(await failure()).toStartWith("Cannot fetch /file.csv: ")
})

test("Only temporary failures are retried", async () => {
  server.respond((_, nth) => (nth < 3 ? reply(nth === 1 ? 500 : 503, {}) : plain(body)))
  await fetched()
  expect(content()).toBe(body)
  server.respond(() => reply(404, {}))
  expect(await failure()).toBe("Cannot fetch /file.csv: it returned 404. Check the address")
  expect(server.requests).toHaveLength(1)
})

test("The download recognises a sign-in page with the status 200", async () => {
  const page = "<!DOCTYPE html><html><title>Sign in</title></html>"
  server.respond(() => reply(200, { "Content-Type": "text/csv" }, page))
  expect(await failure()).toBe(
    'Cannot fetch /file.csv: it is a web page (HTML), such as a sign-in or error page, not a table ("Sign in")',
  )
  expect(server.requests).toHaveLength(1)
  server.respond(() => plain(""))
  expect(await failure()).toContain("it is empty")
})

test("A server that sends nothing or stops times out", async () => {
  server.respond(() => ({ pieces: [], keepOpen: true }))
  expect(await failure(testAccess({ silenceMs: 20 }))).toContain("it sent nothing for 0.02 s")
  const start = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"
  server.respond(() => ({ pieces: [start], keepOpen: true }))
  expect(await failure(testAccess({ silenceMs: 200 }))).toContain("it sent nothing for 0.2 s")
  expect(server.requests).toHaveLength(3)
})

test("A file that is too large is rejected, also after decompression", async () => {
  const large = "a,b\n".repeat(1000)
  for (const response of [
    plain(large),
    reply(200, { "Content-Encoding": "gzip" }, Bun.gzipSync(large)),
  ]) {
    server.respond(() => response)
    expect(await failure(testAccess({ maxBytes: 3000 }))).toContain("it is larger than 0 MB")
    expect(server.requests).toHaveLength(1)
  }
})

test("A few redirects are followed: on the same host, or to another host over TLS", async () => {
  server.respond(({ target }) => (target === "/a" ? reply(302, { Location: "/b" }) : plain(body)))
  await fetched(testAccess({}, { headers: { "X-Key": "secret" } }), "/a")
  expect(server.requests.map(({ target, headers }) => [target, headers["x-key"]])).toEqual([
    ["/a", "secret"],
    ["/b", "secret"],
  ])
  server.respond(() => reply(307, { Location: "/file.csv" }))
  expect(await failure()).toContain("it is redirected more than 5 times")
  expect(server.requests).toHaveLength(6)
  const { host } = new URL(other.url)
  server.respond(() => reply(302, { Location: `${other.url}/c` }))
  expect(await failure()).toContain(`it is redirected to ${host} without encryption`)
  expect(other.requests).toHaveLength(0)
})

test("A redirect to another host never reaches a private network", async () => {
  const secure = other.url.replace("http:", "https:")
  server.respond(() => reply(302, { Location: `${secure}/c` }))
  expect(await failure()).toBe(
    `Cannot fetch ${secure}/c: 127.0.0.1 is an address of a private network or of this machine`,
  )
  expect(other.requests).toHaveLength(0)
})

test.each([
  ["http://a.test/x", "https://a.test/y", true],
  ["http://a.test/x", "https://b.test:8443/y", true],
  ["https://a.test/x", "https://b.test/y", true],
  ["https://a.test/x", "//b.test/y", true],
  ["https://a.test/x", "http://a.test/y", false],
  ["http://a.test/x", "http://b.test/y", false],
  ["http://a.test/x", "http://a.test:8080/y", false],
  ["https://a.test/x", "file:///etc/y", false],
  ["https://a.test/x", "https://user:secret@a.test/y", false],
])("A redirect from %s to %s is followed: %p", (from, to, isFollowed) => {
  const follow = () => redirectTarget(new URL(from), to, new URL(from))
  if (isFollowed) expect(follow().pathname).toBe("/y")
  else expect(follow).toThrow(FetchError)
})
