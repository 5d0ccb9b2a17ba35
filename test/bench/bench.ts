/** Measures the service beside others: `bun run bench`. src/guide/benchmarks.md says what each row means. */
import { availableParallelism, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Command, InvalidArgumentError } from "commander"
import { rows } from "./catalogue.ts"
import { createEnvironment } from "./environment.ts"
import { missingPrograms } from "./installed.ts"
import { type Judged, judge } from "./judge.ts"
import { killRunning } from "./processes.ts"
import type { Row } from "./row.ts"
import { table } from "./table.ts"

interface Flags {
  tenements: number
  reports: number
  data?: string
  database?: string
  only: string[]
  rounds: number
  seconds: number
  memorySeconds: number
  json?: boolean
  list?: boolean
}

/** Progress, with the seconds since the start. */
const log = (line: string): void => {
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${line}\n`)
}

const count = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Must be a positive integer.")
  return Number(text)
}

const nameOfRow = (name: string, before: string[]): string[] => {
  if (rows.some((row) => row.name === name)) return [...before, name]
  throw new InvalidArgumentError("No row has this name: see --list.")
}

const program = new Command("bench")
  .description("measure the service beside others, and print a table")
  .option("--tenements <n>", "number of tenements", count, 100_000)
  .option("--reports <n>", "number of reports", count, 200_000)
  .option("--data <dir>", "directory that keeps the data between runs (default: one for each size)")
  .option("--database <url>", "use this database, which has data, and only read its data")
  .option("--only <name>", "run this row; may be repeated", nameOfRow, [])
  .option("--rounds <n>", "rounds of each row", count, 3)
  .option("--seconds <n>", "load of each side in a round", count, 2)
  .option("--memory-seconds <n>", "length of the row on memory", count, 60)
  .option("--json", "print one JSON object instead of the table")
  .option("--list", "list the rows and what they need")

interface Report {
  lines: Judged[]
  notes: string[]
  skipped: string[]
  failed: string[]
}

async function bench(flags: Flags): Promise<Report> {
  const { tenements, reports } = flags
  const report: Report = { lines: [], notes: [], skipped: [], failed: [] }
  const chosen = rows.filter(({ name }) => flags.only.length === 0 || flags.only.includes(name))
  const environment = await createEnvironment({
    sizes: { tenements, reports },
    directory: resolve(flags.data ?? join(tmpdir(), `mds-bench-${tenements}-${reports}`)),
    databaseUrl: flags.database ?? null,
    rounds: flags.rounds,
    seconds: flags.seconds,
    memorySeconds: flags.memorySeconds,
    log,
  })
  let interrupted = false
  const interrupt = (): void => {
    if (interrupted) process.exit(130)
    interrupted = true
    killRunning() // The row that runs fails, and cleans up after itself.
  }
  process.on("SIGINT", interrupt)
  process.on("SIGTERM", interrupt)
  const { counted } = environment
  const [server] = await environment.sql`show server_version`
  report.notes.push(
    `${counted.tenements} tenements, ${counted.reports} reports; ${availableParallelism()} cores, Bun ${Bun.version}, PostgreSQL ${server?.server_version}`,
  )
  try {
    for (const row of chosen) {
      if (interrupted) break
      const missing = missingPrograms(row.needs)
      if (missing.length > 0) {
        report.skipped.push(`${row.name} needs ${missing.join(" and ")}`)
        continue
      }
      log(`${row.name}: ${row.work}`)
      await runRow(row)
    }
  } finally {
    await environment.stop()
  }
  if (interrupted) process.exit(130)
  return report

  async function runRow(row: Row): Promise<void> {
    try {
      const outcome = await row.run(environment)
      const lines = judge(row, outcome)
      report.lines.push(...lines)
      report.notes.push(...(outcome.notes ?? []).map((note) => `${row.name}: ${note}`))
      process.stderr.write(`${table(lines)}\n`)
    } catch (error) {
      report.failed.push(`${row.name}: ${error instanceof Error ? error.message : error}`)
      log(report.failed.at(-1) ?? "")
    } finally {
      await environment.endRow()
    }
  }
}

function text({ lines, notes, skipped, failed }: Report): string {
  const list = (title: string, entries: string[]) =>
    entries.length === 0 ? [] : [`\n${title}`, ...entries.map((entry) => `- ${entry}`)]
  return [
    table(lines),
    ...list("Notes:", notes),
    ...list("Left out:", skipped),
    ...list("Failed:", failed),
  ].join("\n")
}

program.action(async (flags: Flags) => {
  if (flags.list) {
    const listed = rows.map(
      ({ name, work, needs }) =>
        `${name.padEnd(26)}${work}${needs.length > 0 ? ` (needs ${needs.join(", ")})` : ""}\n`,
    )
    process.stdout.write(listed.join(""))
    return
  }
  const report = await bench(flags)
  process.stdout.write(`${flags.json ? JSON.stringify(report) : text(report)}\n`)
  // What falls short is a result; what does not run is a failure.
  process.exitCode = report.failed.length > 0 ? 1 : 0
})

try {
  await program.parseAsync()
} catch (error) {
  log(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
process.exit()
