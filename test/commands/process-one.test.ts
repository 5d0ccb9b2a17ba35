/** As process 1 of a container, which Linux ends by no signal that it does not handle, each command ends on one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { childrenOf, reportSkipped } from "../support/supervised.ts"
import { until } from "../support/until.ts"

setDefaultTimeout(60_000)

const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))
const unshare = Bun.which("unshare")
const asProcess1 = unshare ? [unshare, "--pid", "--fork", "--mount-proc"] : []
const isPossible = unshare !== null && Bun.spawnSync([...asProcess1, "true"]).success

if (!isPossible) reportSkipped(import.meta.path, "permission to make a PID namespace")

/** A database that takes connections and never answers, so that a command waits for it. */
let silent: Bun.TCPSocketListener
let connections = 0

beforeAll(() => {
  const open = (): void => {
    connections++
  }
  silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open, data() {} } })
})

afterAll(() => silent.stop(true))

/** The process id, as seen from here, of the first process in the namespace. */
function firstIn(pid: number): number {
  const [first] = childrenOf(pid)
  if (first === undefined) throw new Error(`Process ${pid} has started none`)
  return first
}

test.skipIf(!isPossible).each([
  ["serve", "SIGTERM", 143],
  ["serve", "SIGINT", 130],
  ["migrate", "SIGTERM", 143],
  ["migrate", "SIGINT", 130],
] as const)("%s ends on %s while it waits for the database", async (command, signal, exitCode) => {
  const before = connections
  const child = Bun.spawn([...asProcess1, process.execPath, main, command], {
    env: { ...process.env, DATABASE_URL: `postgres://mds@127.0.0.1:${silent.port}/mds`, PORT: "0" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  })
  try {
    await until(() => connections > before)
    process.kill(firstIn(child.pid), signal)
    // Once it had given the database up, it would say so and exit with 1.
    expect([await child.exited, await child.stderr.text()]).toEqual([
      exitCode,
      expect.not.stringContaining("Cannot reach"),
    ])
  } finally {
    if (child.exitCode === null) process.kill(firstIn(child.pid), "SIGKILL")
    await child.exited
  }
})
