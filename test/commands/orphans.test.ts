/** As process 1 of a container the service leaves no zombies behind, whoever started them. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { reportSkipped } from "../support/supervised.ts"

setDefaultTimeout(60_000)

const program = Bun.fileURLToPath(new URL("./orphans-process.ts", import.meta.url))
const unshare = Bun.which("unshare")
const asProcess1 = unshare ? [unshare, "--pid", "--fork", "--mount-proc"] : []
const isPossible = unshare !== null && Bun.spawnSync([...asProcess1, "true"]).success

if (!isPossible) reportSkipped(import.meta.path, "permission to make a PID namespace")

async function outcome(mode: string): Promise<unknown> {
  const child = Bun.spawn([...asProcess1, process.execPath, program, mode], { stdout: "pipe" })
  const printed = await child.stdout.text()
  await child.exited
  return JSON.parse(printed)
}

const exitCodes = Array.from({ length: 40 }, (_, index) => index)

test.skipIf(!isPossible)(
  "orphans are reaped, and its own processes report their exit codes",
  async () => {
    expect(await outcome("reap")).toEqual({ orphansLeft: 0, exitCodes })
  },
)

// If Bun does so by itself one day, `orphans.ts` can go.
test.skipIf(!isPossible)("Bun does not reap them by itself", async () => {
  expect(await outcome("leave")).toEqual({ orphansLeft: 5, exitCodes })
})
