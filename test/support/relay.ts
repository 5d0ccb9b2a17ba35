/** A TCP relay in front of a server, which shows what clients send. */
import { tcpProxy } from "./tcp-proxy.ts"

/** @param observer returns, for each connection, what is called with each chunk its client sends */
export async function relayTo(
  { hostname, port }: { hostname: string; port: number },
  observer: () => (chunk: Buffer) => void,
) {
  const relay = await tcpProxy({ host: hostname, port }, (client, server) => {
    client.on("data", observer())
    client.pipe(server).pipe(client)
  })
  return { port: relay.port, stop: relay.close }
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
