/** Receivers of webhooks for tests: sockets that send the text of a response, whatever it is. */
import { type AddressInfo, createServer, type Socket } from "node:net"

export interface Received {
  headers: Record<string, string>
  body: string
}

export interface Receiver extends AsyncDisposable {
  port: number
  received: readonly Received[]
  /** Of connections since the start. */
  connections: number
  /** Currently open. */
  open: ReadonlySet<Socket>
}

/**
 * Listens on a free port of 127.0.0.1.
 * @param respond gets the socket once a request is whole
 */
export async function receiver(respond: (socket: Socket) => void): Promise<Receiver> {
  const received: Received[] = []
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    open.add(socket)
    socket.on("error", () => {}).on("close", () => open.delete(socket))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      const request = wholeRequest(text)
      if (!request) return
      text = ""
      received.push(request)
      respond(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get connections() {
      return connections
    },
    open,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function wholeRequest(text: string): Received | undefined {
  const end = text.indexOf("\r\n\r\n")
  if (end < 0) return undefined
  const [line = "", ...lines] = text.slice(0, end).split("\r\n")
  const named = lines
    .map((each) => each.split(/: (.*)/s))
    .map(([name = "", value = ""]) => [name.toLowerCase(), value])
  const headers: Record<string, string> = { ":line": line, ...Object.fromEntries(named) }
  const body = Buffer.from(text.slice(end + 4), "latin1")
  if (body.length < Number(headers["content-length"] ?? 0)) return undefined
  return { headers, body: body.toString() }
}

/** A whole response without a body. */
export const statusLine = (status: number, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} X`, "Content-Length: 0", ...headers, "", ""].join("\r\n")
