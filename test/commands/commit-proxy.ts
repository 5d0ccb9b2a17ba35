/** A TCP proxy before a database that can lose, or hold back, the COMMIT of a command. */
import { tcpProxy } from "../support/tcp-proxy.ts"

/** Lost on its way to the server; committed, and the response lost; held back until `release`. */
export type CommitFate = "lost" | "unanswered" | "held"

/** @param statement a part of a statement that identifies the transaction: migrations commit too */
export async function commitProxy(
  databaseUrl: string,
  fate: CommitFate,
  statement = "insert into releases",
) {
  const reached = Promise.withResolvers<void>()
  let release = (): void => {}
  const url = new URL(databaseUrl)
  const target = { host: url.hostname, port: Number(url.port) }
  const { port, close } = await tcpProxy(target, (client, server) => {
    let isTheOne = false
    let isUnanswered = false
    client.on("data", (chunk) => {
      const text = chunk.toString("latin1")
      isTheOne ||= text.includes(statement)
      if (!isTheOne || !text.includes("commit\0")) return server.write(chunk)
      if (fate === "lost") client.destroy()
      if (fate === "held") release = () => server.write(chunk)
      if (fate === "unanswered") {
        isUnanswered = true
        server.write(chunk)
      }
      reached.resolve()
    })
    server.on("data", (chunk) => {
      if (isUnanswered) client.destroy()
      else client.write(chunk)
    })
  })
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    /** The COMMIT has been sent. */
    reached: reached.promise,
    release: () => release(),
    close,
  }
}
