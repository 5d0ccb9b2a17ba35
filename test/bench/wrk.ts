/** Runs wrk: many requests at once, as fast as they are answered. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runToEnd } from "./processes.ts"

const script = Bun.fileURLToPath(new URL("requests.lua", import.meta.url))
const threads = 2
const connections = 16

/** Targets for wrk, which are asked in turn: a second run goes on where the first has ended. */
export interface Targets {
  file: string
  count: number
  next: number
}

/** @param targets paths with queries */
export function targetsFile(
  directory: string,
  name: string,
  targets: readonly string[],
): () => Targets {
  const file = join(directory, `${name}.targets`)
  writeFileSync(file, `${targets.join("\n")}\n`)
  return () => ({ file, count: targets.length, next: 0 })
}

export interface WrkOptions {
  url: string
  headers: Readonly<Record<string, string>>
  seconds: number
}

interface Summary {
  requests: number
  microseconds: number
  /** Answered with a status above 399. */
  failed: number
  /** Ended without a response. */
  unanswered: number
}

/** @throws Error if one was not answered with 2xx or 3xx */
export async function wrk(
  targets: Targets,
  options: WrkOptions,
): Promise<{ rate: number; requests: number }> {
  const { requests, microseconds, failed, unanswered } = await wrkSummary(targets, options)
  if (failed > 0 || unanswered > 0) {
    throw new Error(
      `Of ${requests} requests to ${options.url}, ${failed} were answered with an error and ${unanswered} not at all`,
    )
  }
  return { rate: requests / (microseconds / 1_000_000), requests }
}

/** The same, whatever the requests are answered with. */
export async function wrkSummary(
  targets: Targets,
  { url, headers, seconds }: WrkOptions,
): Promise<Summary> {
  const headersFile = `${targets.file}.headers`
  const lines = Object.entries({ Host: new URL(url).host, ...headers })
  writeFileSync(headersFile, lines.map(([name, value]) => `${name}: ${value}\n`).join(""))
  const load = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "60s"]
  const args = [targets.file, headersFile, `${targets.next}`, `${threads}`]
  const { stdout } = await runToEnd(["wrk", ...load, "-s", script, url, "--", ...args])
  const summary: Summary = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
  targets.next += summary.requests
  return summary
}
