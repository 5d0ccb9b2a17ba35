/**
 * Callers in a process of their own: reads a job as JSON from standard input, and prints what each
 * caller has measured. Each waits for a response before its next request; all reuse connections.
 */
import type { Job, Measured } from "./callers.ts"

const { url, callers, seconds, repeat }: Job = await Bun.stdin.json()
const deadlineMs = seconds === undefined ? Infinity : performance.now() + seconds * 1000

async function run({ token, targets }: Job["callers"][number]): Promise<Measured> {
  const headers = { Authorization: `Bearer ${token}` }
  const measured: Measured = { ms: [], statuses: [] }
  for (let index = 0; index < targets.length || repeat; index++) {
    const startedMs = performance.now()
    if (startedMs >= deadlineMs) break
    const response = await fetch(url + targets[index % targets.length], { headers })
    await response.arrayBuffer()
    measured.ms.push(performance.now() - startedMs)
    measured.statuses.push(response.status)
  }
  return measured
}

process.stdout.write(JSON.stringify(await Promise.all(callers.map(run))))
