/** Webhooks are signed by Standard Webhooks, and reach only addresses that they may, whatever receivers send. */
import { expect, test } from "bun:test"
import { createSocket } from "node:dgram"
import { getServers, type LookupAddress, setServers } from "node:dns"
import type { Socket } from "node:net"
import { Webhook } from "standardwebhooks"
import {
  checkAddress,
  deliver,
  newSecret,
  sign,
  type WebhookOptions,
  type WebhookSettings,
} from "../../../src/accounts/alerts/webhook.ts"
import { until } from "../../support/until.ts"
import { receiver, statusLine } from "./receiver.ts"

const now = () => new Date()
const publicOnly: WebhookSettings = { WEBHOOK_PRIVATE: false, WEBHOOK_PROXY: null }
const privateToo: WebhookSettings = { WEBHOOK_PRIVATE: true, WEBHOOK_PROXY: null }
const resolveTo =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))

const secrets = [newSecret()]
const body = '{"type":"test","data":{"watch":{"id":1,"name":"Näme"}}}'
const event = { secrets, id: "msg_1", body }
const toLoopback = { now, settings: privateToo, resolve: resolveTo("127.0.0.1") }

/** Delivers the event to a receiver that responds so. */
async function delivered(respond: (socket: Socket) => void, options: Partial<WebhookOptions> = {}) {
  await using server = await receiver(respond)
  const url = `http://hooks.example.com:${server.port}/in?key=1`
  return { outcome: await deliver({ ...event, url }, { ...toLoopback, ...options }), server }
}

const respondWith = (text: string) => (socket: Socket) => void socket.write(text)

test("A webhook is one POST that receivers verify with their library", async () => {
  const { outcome, server } = await delivered(respondWith(statusLine(204)))
  expect(outcome).toEqual({
    status: 204,
    reason: null,
    retryAfterMs: null,
  })
  const [{ headers, body: received } = { headers: {}, body: "" }] = server.received
  expect(headers).toMatchObject({
    ":line": "POST /in?key=1 HTTP/1.1",
    host: `hooks.example.com:${server.port}`,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "webhook-id": "msg_1",
  })
  expect(received).toBe(body)
  expect(new Webhook(secrets[0] ?? "").verify(received, headers)).toEqual(JSON.parse(body))
})

test("While an old secret is valid, receivers with either secret verify the webhook", async () => {
  const both = [newSecret(), newSecret()]
  await using server = await receiver(respondWith(statusLine(200)))
  const url = `http://hooks.example.com:${server.port}/`
  await deliver({ ...event, url, secrets: both }, toLoopback)
  const [{ headers, body: received } = { headers: {}, body: "" }] = server.received
  expect(headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/)
  for (const secret of both) {
    expect(new Webhook(secret).verify(received, headers)).toEqual(JSON.parse(body))
  }
  expect(() => new Webhook(newSecret()).verify(received, headers)).toThrow()
})

