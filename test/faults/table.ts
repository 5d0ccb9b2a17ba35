/**
 * What callers notice of each fault of `test/faults`, as a table: `bun test/faults/table.ts [NAME]`. The
 * service runs with default settings, but caches nothing.
 */
import { type Deployment, deployment } from "./deployment.ts"
import { endure, type Fault } from "./fault.ts"
import { postgresFaults } from "./postgres-faults.ts"
import { redisFaults } from "./redis-faults.ts"

const [, , part = ""] = process.argv

async function measure(deployed: Deployment, fault: Fault): Promise<string> {
  const { statuses, slowestMs, recoveryMs, violations } = await endure(deployed, fault)
  const answers = Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ")
  return `| ${fault.name} | ${answers} | ${slowestMs.toFixed(0)} ms | ${recoveryMs.toFixed(0)} ms | ${[...violations].join("; ") || "none"} |\n`
}

process.stdout.write(
  "| Fault | Responses | Slowest | Recovery | Violations |\n|---|---|---|---|---|\n",
)
const deployed = await deployment()
for (const fault of [...postgresFaults, ...redisFaults]) {
  if (fault.name.includes(part)) process.stdout.write(await measure(deployed, fault))
}
await deployed.stop()
process.exit()
