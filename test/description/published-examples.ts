/** A database in which the records and releases of the description's examples are published. */
import { exampleKeys, exampleNow, exampleRecords } from "../../src/description/examples.ts"
import { resourceNames } from "../../src/resources/resource.ts"
import type { Fixtures } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"

const { companies, tenements, subsidiaries, reports, releases } = exampleRecords

/** Of tenements it is stated whose they are. */
const fixtures: Fixtures = {
  companies: companies.map(({ total_tenements: _, ...company }) => ({ ...company })),
  tenements: tenements.map((tenement) => ({ ...tenement, asx_codes: [exampleKeys.companies] })),
  subsidiaries: subsidiaries.map((subsidiary) => ({ ...subsidiary })),
  reports: reports.map((report) => ({ ...report })),
}

/** A service that has published them. It may have cached what it showed before: serve `beside` it. */
export async function publishedExamples(): Promise<TestService> {
  const service = await testService({ records: fixtures, now: exampleNow })
  for (let release = 1; release < releases.length; release++) await service.publish(fixtures)
  for (const release of releases) {
    const manifest = {
      resources: Object.fromEntries(resourceNames.map((name) => [name, countsOf(release, name)])),
    }
    await service.sql`
      update releases set published_at = ${release.published_at}, source = ${release.source},
        manifest = ${JSON.stringify(manifest)}::text::jsonb where id = ${release.id}`
  }
  return service
}

/** The counts of one resource, as a manifest has them. */
const countsOf = (release: Readonly<Record<string, unknown>>, resource: string) =>
  Object.fromEntries(
    ["added", "changed", "removed"].map((kind) => [kind, release[`${resource}_${kind}`]]),
  )
