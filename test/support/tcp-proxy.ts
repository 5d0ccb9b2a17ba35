/** A TCP proxy in front of a server, in which a test decides what passes. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/**
 * Listens on a free port of 127.0.0.1.
 * @param target is read for each connection
 * @param pass forwards what may pass between a client and its connection to the server
 * @param accepts whether new connections are accepted at the moment
 */
export async function tcpProxy(
  target: { host: string; port: number },
  pass: (client: Socket, server: Socket) => void,
  accepts = () => true,
) {
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    return socket
  }
  const listener = createServer((client) => {
    keep(client)
    if (!accepts()) return client.destroy()
    const server = keep(connect(target.port, target.host))
    server.on("close", () => client.destroy())
    client.on("close", () => server.destroy())
    pass(client, server)
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const close = () => {
    listener.close()
    endAll()
  }
  return { port: (listener.address() as AddressInfo).port, endAll, close }
}
