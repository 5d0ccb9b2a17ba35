/** A TCP proxy that a test can cut or silence, to stand between the service and its database. */
import type { Socket } from "node:net"
import { tcpProxy } from "../support/tcp-proxy.ts"

export async function interruptibleProxy(target: { host: string; port: number }) {
  let mode: "open" | "cut" | "silent" = "open"
  let refused = 0
  /** Connections made before the last of these are dead, though neither end is notified. */
  let failovers = 0
  /** Connections whose client has sent this are ended. */
  let ended: string | undefined
  const pass = (client: Socket, server: Socket) => {
    const madeAfter = failovers
    const forward = (from: Socket, to: Socket) =>
      from.on("data", (chunk) => {
        if (from === client && ended !== undefined && chunk.includes(ended)) {
          refused++
          client.destroy()
          return
        }
        if (mode === "open" && madeAfter === failovers) to.write(chunk)
      })
    forward(client, server)
    forward(server, client)
  }
  const accepts = () => {
    if (mode === "cut") refused++
    return mode !== "cut"
  }
  const { port, endAll, close } = await tcpProxy(target, pass, accepts)

  return {
    port,
    /** How many connections it has rejected. */
    refused: () => refused,
    /** Ends every connection and rejects new ones. */
    cut: () => {
      mode = "cut"
      endAll()
    },
    /** Ends, from now on, each connection on which a client sends this text. */
    endIfSent: (text: string) => {
      ended = text
    },
    /** Takes connections and bytes, and lets nothing through. */
    silence: () => {
      mode = "silent"
    },
    /** Lets nothing through on the connections that there are, and all on new ones. */
    failOver: () => {
      failovers++
    },
    /** Lets all through again. What went astray meanwhile stays lost, as in a network. */
    mend: () => {
      mode = "open"
      ended = undefined
      endAll()
    },
    close,
    [Symbol.dispose]: close,
  }
}

/** Puts a proxy before the database. `url` is the database's through the proxy. */
export async function throughProxy(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const proxy = await interruptibleProxy({ host: hostname, port: Number(port) })
  const through = new URL(databaseUrl)
  through.host = `127.0.0.1:${proxy.port}`
  return { ...proxy, url: through.href }
}
