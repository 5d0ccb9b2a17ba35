/** DuckDB reads the same rows from Parquet, CSV and NDJSON, with the types of the fields. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { awkward } from "../support/fixtures.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { installPackages, runProgram } from "../support/packages.ts"
import { testService } from "../support/service.ts"

const areInstalled = await installPackages(import.meta.dir, import.meta.path)

const directory = directoryOfFile()

const lists = {
  "/companies": awkward.companies.filter(({ is_active }) => is_active).length,
  "/tenements": awkward.tenements.length,
  "/companies/BIG/subsidiaries": awkward.subsidiaries.filter(
    ({ parent_asx_code }) => parent_asx_code === "BIG",
  ).length,
  "/reports": awkward.reports.length,
}

test.skipIf(!areInstalled)(
  "DuckDB reads every list in every format",
  async () => {
    await using service = await testService()
    const environment = {
      SERVICE_URL: service.url,
      TOKEN: service.tokens.admin,
      DIRECTORY: directory,
      PATHS: Object.keys(lists).join(" "),
    }
    const program = join(import.meta.dir, "programs/duckdb.ts")
    const { status, output } = await runProgram([program], { directory, environment })
    expect([status, output]).toEqual([0, expect.stringContaining("{")])
    const results = JSON.parse(output)
    for (const [path, rows] of Object.entries(lists)) {
      expect([path, results[path].rows, results[path].differences]).toEqual([path, rows, []])
    }
    expect(results["/companies"].types).toMatchObject({
      asx_code: "VARCHAR",
      market_cap_aud: "BIGINT",
      is_active: "BOOLEAN",
    })
    expect(results["/tenements"].types).toMatchObject({ grant_date: "DATE", area_km2: "DOUBLE" })
    expect(results["/reports"].types).toMatchObject({ published_at: "TIMESTAMP WITH TIME ZONE" })
  },
  120_000,
)
