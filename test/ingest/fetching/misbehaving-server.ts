/** A server of bare sockets, which responds to each request with the bytes of the test. */
import { createServer, type Socket } from "node:net"

export interface DataRequest {
  /** Path and query. */
  target: string
  headers: Record<string, string>
}

/** The pieces of the response; then the connection closes, unless it is kept open. */
export interface Reply {
  pieces: (string | Uint8Array)[]
  keepOpen?: boolean
  /** Writes the piece again and again, this many milliseconds apart, for as long as anybody listens. */
  repeat?: { piece: string; everyMs: number }
}

export type Responder = (request: DataRequest, nth: number) => Reply | Promise<Reply>

export interface MisbehavingServer {
  url: string
  requests: DataRequest[]
  respond: (next: Responder) => void
  close: () => void
}

export async function misbehavingServer(first: Responder = () => plain("")) {
  let responder = first
  const requests: DataRequest[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    socket.once("data", async (data) => {
      const [line = "", ...lines] = data.toString("latin1").split("\r\n")
      const headers = Object.fromEntries(
        lines.filter((each) => each.includes(": ")).map((each) => headerOf(each)),
      )
      const request = { target: line.split(" ")[1] ?? "", headers }
      requests.push(request)
      const { pieces, keepOpen, repeat } = await responder(request, requests.length)
      for (const piece of pieces) socket.write(piece)
      if (repeat) {
        const timer = setInterval(() => socket.write(repeat.piece), repeat.everyMs)
        socket.on("close", () => clearInterval(timer))
      } else if (!keepOpen) socket.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    respond: (next: Responder) => {
      responder = next
      requests.length = 0
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  } satisfies MisbehavingServer
}

const headerOf = (line: string): [string, string] => {
  const at = line.indexOf(": ")
  return [line.slice(0, at).toLowerCase(), line.slice(at + 2)]
}

/** A whole response. */
export function reply(
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array = "",
): Reply {
  const length = { "Content-Length": String(Buffer.byteLength(body)), Connection: "close" }
  const lines = Object.entries({ ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return { pieces: [`HTTP/1.1 ${status} Status\r\n${lines.join("\r\n")}\r\n\r\n`, body] }
}

export const plain = (body: string | Uint8Array): Reply =>
  reply(200, { "Content-Type": "text/csv" }, body)

/** A response that ends before its length. */
export const cut = (body: string, sent: number, headers: Record<string, string> = {}): Reply =>
  reply(200, { "Content-Length": String(body.length), ...headers }, body.slice(0, sent))
