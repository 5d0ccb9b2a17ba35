/**
 * A fetch fails with a reason when either side ends the connection, at any time. An unhandled error would
 * end the process; here it fails the test.
 */
import { expect, test } from "bun:test"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { FetchError } from "../../../src/ingest/fetching/fetch-error.ts"
import { type Access, get } from "../../../src/ingest/fetching/request.ts"
import { testAccess } from "./access.ts"

const timeOver = new Error("The time is over")
/** Errors that nobody has handled by then are reported. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
const resetAfter = (sent: string) => (socket: Socket) =>
  socket.write(sent, () => socket.resetAndDestroy())
const servers: [string, (socket: Socket) => unknown][] = [
  ["resets the connection before the headers", (socket) => socket.resetAndDestroy()],
  ["resets it within the headers", resetAfter(head.slice(0, 30))],
  ["resets it after the headers", resetAfter(head)],
  ["resets it within the body", resetAfter(`${head}a,b\n`)],
  ["closes it within the body", (socket) => socket.end(`${head}a,b\n`)],
  ["sends nothing", () => {}],
  ["sends only the headers", (socket) => socket.write(head)],
  ["sends a part of the body", (socket) => socket.write(`${head}a,b\n`)],
]

interface Attempt {
  url: URL
  access: Access
  /** Settles when the server has the request. */
  requested: Promise<void>
  endTime: () => void
}
const clients: [string, (attempt: Attempt) => Promise<unknown>][] = [
  ["reads all", async ({ url, access }) => Array.fromAsync((await get(url, access)).body)],
  ["reads nothing", async ({ url, access }) => (await get(url, access)).close()],
  [
    "stops after one chunk",
    async ({ url, access }) => {
      for await (const _ of (await get(url, access)).body) break
    },
  ],
  [
    "has no time left for the headers",
    async ({ url, access, requested, endTime }) => {
      requested.then(endTime)
      return Array.fromAsync((await get(url, access)).body)
    },
  ],
  [
    "has no time left for the body",
    async ({ url, access, endTime }) => {
      const { body } = await get(url, access)
      endTime()
      return Array.fromAsync(body)
    },
  ],
  [
    "has no time left after one chunk",
    async ({ url, access, endTime }) => {
      for await (const _ of (await get(url, access)).body) endTime()
    },
  ],
]

const pairs = servers.flatMap(([does, serve]) =>
  clients.map(([reads, read]) => [does, reads, serve, read] as const),
)

test.each(pairs)(
  "Only the fetch fails when the server %s and the client %s",
  async (_does, _reads, serve, read) => {
    const closed: Promise<unknown>[] = []
    const requested = Promise.withResolvers<void>()
    const server = createServer((socket) => {
      socket.on("error", () => {})
      closed.push(new Promise((resolve) => socket.on("close", resolve)))
      socket.once("data", () => {
        requested.resolve()
        serve(socket)
      })
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const ending = new AbortController()
    const access = testAccess({ silenceMs: 50 }, { signal: ending.signal })
    const endTime = () => ending.abort(timeOver)
    const attempt = read({ url, access, requested: requested.promise, endTime })
    const failure = await attempt.then(
      () => null,
      (error: unknown) => error,
    )
    await Promise.all(closed)
    await nextTurn()
    server.close()
    if (failure !== null && failure !== timeOver) expect(failure).toBeInstanceOf(FetchError)
  },
)
