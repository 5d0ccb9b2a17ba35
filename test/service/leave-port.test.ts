/** A process that leaves a port to others resets no connection that was opened before. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { collect, opened, parseAnswer, requestText } from "../contract/raw-http.ts"
import { until } from "../support/until.ts"

const isLinux = process.platform === "linux"
const migrates =
  isLinux && readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1"

type Mode = "leave" | "close" | "locked"

/** Runs the process, opens connections while it accepts none, and lets it stop. */
async function stopped(mode: Mode) {
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
  return { printed, statuses: answers.map(({ received }) => parseAnswer(received.bytes())?.status) }
}

/** What becomes of the connections. */
const outcomes = async (mode: Mode) => (await stopped(mode)).statuses

test.skipIf(!isLinux)("connections that were opened are answered", async () => {
  expect(await outcomes("leave")).toEqual(Array(20).fill(200))
})

test.skipIf(!isLinux || migrates)(
  "a socket that takes no filter is reported once, and closed",
  async () => {
    const { printed } = await stopped("locked")
    expect(printed.split("\n").slice(2)).toEqual([
      "connections that are being opened are reset: Error: Linux refused option 26 of the listening socket",
      "",
    ])
  },
)

// If this is no longer so one day, `leave-port.ts` can go.
test.skipIf(!isLinux || migrates)("Linux resets them when their socket is closed", async () => {
  expect(await outcomes("close")).toContain(undefined)
})
