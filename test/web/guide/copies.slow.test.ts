/** Runs the guide's programs that keep a copy of a list, in Python, R and TypeScript. */
import { describe, expect, test } from "bun:test"
import { sampleFixtures, type TenementFixture } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { reportSkipped } from "../../support/supervised.ts"
import { until } from "../../support/until.ts"
import { isInstalled, type Sample, samplesOf, workingDirectory } from "./samples.ts"

const windowSeconds = 1
const records = sampleFixtures({ companies: 20, tenements: 400, subsidiaries: 20, reports: 20 })
const changed = records.tenements.slice(7).map((tenement, index) => ({
  ...tenement,
  status: index % 3 === 0 ? "expired" : tenement.status,
}))
const settings = { RATE_WINDOW_SECONDS: String(windowSeconds) }
const service = await serviceOfFile({ records, settings })
const samples = await samplesOf(["copies"])

const byId = <T extends { id: string }>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

const published = (list: readonly TenementFixture[]) =>
  byId(list.map(({ asx_codes: _, ...tenement }) => tenement))

function sampleIn(language: string): Sample {
  const sample = samples.find((each) => each.language === language)
  if (!sample) throw new Error(`No program in ${language}`)
  return sample
}

/** Prints the file of the program in R as JSON. */
const readStored = {
  page: "copies",
  language: "r",
  code: `stored <- readRDS("tenements.rds")
stored$release <- jsonlite::unbox(as.integer(stored$release))
cat(jsonlite::toJSON(stored, na = "null", digits = NA))`,
}

describe.each(["python", "r", "ts"])("The program in %s that keeps a copy", (language) => {
  const sample = sampleIn(language)
  const isPossible = isInstalled(sample)
  if (!isPossible) reportSkipped(import.meta.path, `what ${language} needs (Rscript with httr2)`)
  const directory = workingDirectory()

  /** The records of the copy after a run. */
  async function copy(token: string): Promise<{ id: string }[]> {
    const { exitCode, output, errors } = await directory.run(sample, { url: service.url, token })
    expect([exitCode, errors]).toEqual([0, ""])
    const stored =
      language === "r"
        ? (await directory.run(readStored, { url: "", token: "" })).output
        : await directory.read("tenements.json")
    const { release, records: list } = JSON.parse(stored)
    expect(output.trim()).toBe(`${list.length} tenements at release ${release}`)
    return byId(list)
  }

  test.skipIf(!isPossible)(
    "has the newest release after each run, also after a 429 and after a failed run",
    async () => {
      await service.publish(records)
      const denied = () =>
        service.logLines.filter((line) => JSON.parse(line)["http.response.status_code"] === 429)
      const before = denied().length
      const first = copy(await service.issueWithLimit(1))
      await until(() => denied().length > before)
      service.clock.advance(windowSeconds * 1000)
      expect(await first).toEqual(published(records.tenements))

      await service.publish({ ...records, tenements: changed })
      const failed = await directory.run(sample, { url: service.url, token: "mds_no" })
      expect(failed.exitCode).not.toBe(0)
      expect(failed.errors).toContain("401")
      expect(await copy(service.tokens.admin)).toEqual(published(changed))
      // Nothing has changed since.
      expect(await copy(service.tokens.admin)).toEqual(published(changed))
    },
  )
})
