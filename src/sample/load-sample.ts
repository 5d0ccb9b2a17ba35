/** Loads sample data as NDJSON files of the resources' own fields: a release for each of the four. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { load } from "../ingest/loading/load.ts"
import type { LoadOptions } from "../ingest/loading/load-options.ts"
import type { LoadSummary } from "../ingest/loading/summary.ts"
import {
  ownCompanies,
  ownReports,
  ownSubsidiaries,
  ownTenements,
} from "../ingest/sources/own-columns.ts"
import type { SampleData } from "./sample-data.ts"
import { withGeometry } from "./shapes.ts"

const sources = [
  ["companies", ownCompanies],
  ["subsidiaries", ownSubsidiaries],
  ["tenements", ownTenements],
  ["reports", ownReports],
] as const

export async function loadSample(
  sample: SampleData,
  options: Omit<LoadOptions, "source" | "files">,
): Promise<LoadSummary[]> {
  const directory = mkdtempSync(join(tmpdir(), "mds-sample-"))
  const summaries: LoadSummary[] = []
  try {
    for (const [name, source] of sources) {
      const file = join(directory, `${name}.ndjson`)
      const records = [
        ...(name === "tenements" ? withGeometry(sample.tenements()) : sample[name]()),
      ]
      await Bun.write(
        file,
        records.map((record) => `${JSON.stringify(record)}\n`),
      )
      summaries.push(await load({ ...options, source, files: [file] }))
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
  return summaries
}
