/** Servers that wrk puts under load, side by side. */
import type { Environment } from "./environment.ts"
import { cpuSecondsOf, procIsReadable, type ServerProcess } from "./processes.ts"
import { rounds } from "./rounds.ts"
import type { Figure } from "./row.ts"
import { type Targets, targetsFile, wrk } from "./wrk.ts"

/** The first page of the list that most rows read. */
export const listPage = "/api/v1/tenements"

export const authorization = async (environment: Environment) => ({
  Authorization: `Bearer ${await environment.token()}`,
})

/** What a server is asked. */
export interface Side {
  server: ServerProcess
  targets: Targets
  headers: Readonly<Record<string, string>>
}

/** A server that is asked the same again and again. */
export const asking = (
  { scratch }: Environment,
  server: ServerProcess,
  path: string,
  headers: Side["headers"],
): Side => ({ server, targets: targetsFile(scratch, crypto.randomUUID(), [path])(), headers })

/**
 * Measures rates in rounds, after one to warm up.
 * @param others measure their rates themselves
 * @returns the rate of each side under its name, and as "CPU of" it the time that its process has
 *   computed for a request, which a busy machine disturbs less
 */
export async function measureRates(
  { rounds: count, seconds }: Environment,
  sides: Readonly<Record<string, Side>>,
  others: Readonly<Record<string, () => Promise<number>>> = {},
): Promise<Record<string, Figure>> {
  const cpu: Record<string, number[]> = {}
  const underLoad = Object.entries(sides).map(([name, { server, targets, headers }]) => {
    const samples: number[] = []
    if (procIsReadable) cpu[`CPU of ${name}`] = samples
    const run = async () => {
      const before = procIsReadable ? cpuSecondsOf(server.pid) : 0
      const { rate, requests } = await wrk(targets, { url: server.url, headers, seconds })
      if (procIsReadable) {
        samples.push(((cpuSecondsOf(server.pid) - before) * 1_000_000) / requests)
      }
      return rate
    }
    return [name, run] as const
  })
  const samples = await rounds(
    count,
    { ...Object.fromEntries(underLoad), ...others },
    { warmUp: true },
  )
  return {
    ...figures("requests/s", samples),
    ...figures("µs/request", cpu, count),
  }
}

const figures = (unit: Figure["unit"], of: Record<string, number[]>, last = Infinity) =>
  Object.fromEntries(
    Object.entries(of).map(([name, samples]): [string, Figure] => [
      name,
      { unit, samples: samples.slice(-last) },
    ]),
  )
