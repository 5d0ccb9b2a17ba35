/** A collector that is gone, slow or refuses costs spans, and neither requests nor the end of the process. */
import { afterEach, expect, test } from "bun:test"
import { createServer, type Server, type Socket } from "node:net"
import { testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { collector } from "./collector.ts"

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server on a bare socket, by what it does with a connection. */
async function socketServer(serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("It does not listen")
  return `http://127.0.0.1:${address.port}`
}

/** A port that nobody listens on. */
async function nobody(): Promise<string> {
  const gone = collector()
  gone.stop()
  return gone.url
}

function answering(answer: () => Response): string {
  const receiver = collector(answer)
  ends.push(receiver.stop)
  return receiver.url
}

const broken: [how: string, start: () => Promise<string>][] = [
  ["is gone", nobody],
  ["has no such name", async () => "http://collector.invalid:4318"],
  ["takes connections and never answers", () => socketServer(() => {})],
  ["does not read", () => socketServer((socket) => socket.pause())],
  ["closes connections", () => socketServer((socket) => socket.destroy())],
  ["speaks no HTTP", () => socketServer((socket) => socket.end("nonsense\r\n\r\n"))],
  [
    "answers without end",
    () =>
      socketServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        const more = setInterval(() => socket.write("x".repeat(1000)), 10)
        socket.on("close", () => clearInterval(more))
      }),
  ],
  ["answers 400", async () => answering(() => new Response("no", { status: 400 }))],
  ["answers 401", async () => answering(() => new Response("no", { status: 401 }))],
  [
    "asks to wait",
    async () =>
      answering(() => new Response("", { status: 503, headers: { "Retry-After": "3600" } })),
  ],
  ["answers 200 with nonsense", async () => answering(() => new Response("{]"))],
]

test.each(broken)("a collector that %s delays no request and no shutdown", async (how, start) => {
  const service = await testService({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: await start(), SHUTDOWN_SECONDS: "1" },
  })
  const startedMs = performance.now()
  let slowestMs = 0
  while (performance.now() - startedMs < 1_500) {
    const askedMs = performance.now()
    const answer = await service.get("/companies/BIG")
    expect(answer.status).toBe(200)
    await answer.arrayBuffer()
    slowestMs = Math.max(slowestMs, performance.now() - askedMs)
  }
  expect([how, slowestMs < 4_000]).toEqual([how, true])
  const stoppingMs = performance.now()
  await service.stop()
  expect([how, performance.now() - stoppingMs < 5_000]).toEqual([how, true])
  const events = service.logLines.map((line) => JSON.parse(line).event)
  expect(events.filter((event) => event.startsWith("the collector")).length).toBeLessThanOrEqual(1)
})

test("what is not accepted is counted and told once, and what is accepted again too", async () => {
  let status = 400
  const url = answering(() => new Response("{}", { status }))
  const service = await testService({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  const counted = async (name: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(new RegExp(`^mds_spans_${name}_total (\\d+)$`, "m").exec(text)?.[1])
  }
  const told = () =>
    service.logLines
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event.startsWith("the collector"))
      .map(({ level }) => level)
  for (let round = 1; round <= 2; round++) {
    const before = await counted("dropped")
    await service.get("/companies/BIG")
    await until(async () => (await counted("dropped")) > before)
  }
  expect(told()).toEqual(["warn"])
  expect(await counted("exported")).toBe(0)
  status = 200
  await service.get("/companies/BIG")
  await until(async () => (await counted("exported")) > 0)
  expect(told()).toEqual(["warn", "info"])
  await service.stop()
})

test("the queue is bounded: what does not fit is dropped and counted", async () => {
  const url = await socketServer(() => {})
  const service = await testService({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  let sent = 0
  for (let round = 0; round < 40; round++) {
    await Promise.all(
      Array.from({ length: 50 }, async () => (await service.get("/companies/BIG")).arrayBuffer()),
    )
    sent += 50
  }
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const dropped = Number(/^mds_spans_dropped_total (\d+)$/m.exec(text)?.[1])
  // Each request has at least its own span and those of its token and its release.
  expect(dropped).toBeGreaterThanOrEqual(sent * 3 - 2_048)
  await service.stop()
})
