/**
 * What a flood of requests without a token does by way of the log, for each state that standard
 * output can be in: `bun test/bench/log-flood.ts [SECONDS]`. Needs wrk.
 */
import { openSync } from "node:fs"
import { detachedProcess, fullDisk, type OutputEnd, unreadPipe } from "../support/process.ts"
import { testService } from "../support/service.ts"

const seconds = Number(process.argv[2] ?? 12)
const query = `search=${"x".repeat(6_000)}`

const devNull = (): OutputEnd => {
  const descriptor = openSync("/dev/null", "w")
  return { descriptor, closeCopy: () => {} }
}

const service = await testService()

async function flood(name: string, stdout: OutputEnd, path: string, after = () => {}) {
  const { url, child } = await detachedProcess({ DATABASE_URL: service.database.url }, { stdout })
  after()
  const startedMs = performance.now()
  let aliveMs = 0
  const ended = child.exited.then(() => {
    aliveMs ||= performance.now() - startedMs
  })
  let peakMb = 0
  const watch = setInterval(async () => {
    peakMb = Math.max(peakMb, await residentMb(child.pid))
  }, 100)
  const wrk = Bun.spawn(
    ["wrk", "-t1", "-c32", `-d${seconds}s`, `${url}/api/v1/companies?${path}`],
    { stdout: "pipe" },
  )
  const output = await new Response(wrk.stdout).text()
  clearInterval(watch)
  const alive = child.exitCode === null && child.signalCode === null
  if (alive) child.kill("SIGTERM")
  const stoppedMs = performance.now()
  const hard = setTimeout(() => child.kill("SIGKILL"), 15_000)
  await ended
  clearTimeout(hard)
  const [, rate] = /Requests\/sec:\s+(\S+)/.exec(output) ?? []
  process.stdout.write(
    `${name.padEnd(44)}${alive ? "alive" : `ended after ${(aliveMs / 1000).toFixed(1)} s`}; ` +
      `${rate} requests/s; at most ${peakMb.toFixed(0)} MB; ` +
      `${alive ? `ended ${(performance.now() - stoppedMs).toFixed(0)} ms after SIGTERM (${child.signalCode ?? child.exitCode})` : ""}\n`,
  )
}

async function residentMb(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`)
    .text()
    .catch(() => "")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

const short = "search=x"
await flood("/dev/null", devNull(), short)
await flood("/dev/null, long queries", devNull(), query)
await flood("full disk", fullDisk(), short)
const closed = unreadPipe()
await flood("closed pipe", closed, short, closed.closeReader)
await flood("unread pipe", unreadPipe(), short)
await flood("unread pipe, long queries", unreadPipe(), query)
await service.stop()
process.exit(0)
