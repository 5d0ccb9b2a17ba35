/**
 * Clients that send what no client should: ambiguous framing, bytes without end or one at a time, ten
 * thousand connections. Bun rejects some of these before the service receives them; other clients are
 * served meanwhile, and memory stays bounded.
 */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { collect, opened, parseAnswer } from "../contract/raw-http.ts"
import { afterFile } from "../support/of-file.ts"
import { serviceProcess } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"

const database = await serviceOfFile()
const service = await serviceProcess({ DATABASE_URL: database.database.url })
afterFile(service.stop)
const port = Number(new URL(service.url).port)

const authorized = () => `Host: localhost\r\nAuthorization: Bearer ${database.tokens.admin}\r\n`

async function expectOthersServed(): Promise<void> {
  const startedMs = performance.now()
  expect((await service.get("/companies", database.tokens.admin)).status).toBe(200)
  // A blocked service would take the minute after which it disconnects silent clients.
  expect(performance.now() - startedMs).toBeLessThan(10_000)
}

const memoryMb = (): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]) / 1024

const smuggled = "GET /api/v1/smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

describe("An ambiguous request", () => {
  test.each([
    ["two lengths", "Content-Length: 3\r\nContent-Length: 30\r\n\r\nabc"],
    ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["an unknown coding", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
    ["a blank before the colon", "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"],
    ["two codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"],
    ["a folded header", "X: a\r\n Content-Length: 3\r\n\r\nabc"],
    ["a bare CR", "X: a\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ])("A request with %s gets 400 and a closed connection", async (_, framing) => {
    const socket = await opened(port)
    const received = collect(socket)
    socket.write(`GET /api/v1/companies HTTP/1.1\r\n${authorized()}${framing}${smuggled}`)
    await until(() => received.closed)
    expect(received.bytes().toString()).toBe(
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
    )
  })

  test("An ambiguous request never reaches the service", () => {
    expect(JSON.stringify(service.logged())).not.toContain("smuggled")
  })
})

test("Endless headers get 431", async () => {
  for (const headers of [`X: ${"y".repeat(100_000)}`, "X: y\r\n".repeat(300)]) {
    const socket = await opened(port)
    const received = collect(socket)
    socket.write(`GET /api/v1/companies HTTP/1.1\r\n${authorized()}${headers}\r\n\r\n`)
    await until(() => received.closed)
    expect(received.bytes().toString()).toStartWith("HTTP/1.1 431 ")
  }
})

test("The server closes a connection whose request head is incomplete after ten seconds", async () => {
  const heads = [
    "",
    "GET /api/v1/companies HTTP/1.1\r\nHo",
    "GET /api/v1/companies HTTP/1.1\r\nX: ",
  ]
  const sockets = await Promise.all(heads.map(() => opened(port)))
  const received = sockets.map(collect)
  for (const [index, socket] of sockets.entries()) socket.write(heads[index] ?? "")
  const dripping = setInterval(() => sockets.at(-1)?.write("y"), 100)
  try {
    // Bun gives a head ten seconds, and looks every four.
    await until(() => received.every(({ closed }) => closed), 20_000)
  } finally {
    clearInterval(dripping)
  }
  expect(received.map(({ length }) => length)).toEqual([0, 0, 0])
})

test.each([
  ["of 100 MB", "Content-Length: 104857600\r\n\r\n", (block: Buffer) => block],
  [
    "in chunks without end",
    "Transfer-Encoding: chunked\r\n\r\n",
    (block: Buffer) =>
      Buffer.concat([Buffer.from(`${block.length.toString(16)}\r\n`), block, Buffer.from("\r\n")]),
  ],
])("A body %s gets a response without being read into memory", async (_, framing, chunkOf) => {
  await expectOthersServed()
  const beforeMb = memoryMb()
  const socket = await opened(port)
  const received = collect(socket)
  socket.write(`POST /api/v1/companies HTTP/1.1\r\n${authorized()}${framing}`)
  const block = chunkOf(Buffer.alloc(1_048_576, "x"))
  for (let sent = 0; sent < 100 && !received.closed; sent++) {
    if (!socket.write(block)) await until(() => !socket.writableNeedDrain || received.closed)
  }
  await until(() => received.length > 0 || received.closed)
  expect(parseAnswer(received.bytes())?.status).toBe(405)
  expect(memoryMb() - beforeMb).toBeLessThan(50)
  socket.destroy()
  await expectOthersServed()
})

test("Pipelined requests with unread responses use bounded memory", async () => {
  await expectOthersServed()
  const beforeMb = memoryMb()
  const sockets = await Promise.all(Array.from({ length: 20 }, () => opened(port)))
  const request = `GET /api/v1/companies?per_page=100 HTTP/1.1\r\n${authorized()}\r\n`
  for (const socket of sockets) {
    socket.pause()
    socket.on("error", () => {})
    for (let sent = 0; sent < 100; sent++) socket.write(request)
  }
  await expectOthersServed()
  expect(memoryMb() - beforeMb).toBeLessThan(100)
  for (const socket of sockets) socket.destroy()
})

/** As many as the test may open, and the service beside its own files. */
const mostConnections = Math.min(
  10_000,
  Number(Bun.spawnSync(["/bin/sh", "-c", "ulimit -Hn"]).stdout.toString()) - 500 || 10_000,
)

test(`${mostConnections} connections with half a request head use little memory, and other clients are served`, async () => {
  await expectOthersServed()
  const beforeMb = memoryMb()
  const sockets: Socket[] = []
  while (sockets.length < mostConnections) {
    const more = await Promise.all(Array.from({ length: 250 }, () => opened(port)))
    for (const socket of more) {
      socket.on("error", () => {})
      socket.write("GET /api/v1/companies HTTP/1.1\r\nX: ")
    }
    sockets.push(...more)
  }
  await expectOthersServed()
  expect(memoryMb() - beforeMb).toBeLessThan(100)
  for (const socket of sockets) socket.destroy()
  await expectOthersServed()
})
