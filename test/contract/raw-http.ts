/** HTTP over a bare socket, for what fetch would repair or hide. */
import { connect, type Socket } from "node:net"

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
  /** The body before it was read as text, for a coded one. */
  content: Buffer
  /** Whether the response ended by its own framing, and not with the connection. */
  complete: boolean
}

const deadlineMs = 50_000

/** Sends bytes as they are, and reads one response, or all until the server closes the connection. */
export async function sendRaw(
  port: number,
  request: string | Uint8Array,
  { bodiless = false } = {},
): Promise<RawAnswer> {
  const socket = await opened(port)
  const received = collect(socket)
  const ended = Promise.withResolvers<void>()
  const overdue = setTimeout(ended.resolve, deadlineMs)
  socket.on("close", () => ended.resolve())
  socket.on("data", () => {
    if (parseAnswer(received.bytes(), bodiless)?.complete) ended.resolve()
  })
  socket.write(request)
  await ended.promise
  clearTimeout(overdue)
  socket.destroy()
  const response = parseAnswer(received.bytes(), bodiless)
  if (!response) throw new Error(`No response, but ${JSON.stringify(String(received.bytes()))}`)
  return response
}

/** The head of a request as a client would write it. */
export const requestText = (
  target: string,
  headers: Record<string, string> = {},
  { method = "GET", version = "HTTP/1.1" } = {},
): string =>
  [
    `${method} ${target} ${version}`,
    ...Object.entries({ Host: "localhost", ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    "\r\n",
  ].join("\r\n")

export const opened = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket))
    socket.once("error", reject)
  })

/** Gathers what a socket receives. */
export function collect(socket: Socket) {
  const chunks: Buffer[] = []
  const received = {
    closed: false,
    length: 0,
    bytes: () => Buffer.concat(chunks),
    /** The end of what has come, without a copy of all of it. */
    endsWith: (text: string) =>
      Buffer.concat(chunks.slice(-text.length)).subarray(-text.length).toString("latin1") === text,
  }
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    received.length += chunk.length
  })
  socket.on("close", () => {
    received.closed = true
  })
  socket.on("error", () => {})
  return received
}

/** Reads the received part of a response; null until its head is complete. */
export function parseAnswer(bytes: Buffer, bodiless = false): RawAnswer | null {
  const headEnd = bytes.indexOf("\r\n\r\n")
  if (headEnd < 0) return null
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n")
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const status = Number(statusLine.split(" ")[1])
  const rest = bytes.subarray(headEnd + 4)
  const { body, complete } =
    bodiless || status === 204 || status === 304
      ? { body: rest, complete: true }
      : headers["transfer-encoding"] === "chunked"
        ? dechunk(rest)
        : { body: rest, complete: rest.length === Number(headers["content-length"]) }
  return { status, headers, body: body.toString(), content: body, complete }
}

function dechunk(bytes: Buffer): { body: Buffer; complete: boolean } {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const sizeEnd = bytes.indexOf("\r\n", at)
    if (sizeEnd < 0) return { body: Buffer.concat(chunks), complete: false }
    const size = Number.parseInt(bytes.subarray(at, sizeEnd).toString("latin1"), 16)
    if (size === 0) return { body: Buffer.concat(chunks), complete: true }
    chunks.push(bytes.subarray(sizeEnd + 2, sizeEnd + 2 + size))
    at = sizeEnd + 2 + size + 2
  }
}
