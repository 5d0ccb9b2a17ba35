/** Clients: wrk for rates, and callers of this process for the time of single requests. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cpuSecondsOf, runToEnd, type ServerProcess } from "./processes.ts"
import type { Measure } from "./rounds.ts"

const script = Bun.fileURLToPath(new URL("requests.lua", import.meta.url))
const threads = 2
const connections = 16

/** A server under load, and the requests that wrk sends to it. */
export interface Load {
  server: ServerProcess
  /** Requested in turn; a second run continues after the last target of the first. */
  targets: readonly string[]
  headers: Readonly<Record<string, string>>
  seconds: number
}

/** Writes the targets once. @returns one run of wrk, which fails unless every response is 2xx or 3xx */
export function wrk(scratch: string, { server, targets, headers, seconds }: Load): Measure {
  const file = join(scratch, `${crypto.randomUUID()}.targets`)
  const lines = Object.entries({ Host: new URL(server.url).host, ...headers })
  writeFileSync(file, `${targets.join("\n")}\n`)
  writeFileSync(`${file}.headers`, lines.map(([name, value]) => `${name}: ${value}\n`).join(""))
  let next = 0
  return async () => {
    const load = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "60s"]
    const args = [file, `${file}.headers`, `${next}`, `${threads}`]
    const cpuBefore = cpuSecondsOf(server.pid)
    const { stdout } = await runToEnd(["wrk", ...load, "-s", script, server.url, "--", ...args])
    const cpuSeconds = cpuSecondsOf(server.pid) - cpuBefore
    const summary: Record<string, number> = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
    const { requests = 0, microseconds = 0, failed, unanswered } = summary
    if (failed !== 0 || unanswered !== 0) {
      throw new Error(
        `${server.url}: ${failed} errors and ${unanswered} requests without a response`,
      )
    }
    next += requests
    return {
      "requests/s": requests / (microseconds / 1_000_000),
      "CPU µs a request": (cpuSeconds * 1_000_000) / requests,
    }
  }
}

/**
 * Sends requests, each after the response to the one before.
 * @param seconds begins again after the last target, and begins no request later than this
 */
export async function send(url: string, token: string, targets: readonly string[], seconds = 0) {
  const endMs = performance.now() + seconds * 1000
  const ms: number[] = []
  const statuses: number[] = []
  const isOver = () => (seconds > 0 ? performance.now() >= endMs : ms.length === targets.length)
  while (!isOver()) {
    const startedMs = performance.now()
    statuses.push(await statusOf(url + targets[ms.length % targets.length], token))
    ms.push(performance.now() - startedMs)
  }
  return { ms, statuses }
}

/** The same; every response must be 200. @returns milliseconds by request */
export async function call(url: string, token: string, targets: readonly string[]) {
  const { ms, statuses } = await send(url, token, targets)
  const index = statuses.findIndex((status) => status !== 200)
  if (index >= 0) throw new Error(`${targets[index]} got ${statuses[index]}`)
  return ms
}

/** Sends requests at a fixed rate, whether or not earlier ones have got their responses. */
export async function sendAtRate(
  url: string,
  tokens: readonly string[],
  targets: readonly string[],
  seconds: number,
) {
  const rejectedMs: number[] = []
  let served = 0
  const sendOne = async (index: number): Promise<void> => {
    const sentMs = performance.now()
    const status = await statusOf(`${url}${targets[index]}`, tokens[index % tokens.length] ?? "")
    if (status === 200) served++
    else rejectedMs.push(performance.now() - sentMs)
  }
  const pending: Promise<void>[] = []
  const startedMs = performance.now()
  while (pending.length < targets.length) {
    const due = ((performance.now() - startedMs) / (seconds * 1000)) * targets.length
    while (pending.length < Math.min(due, targets.length)) pending.push(sendOne(pending.length))
    await Bun.sleep(1)
  }
  await Promise.all(pending)
  return { served, rejectedMs, seconds: (performance.now() - startedMs) / 1000 }
}

async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } })
  await response.arrayBuffer()
  return response.status
}
