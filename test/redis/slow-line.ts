import { connect, createServer, type Socket } from "node:net"

/** A proxy to a local port that delays every reply by `delayMs`. */
export function slowLine({ port, delayMs }: { port: number; delayMs: number }) {
  let connections = 0
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    connections++
    const upstream = keep(connect(port, "127.0.0.1"))
    keep(client)
      .on("close", () => upstream.destroy())
      .pipe(upstream)
    upstream
      .on("close", () => client.destroy())
      .on("data", (chunk) => setTimeout(() => client.write(chunk), delayMs))
  }).listen(0, "127.0.0.1")
  const address = server.address()
  return {
    port: typeof address === "object" && address ? address.port : 0,
    get connections() {
      return connections
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
