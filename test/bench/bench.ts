/** Measures the service beside others: `bun run bench`. `--list` describes the rows. */
import { availableParallelism, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import { createEnvironment, type Environment } from "./environment.ts"
import { type Figures, table, tableHead } from "./rounds.ts"
import { exportRows } from "./rows/exports.ts"
import { overload } from "./rows/overload.ts"
import { rateRows } from "./rows/rates.ts"
import { start } from "./rows/start.ts"
import { waitRows } from "./rows/waits.ts"

/** A row of the benchmark. */
export interface Row {
  /** For `--only`. */
  name: string
  /** What the service does, for the table. */
  work: string
  /** Programs that must be installed. */
  needs?: readonly string[]
  /** @throws Error if a response is not as expected */
  run(environment: Environment): Promise<Figures>
}

const rows: readonly Row[] = [...rateRows, ...exportRows, ...waitRows, overload, start]

/** Prints progress with the seconds since the start. */
const log = (line: string): void => {
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${line}\n`)
}

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Must be a positive integer.")
  return Number(text)
}

const rowName = (name: string, before: string[]): string[] => {
  if (rows.some((row) => row.name === name)) return [...before, name]
  throw new InvalidArgumentError("No row has this name: see --list.")
}

interface Flags {
  tenements: number
  reports: number
  before?: string
  data?: string
  only: string[]
  rounds: number
  seconds: number
  list?: boolean
}

const program = new Command("bench")
  .description("measure the service beside others, and print a table")
  .option("--before <dir>", "measure the service of this checkout too, beside ours")
  .option("--tenements <n>", "number of tenements", count, 100_000)
  .option("--reports <n>", "number of reports", count, 200_000)
  .option("--data <dir>", "directory that keeps the data between runs (default: one for each size)")
  .option("--only <name>", "run this row; may be repeated", rowName, [])
  .option("--rounds <n>", "rounds of each row", count, 3)
  .option("--seconds <n>", "load of each side in a round", count, 2)
  .option("--list", "list the rows")

async function bench(flags: Flags): Promise<boolean> {
  const { tenements, reports, before, rounds, seconds } = flags
  const environment = await createEnvironment({
    sizes: { tenements, reports },
    directory: resolve(flags.data ?? join(tmpdir(), `mds-bench-${tenements}-${reports}`)),
    before: before === undefined ? null : resolve(before),
    rounds,
    seconds,
    log,
  })
  const lines = [tableHead]
  const problems: string[] = []
  for (const row of rows.filter(
    ({ name }) => flags.only.length === 0 || flags.only.includes(name),
  )) {
    const missing = (row.needs ?? []).filter((name) => Bun.which(name) === null)
    if (missing.length > 0) {
      problems.push(`${row.name} was left out: it needs ${missing.join(" and ")}`)
      continue
    }
    log(`${row.name}: ${row.work}`)
    try {
      lines.push(table(`\`${row.name}\` ${row.work}`, await row.run(environment)))
      log(lines.at(-1) ?? "")
    } catch (error) {
      problems.push(`${row.name} failed: ${error instanceof Error ? error.message : error}`)
      log(problems.at(-1) ?? "")
    }
    await environment.endRow()
  }
  const [server] = await environment.sql`show server_version`
  await environment.stop()
  process.stdout.write(
    `${[...lines, "", `${tenements} tenements, ${reports} reports; ${availableParallelism()} cores, Bun ${Bun.version}, PostgreSQL ${server?.server_version}`, ...problems].join("\n")}\n`,
  )
  return problems.length === 0
}

program.action(async (flags: Flags) => {
  if (flags.list) {
    process.stdout.write(rows.map(({ name, work }) => `${name.padEnd(26)}${work}\n`).join(""))
    return
  }
  process.exitCode = (await bench(flags)) ? 0 : 1
})

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130))
try {
  await program.parseAsync()
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
process.exit()
