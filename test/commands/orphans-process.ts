/**
 * Process 1 of a namespace of its own, with children of its own and with orphans. Prints what became of
 * them: `{ orphansSeen, orphansLeft, exitCodes }`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { reapOrphans } from "../../src/commands/orphans.ts"
import { until } from "../support/until.ts"

const orphanCount = 5
if (process.argv[2] === "reap") reapOrphans(50)

const zombies = () =>
  readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return / Z 1 /.test(readFileSync(`/proc/${name}/stat`, "utf8"))
    } catch {
      return false
    }
  }).length

const script = `for i in $(seq ${orphanCount}); do (read -r _; exit 3) & done`
// Their standard input keeps the orphans alive until their parent has ended.
const parent = Bun.spawn(["/bin/sh", "-c", `exec 3<&0; ${script.replace("_;", "_ <&3;")}`], {
  stdin: "pipe",
})
await parent.exited
parent.stdin.end()

const isReaping = process.argv[2] === "reap"
const orphans = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length - 1
await until(() => (isReaping ? orphans() === 0 : zombies() === orphanCount))

// While scans go on, Bun learns the exit codes of its own children.
const own = Array.from({ length: 40 }, (_, index) =>
  Bun.spawn(["/bin/sh", "-c", `sleep 0.${index % 10}; exit ${index}`]),
)
const exitCodes = await Promise.all(own.map(({ exited }) => exited))
process.stdout.write(JSON.stringify({ orphansLeft: zombies(), exitCodes }))
