/** A client that does not read costs the system little memory, and gets all it is owed when it reads on. */
import { expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import { boundUnsentBytes } from "../../src/service/unsent-bytes.ts"
import { until } from "../support/until.ts"

const part = new Uint8Array(64 * 1024)
const parts = 512

/** Serves 32 MB that are made as they are taken. */
function server() {
  let made = 0
  const served = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      const pull = (controller: ReadableStreamDefaultController) => {
        if (made === parts) controller.close()
        else controller.enqueue(part)
        made = Math.min(made + 1, parts)
      }
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
    },
  })
  return {
    port: served.port ?? 0,
    bytesMade: () => made * part.length,
    stop: () => served.stop(true),
  }
}

const unexpected = (line: string): never => {
  throw new Error(line)
}

/** Asks, and reads nothing of the response. */
function ask(port: number): Socket {
  const socket = connect(port, "127.0.0.1")
  socket.pause()
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
  return socket
}

test.skipIf(process.platform !== "linux")(
  "what the system holds for a client that does not read is bounded",
  async () => {
    const bounded = server()
    boundUnsentBytes(bounded.port, { warn: (line) => unexpected(line) })
    const socket = ask(bounded.port)
    await until(() => bounded.bytesMade() > 0)

    // What is asked for later has made more than that by itself, so the first has had the time to.
    const unbounded = server()
    const other = ask(unbounded.port)
    await until(() => unbounded.bytesMade() > 1_500_000)
    expect(bounded.bytesMade()).toBeLessThan(1_000_000)
    other.destroy()
    await unbounded.stop()

    let bytes = 0
    socket.on("data", (data) => {
      bytes += data.length
    })
    const closed = Promise.withResolvers<void>()
    socket.on("close", () => closed.resolve())
    socket.resume()
    await closed.promise
    expect(bytes).toBeGreaterThan(parts * part.length)
    await bounded.stop()
  },
)
