/** A process that leaves a port to others resets no connection that was opened before. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { collect, opened, parseAnswer, requestText } from "../contract/raw-http.ts"
import { until } from "../support/until.ts"

const isLinux = process.platform === "linux"
const migrates =
  isLinux && readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1"

/** What becomes of connections that are opened while the process accepts none, and then stops. */
async function outcomes(mode: "leave" | "close"): Promise<(number | undefined)[]> {
  const program = Bun.fileURLToPath(new URL("./leave-port-process.ts", import.meta.url))
  const child = Bun.spawn([process.execPath, program, mode], { stdin: "pipe", stdout: "pipe" })
  let printed = ""
  const reading = (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk)
  })()
  await until(() => printed.endsWith("\n"))
  child.stdin.write("stop\n")
  child.stdin.flush()
  await until(() => printed.includes("busy\n"))
  const sockets = await Promise.all(
    Array.from({ length: 20 }, () => opened(Number.parseInt(printed, 10))),
  )
  const answers = sockets.map((socket) => {
    socket.on("error", () => {})
    socket.write(requestText("/"))
    return { socket, received: collect(socket) }
  })
  await child.exited
  await reading
  await until(() => answers.every(({ received }) => received.closed))
  return answers.map(({ received }) => parseAnswer(received.bytes())?.status)
}

test.skipIf(!isLinux)("connections that were opened are answered", async () => {
  expect(await outcomes("leave")).toEqual(Array(20).fill(200))
})

// If this is no longer so one day, `leave-port.ts` can go.
test.skipIf(!isLinux || migrates)("Linux resets them when their socket is closed", async () => {
  expect(await outcomes("close")).toContain(undefined)
})
