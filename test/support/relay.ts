/** A TCP relay in front of a server, which shows what clients send. */
import { connect, createServer } from "node:net"

export interface Relay {
  port: number
  stop(): void
}

/** @param observer returns, for each connection, what is called with each chunk its client sends */
export async function relayTo(
  { hostname, port }: { hostname: string; port: number },
  observer: () => (chunk: Buffer) => void,
): Promise<Relay> {
  const sockets = new Set<{ destroy(): unknown }>()
  const listener = createServer((client) => {
    const server = connect({ host: hostname, port, noDelay: true })
    client.setNoDelay(true)
    client.on("data", observer())
    client.pipe(server).pipe(client)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const address = listener.address()
  if (address === null || typeof address === "string") throw new Error("The relay has no port")
  return {
    port: address.port,
    stop: () => {
      listener.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Observes PostgreSQL's protocol: calls `onRun` with the text of each prepared statement that a client
 * runs, at every run.
 */
export function statementObserver(onRun: (text: string) => void): () => (chunk: Buffer) => void {
  return () => {
    const texts = new Map<string, string>()
    let unread: Buffer = Buffer.alloc(0)
    let started = false
    return (chunk) => {
      unread = Buffer.concat([unread, chunk])
      for (;;) {
        // The first message of a connection has no type.
        const typeBytes = started ? 1 : 0
        if (unread.length < typeBytes + 4) return
        const end = typeBytes + unread.readUInt32BE(typeBytes)
        if (unread.length < end) return
        const type = started ? String.fromCharCode(unread[0] ?? 0) : ""
        const strings = unread
          .subarray(typeBytes + 4, end)
          .toString("latin1")
          .split("\0")
        if (type === "P") texts.set(strings[0] ?? "", strings[1] ?? "")
        if (type === "B") onRun(texts.get(strings[1] ?? "") ?? "")
        unread = unread.subarray(end)
        started = true
      }
    }
  }
}
