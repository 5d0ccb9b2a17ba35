/** A TCP proxy before a database that can lose, or hold back, the COMMIT of a command. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Lost on its way to the server; committed, and the response lost; held back until `release`. */
export type CommitFate = "lost" | "unanswered" | "held"

/** @param statement a part of a statement that identifies the transaction: migrations commit too */
export async function commitProxy(
  databaseUrl: string,
  fate: CommitFate,
  statement = "insert into releases",
) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const reached = Promise.withResolvers<void>()
  let release = (): void => {}
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on("error", () => {})
    return socket
  }

  const server = createServer((client) => {
    keep(client)
    const upstream = keep(connect(Number(target.port), target.hostname))
    upstream.on("close", () => client.destroy())
    client.on("close", () => upstream.destroy())
    let isTheOne = false
    let isUnanswered = false
    client.on("data", (chunk) => {
      const text = chunk.toString("latin1")
      isTheOne ||= text.includes(statement)
      if (!isTheOne || !text.includes("commit\0")) return upstream.write(chunk)
      if (fate === "lost") client.destroy()
      if (fate === "held") release = () => upstream.write(chunk)
      if (fate === "unanswered") {
        isUnanswered = true
        upstream.write(chunk)
      }
      reached.resolve()
    })
    upstream.on("data", (chunk) => {
      if (isUnanswered) client.destroy()
      else client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    /** The COMMIT has been sent. */
    reached: reached.promise,
    release: () => release(),
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
