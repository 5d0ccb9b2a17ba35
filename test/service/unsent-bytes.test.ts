/** A client that does not read costs the system little memory, and gets all it is owed when it reads on. */
import { expect, test } from "bun:test"
import { connect } from "node:net"
import { boundUnsentBytes } from "../../src/service/unsent-bytes.ts"

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
  return { served, made: () => made }
}

const unexpected = (line: string): never => {
  throw new Error(line)
}

/** Waits until nothing more is made. */
async function settled(made: () => number): Promise<number> {
  for (let before = -1, same = 0; same < 10; ) {
    await Bun.sleep(20)
    same = made() === before && made() > 0 ? same + 1 : 0
    before = made()
  }
  return made()
}

test.skipIf(process.platform !== "linux")(
  "what the system holds for a client that does not read is bounded",
  async () => {
    const { served, made } = server()
    boundUnsentBytes(served.port ?? 0, { warn: (line) => unexpected(line) })
    const socket = connect(served.port ?? 0, "127.0.0.1")
    socket.pause()
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")

    // By default it is about four megabytes.
    expect((await settled(made)) * part.length).toBeLessThan(1_000_000)

    let bytes = 0
    socket.on("data", (data) => {
      bytes += data.length
    })
    const closed = Promise.withResolvers<void>()
    socket.on("close", () => closed.resolve())
    socket.resume()
    await closed.promise
    expect(bytes).toBeGreaterThan(parts * part.length)
    await served.stop(true)
  },
)