test("A secret has 32 random bytes, and signs as the example of Standard Webhooks", () => {
  expect(newSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(newSecret())
  const given = "whsec_plJ3nmyCDGBKInavdOK15jsl"
  const [id, timestamp, text] = ["msg_loFOjxBNrRLzqYUf", 1731705121, '{"event_type":"ping"}']
  expect(sign(given, id, timestamp, text)).toBe(
    new Webhook(given).sign(id, new Date(timestamp * 1000), text),
  )
})

test("The timestamp is that of the attempt", async () => {
  const at = new Date("2026-03-01T00:00:00.900Z")
  const { server } = await delivered(respondWith(statusLine(200)), { now: () => at })
  expect(server.received[0]?.headers["webhook-timestamp"]).toBe("1772323200")
})

test.each([
  [statusLine(500), 500, "The receiver returned 500"],
  [statusLine(410), 410, "The receiver returned 410"],
  [statusLine(404), 404, "The receiver returned 404"],
  [statusLine(304), 304, "The receiver returned 304"],
  [
    statusLine(302, "Location: https://u:p@other.example.com/secret?token=1"),
    302,
    "Redirects to other.example.com. Give the URL that it redirects to",
  ],
  [
    statusLine(307, "Location: http://169.254.169.254/latest"),
    307,
    "Redirects to 169.254.169.254. Give the URL that it redirects to",
  ],
])("A response %j is a failure and never followed", async (text, status, reason) => {
  const { outcome, server } = await delivered(respondWith(text))
  expect(outcome).toMatchObject({ status, reason })
  expect(server.connections).toBe(1)
})

const at = new Date("2026-03-01T00:00:00Z")
test.each([
  [429, "120", 120_000],
  [503, "Sun, 01 Mar 2026 00:05:00 GMT", 300_000],
  [503, "Sun, 01 Mar 2020 00:05:00 GMT", 0],
  [429, "99999999999999999999", 86_400_000],
  [429, "-1", null],
  [429, "soon", null],
  [500, "120", null],
])("Of %i with Retry-After %j the wait is %p ms", async (status, value, waitMs) => {
  const text = statusLine(status, `Retry-After: ${value}`)
  const { outcome } = await delivered(respondWith(text), { now: () => at })
  expect(outcome).toMatchObject({ status, retryAfterMs: waitMs })
})

/** Sends for as long as it is read. @returns the count of sent bytes */
function flood(head: string, chunk: Buffer) {
  const sent = { bytes: 0 }
  const respond = (socket: Socket) => {
    socket.write(head)
    const more = () => {
      while (!socket.destroyed && sent.bytes < 1e9) {
        sent.bytes += chunk.length
        if (!socket.write(chunk)) return void socket.once("drain", more)
      }
    }
    more()
  }
  return { sent, respond }
}

test("A gigabyte in a response is not read, and its connection closes", async () => {
  const { sent, respond } = flood("HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536))
  await using server = await receiver(respond)
  const url = `http://hooks.example.com:${server.port}/`
  expect(await deliver({ ...event, url }, toLoopback)).toMatchObject({ status: 200, reason: null })
  await until(() => server.open.size === 0)
  expect(sent.bytes).toBeLessThan(50e6)
})

test("Endless headers end the attempt", async () => {
  const { sent, respond } = flood("HTTP/1.1 200 OK\r\n", Buffer.from("X-Long: y\r\n".repeat(5_000)))
  const { outcome } = await delivered(respond)
  expect(outcome).toMatchObject({
    status: null,
    reason: "The connection failed (HPE_HEADER_OVERFLOW)",
  })
  expect(sent.bytes).toBeLessThan(50e6)
})

test("Endless interim responses end the attempt, before they hold up the service", async () => {
  const { sent, respond } = flood("", Buffer.from("HTTP/1.1 103 Hints\r\n\r\n".repeat(1_000)))
  const { outcome } = await delivered(respond)
  const reason = "The receiver sent 100 interim responses and no final one"
  expect(outcome).toMatchObject({ status: null, reason })
  expect(sent.bytes).toBeLessThan(50e6)
})

/** Sends the first text, and then the other one again and again. */
const drip = (first: string, text: string) => (socket: Socket) => {
  socket.write(first)
  const timer = setInterval(() => socket.write(text), 5)
  socket.on("close", () => clearInterval(timer))
}

test.each([
  ["hangs", () => {}],
  ["sends its status line slowly", drip("HTTP/1.1 200 ", "O")],
  ["sends headers slowly", drip("HTTP/1.1 200 OK\r\nX: ", "y")],
  ["promises a response for ever", drip("", "HTTP/1.1 103 Early Hints\r\n\r\n")],
] as const)("The attempt ends at its limit while the receiver %s", async (_, respond) => {
  await using server = await receiver(respond)
  const url = `http://hooks.example.com:${server.port}/`
  const outcome = await deliver({ ...event, url }, { ...toLoopback, limitMs: 300 })
  expect(outcome).toMatchObject({ status: null, reason: "No response within 0.3 s" })
  await until(() => server.open.size === 0)
})

test("A look-up that ends after the limit leads to no connection", async () => {
  await using server = await receiver(respondWith(statusLine(200)))
  const found = Promise.withResolvers<LookupAddress[]>()
  const options = { ...toLoopback, limitMs: 20, resolve: () => found.promise }
  const outcome = await deliver(
    { ...event, url: `http://hooks.example.com:${server.port}/` },
    options,
  )
  expect(outcome.reason).toBe("No response within 0.02 s")
  found.resolve(await resolveTo("127.0.0.1")())
  // A delivery that ends later than a connection of the first would.
  await deliver({ ...event, url: `http://hooks.example.com:${server.port}/` }, toLoopback)
  expect(server.connections).toBe(1)
})

const closed = "The connection was closed before a response"
test.each([
  ["resets the connection", (socket: Socket) => socket.resetAndDestroy(), closed],
  ["closes the connection", (socket: Socket) => socket.end(), closed],
  [
    "changes the protocol",
    respondWith("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    closed,
  ],
  [
    "speaks another protocol",
    respondWith("SSH-2.0-OpenSSH_9\r\n"),
    "The connection failed (HPE_INVALID_CONSTANT)",
  ],
] as const)("The failure has words where the receiver %s", async (_, respond, reason) => {
  const { outcome } = await delivered(respond)
  expect(outcome).toMatchObject({ status: null, reason })
})

test("A refused connection is reported without its address", async () => {
  const { port } = await delivered(respondWith(statusLine(200))).then(({ server }) => server)
  const outcome = await deliver({ ...event, url: `http://hooks.example.com:${port}/` }, toLoopback)
  expect(outcome).toMatchObject({ status: null, reason: "Connection refused" })
})

test.each(["127.0.0.1", "::ffff:10.0.0.1", "93.184.215.14 10.0.0.1", ""])(
  "A host with the addresses '%s' is not reached",
  async (addresses) => {
    const outcome = await deliver(
      { ...event, url: "https://hooks.example.com/" },
      { now, settings: publicOnly, resolve: resolveTo(...addresses.split(" ").filter(Boolean)) },
    )
    const reason = "hooks.example.com has no address, or one that is not public"
    expect(outcome).toMatchObject({ status: null, reason })
  },
)

test.each([
  "https://2130706433/",
  "https://localhost/",
  "https://127.0.0.1./",
  "https://[::ffff:7f00:1]/",
  "https://①②⑦.0.0.1/",
])("A webhook to %s is rejected", async (url) => {
  const failure = await checkAddress(url, publicOnly).catch((error: unknown) => error)
  expect(String(failure)).toMatch(/^AccountError: \S+ has no address, or one that is not public$/)
})

const https = "AccountError: The URL of a webhook must begin with https://"
const password =
  "AccountError: The URL of a webhook must not contain a user or password. Verify the signature instead"
test.each([
  ["http://93.184.215.14/", publicOnly, https],
  ["ftp://93.184.215.14/", privateToo, `${https} or http://`],
  ["file:///etc/passwd", privateToo, `${https} or http://`],
  ["hooks.example.com", publicOnly, https],
  ["", publicOnly, https],
  ["https://user@93.184.215.14/", publicOnly, password],
  ["https://:secret@93.184.215.14/", publicOnly, password],
  [
    "http://93.184.215.14/",
    privateToo,
    "AccountError: 93.184.215.14 has no address, or one that is not private",
  ],
  [
    "http://169.254.169.254/",
    privateToo,
    "AccountError: 169.254.169.254 has no address, or one that is not private",
  ],
  [
    "https://169.254.169.254/",
    privateToo,
    "AccountError: 169.254.169.254 has no address, or one that is not public or private",
  ],
] as const)("A webhook to %s is rejected by its URL", async (url, settings, message) => {
  const failure = await checkAddress(url, settings).catch((error: unknown) => error)
  expect(String(failure)).toBe(message)
})

test("A webhook has a URL of at most 2,000 characters, as it is requested", async () => {
  const url = `https://93.184.215.14/${"x".repeat(2_000)}`
  await checkAddress(url.slice(0, 2_000), publicOnly)
  for (const long of [url, `https://93.184.215.14/${"ü".repeat(1_000)}`]) {
    const failure = await checkAddress(long, publicOnly).catch((error: unknown) => error)
    expect(String(failure)).toContain("must have at most 2000 characters")
  }
})

test("A name that is private at the second look-up is not reached", async () => {
  await using server = await receiver(respondWith(statusLine(200)))
  const url = `https://hooks.example.com:${server.port}/`
  const answers = ["93.184.215.14", "127.0.0.1"]
  const resolve = () => resolveTo(answers.shift() ?? "")()
  const { addresses } = await checkAddress(url, publicOnly, resolve)
  expect(addresses).toEqual([{ address: "93.184.215.14", family: 4 }])
  const outcome = await deliver({ ...event, url }, { now, settings: publicOnly, resolve })
  expect(outcome.reason).toBe("hooks.example.com has no address, or one that is not public")
  expect(server.connections).toBe(0)
})

/** A name server that knows one address of hosts whose name begins with `known`, and is silent about all others. */
async function nameServer(address: string) {
  const socket = createSocket("udp4")
  const asked = new Set<string>()
  socket.on("message", (query, { port }) => {
    const length = query.readUInt8(12)
    const label = query.toString("latin1", 13, 13 + length)
    asked.add(label)
    if (!label.startsWith("known")) return
    const end = query.indexOf(0, 12) + 5
    const isA = query.readUInt16BE(end - 4) === 1
    const head = Buffer.from([0x81, 0x80, 0, 1, 0, Number(isA), 0, 0, 0, 0])
    const answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]
    const parts = [query.subarray(0, 2), head, query.subarray(12, end)]
    socket.send(Buffer.concat([...parts, Buffer.from(isA ? answer : [])]), port, "127.0.0.1")
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  const before = getServers()
  setServers([`127.0.0.1:${socket.address().port}`])
  const stop = () => {
    setServers(before)
    socket.close()
  }
  return { asked, [Symbol.dispose]: stop }
}

test("Hosts whose name servers are silent hold up no other look-up", async () => {
  using server = await nameServer("93.184.215.14")
  const look = (host: string) => checkAddress(`https://${host}.example.com/`, publicOnly)
  for (let count = 0; count < 40; count++) look(`silent${count}`).catch(() => null)
  await until(() => server.asked.size === 40)
  const { addresses } = await look("known")
  expect(addresses).toMatchObject([{ address: "93.184.215.14", family: 4 }])
})
