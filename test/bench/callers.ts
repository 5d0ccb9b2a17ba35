/** Callers that measure how long each of their requests takes. */
import { runToEnd } from "./processes.ts"

export interface Job {
  url: string
  callers: readonly { token: string; targets: readonly string[] }[]
  /** No request begins later. */
  seconds?: number
  /** Begins again after the last target. */
  repeat?: boolean
}

/** Of one caller, by request. */
export interface Measured {
  ms: number[]
  statuses: number[]
}

const program = Bun.fileURLToPath(new URL("caller-process.ts", import.meta.url))

/** Lets callers ask from one process of their own. @returns what each has measured */
export async function callAll(job: Job): Promise<Measured[]> {
  const { stdout } = await runToEnd([process.execPath, program], { stdin: JSON.stringify(job) })
  return JSON.parse(stdout)
}

/** One caller, whose requests must all be answered with 200. @returns milliseconds by request */
export async function call(
  url: string,
  token: string,
  targets: readonly string[],
): Promise<number[]> {
  const [measured] = await callAll({ url, callers: [{ token, targets }] })
  if (!measured) throw new Error("The caller measured nothing")
  const index = measured.statuses.findIndex((status) => status !== 200)
  if (index >= 0) throw new Error(`${targets[index]} was answered ${measured.statuses[index]}`)
  return measured.ms
}
