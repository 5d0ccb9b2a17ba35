/** The benchmark's data: the sample generator's, made once for each size. */
import { createWriteStream, existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import type { Sql } from "postgres"
import { migrate } from "../../src/db/migrate.ts"
import { loadRecords } from "../../src/loading/load.ts"
import { silent } from "../../src/loading/progress.ts"
import { vacuumChanged } from "../../src/loading/vacuum.ts"
import { quoteCell } from "../../src/text/csv-cell.ts"
import { sampleData } from "../sample/sample-data.ts"

export interface Sizes {
  tenements: number
  reports: number
}

const sampleOf = ({ tenements, reports }: Sizes) => {
  const companies = Math.max(300, Math.round(tenements / 500))
  return sampleData({ sizes: { companies, subsidiaries: 3 * companies, tenements, reports } })
}

/** Loads sample data into a database without any. */
export async function ensureLoaded(
  url: string,
  sql: Sql,
  sizes: Sizes,
  log: (line: string) => void,
): Promise<void> {
  await migrate(url)
  const [release] = await sql`select id from releases limit 1`
  if (release) return
  log(`loading ${sizes.tenements} tenements and ${sizes.reports} reports, once`)
  const sample = sampleOf(sizes)
  const records = {
    companies: sample.companies(),
    subsidiaries: sample.subsidiaries(),
    tenements: sample.tenements(),
    reports: sample.reports(),
  }
  const loaded = await loadRecords({ url, source: "sample", records })
  await vacuumChanged(url, loaded, silent)
}

export async function sizesOf(sql: Sql): Promise<Sizes> {
  const [sizes] = await sql<[Sizes]>`
    select (select count(*)::int from tenements) as tenements,
           (select count(*)::int from reports) as reports`
  return sizes
}

/** A CSV file of as many tenements, in the service's own columns. @returns its path */
export async function tenementsFile(directory: string, sizes: Sizes): Promise<string> {
  const path = join(directory, `tenements-${sizes.tenements}.csv`)
  if (existsSync(path)) return path
  const unfinished = `${path}.unfinished`
  const file = createWriteStream(unfinished)
  let header = ""
  let lines: string[] = []
  const write = () =>
    new Promise<void>((resolve, reject) => {
      file.write(lines.join(""), (error) => (error ? reject(error) : resolve()))
      lines = []
    })
  for (const record of sampleOf(sizes).tenements()) {
    if (header === "") {
      header = Object.keys(record).join(",")
      lines.push(`${header}\n`)
    }
    const cells = Object.values(record).map((value) =>
      value === null ? "" : quoteCell(`${value}`),
    )
    lines.push(`${cells.join(",")}\n`)
    if (lines.length === 10_000) await write()
  }
  await write()
  await new Promise<void>((resolve) => file.end(resolve))
  renameSync(unfinished, path)
  return path
}
