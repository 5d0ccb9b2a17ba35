/**
 * Requests at a fixed rate, whether or not those before have been answered: reads a job as JSON from
 * standard input, and prints what was measured. Run it with BUN_CONFIG_MAX_HTTP_REQUESTS as large as
 * the requests that may be in progress.
 */
import { runToEnd } from "./processes.ts"

export interface OpenLoop {
  url: string
  /** Take turns. */
  tokens: readonly string[]
  targets: readonly string[]
  /** Requests a second. */
  rate: number
  seconds: number
}

export interface OpenLoopOutcome {
  /** Until the last response. */
  seconds: number
  statuses: Record<string, number>
  /** Of each request that was refused with 503. */
  refusedMs: number[]
}

const mostInProgress = 20_000

/** Sends them from a process of its own. */
export async function sendOpenLoop(job: OpenLoop): Promise<OpenLoopOutcome> {
  const { stdout } = await runToEnd([process.execPath, import.meta.path], {
    stdin: JSON.stringify(job),
    environment: { BUN_CONFIG_MAX_HTTP_REQUESTS: String(mostInProgress) },
  })
  return JSON.parse(stdout)
}

async function run({ url, tokens, targets, rate, seconds }: OpenLoop): Promise<OpenLoopOutcome> {
  const outcome: OpenLoopOutcome = { seconds: 0, statuses: {}, refusedMs: [] }
  const pending: Promise<void>[] = []
  const startedMs = performance.now()

  async function send(index: number): Promise<void> {
    const headers = { Authorization: `Bearer ${tokens[index % tokens.length]}` }
    const sentMs = performance.now()
    let status = "none"
    try {
      const response = await fetch(`${url}${targets[index % targets.length]}`, { headers })
      await response.arrayBuffer()
      status = String(response.status)
    } catch (error) {
      status = error instanceof Error ? error.name : "none"
    }
    if (status === "503") outcome.refusedMs.push(performance.now() - sentMs)
    outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
  }

  const dueBy = () => Math.floor(((performance.now() - startedMs) / 1000) * rate)
  while (performance.now() - startedMs < seconds * 1000) {
    while (pending.length < dueBy()) pending.push(send(pending.length))
    await Bun.sleep(1)
  }
  await Promise.all(pending)
  return { ...outcome, seconds: (performance.now() - startedMs) / 1000 }
}

if (import.meta.main) process.stdout.write(JSON.stringify(await run(await Bun.stdin.json())))
