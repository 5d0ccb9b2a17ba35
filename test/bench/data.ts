/** The benchmark's data: the sample generator's records, as one CSV file for each resource. */
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { sampleData } from "../../src/sample/sample-data.ts"
import { withGeometry } from "../../src/sample/shapes.ts"

export interface Sizes {
  tenements: number
  reports: number
}

/** In the order in which they are loaded. */
export const resources = ["companies", "subsidiaries", "tenements", "reports"] as const
type Resource = (typeof resources)[number]

export type DataFiles = Readonly<Record<Resource, string>>

/** Writes the files that are not there. @returns their paths */
export async function dataFiles(directory: string, sizes: Sizes): Promise<DataFiles> {
  mkdirSync(directory, { recursive: true })
  const companies = Math.max(300, Math.round(sizes.tenements / 500))
  const sample = sampleData({ sizes: { companies, subsidiaries: 3 * companies, ...sizes } })
  const paths = resources.map(async (resource) => {
    const path = join(directory, `${resource}.csv`)
    const records = () =>
      resource === "tenements" ? withGeometry(sample.tenements()) : sample[resource]()
    if (!existsSync(path)) await writeCsv(path, records())
    return [resource, path] as const
  })
  return Object.fromEntries(await Promise.all(paths)) as Record<Resource, string>
}

async function writeCsv(path: string, records: Iterable<object>): Promise<void> {
  const writer = Bun.file(`${path}.unfinished`).writer()
  let isFirst = true
  for (const record of records) {
    if (isFirst) writer.write(`${Object.keys(record).join(",")}\n`)
    isFirst = false
    writer.write(`${Object.values(record).map(cellOf).join(",")}\n`)
  }
  await writer.end()
  renameSync(`${path}.unfinished`, path)
}

const cellOf = (value: unknown): string => {
  const text = value === null || value === undefined ? "" : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
