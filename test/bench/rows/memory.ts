/** The memory of a service under mixed load. */
import type { Environment } from "../environment.ts"
import { memoryOf } from "../processes.ts"
import type { Row } from "../row.ts"
import { authorization } from "../sides.ts"
import { lowest, slope } from "../statistics.ts"
import { targetsFile, wrk } from "../wrk.ts"

const sampleSeconds = 2
export const warmUpSeconds = 60
/**
 * Between two collections garbage adds up to 80 MB, more than a leak would in some minutes. What stays
 * shows in the lowest value of each window.
 */
export const windowSeconds = 30

/** The slope of what stays in memory. */
const slopeOfLowest = (points: readonly (readonly [minutes: number, mb: number])[]): number =>
  slope(lowest(points, windowSeconds / 60))

/** What clients do, mixed: shares of a hundred. */
export async function mixedTargets({
  sql,
  counted,
}: Pick<Environment, "sql" | "counted">): Promise<string[]> {
  const ids = await sql<{ id: string }[]>`select id from tenements order by md5(id) limit 50000`
  const codes = await sql<{ code: string }[]>`
    select asx_code as code from companies where is_active order by 1 limit 500`
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(Math.random() * values.length)]
    if (value === undefined) throw new Error("There is nothing to pick")
    return value
  }
  const states = ["WA", "NSW", "QLD", "VIC", "SA", "TAS", "NT"]
  const page = (records: number) => 1 + Math.floor((Math.random() * records) / 50)
  const kinds: [number, () => string][] = [
    [30, () => `/tenements/${encodeURIComponent(pick(ids).id)}`],
    [20, () => `/tenements?state=${pick(states)}&page=${page(counted.tenements / 10)}`],
    [15, () => `/companies/${pick(codes).code}/tenements`],
    [10, () => "/tenements"],
    [10, () => `/reports?company=${pick(codes).code}`],
    [5, () => `/companies?sort=market_cap&order=desc&page=${1 + Math.floor(Math.random() * 5)}`],
    [5, () => `/tenements?format=csv&state=${pick(states)}&page=${page(2000)}`],
    [4, () => `/reports?company=${pick(codes).code}&from=20${10 + page(600)}-01-01`],
    [
      1,
      () => `/tenements?holder=${encodeURIComponent(pick(["gold", "min", "res", "exp", "pty"]))}`,
    ],
  ]
  const hundred = kinds.flatMap(([share, make]) => Array<typeof make>(share).fill(make))
  return Array.from({ length: 100_000 }, () => `/api/v1${pick(hundred)()}`)
}

export const memory: Row = {
  name: "memory",
  work: "memory under mixed load, after the first minute",
  needs: ["wrk", "/proc"],
  targets: [
    { figure: "slope", atMost: 1 },
    { figure: "slope of the second half" },
    { figure: "at the start" },
    { figure: "at the end" },
    { figure: "at most" },
  ],
  run: async (environment) => {
    const { memorySeconds, scratch } = environment
    const targets = targetsFile(scratch, "mixed", await mixedTargets(environment))
    const headers = await authorization(environment)
    const { url, pid } = await environment.freshService()
    const points: [minutes: number, mb: number][] = [[0, memoryOf(pid, "now")]]
    const startedMs = performance.now()
    environment.log(`mixed load for ${memorySeconds} s`)
    const sampling = setInterval(() => {
      points.push([(performance.now() - startedMs) / 60_000, memoryOf(pid, "now")])
    }, sampleSeconds * 1000)
    try {
      await wrk(targets(), { url, headers, seconds: memorySeconds })
    } finally {
      clearInterval(sampling)
    }
    const slopeFrom = (seconds: number) => ({
      unit: "MB/minute" as const,
      samples: [slopeOfLowest(points.filter(([minutes]) => minutes >= seconds / 60))],
    })
    const isLongEnough = memorySeconds >= 3 * warmUpSeconds
    const one = (mb = 0) => ({ unit: "MB" as const, samples: [mb] })
    return {
      figures: {
        ...(isLongEnough && { slope: slopeFrom(warmUpSeconds) }),
        "slope of the second half": slopeFrom(memorySeconds / 2),
        "at the start": one(points[0]?.[1]),
        "at the end": one(points.at(-1)?.[1]),
        "at most": one(memoryOf(pid, "peak")),
      },
      notes: isLongEnough
        ? []
        : [`${memorySeconds} s do not tell growth from caches that fill: use --memory-seconds 300`],
    }
  },
}
