/** A database in which the records and releases of the description's examples are published. */
import {
  exampleKeys,
  exampleNow,
  exampleRecords,
  exampleRelease,
} from "../../src/description/examples.ts"
import { resourceNames } from "../../src/resources/resource.ts"
import type { Fixtures } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"

const { companies, tenements, subsidiaries, reports, releases, sources } = exampleRecords

/** Of tenements it is stated whose they are. */
const fixtures: Fixtures = {
  companies: companies.map(({ total_tenements: _, ...company }) => ({ ...company })),
  tenements: tenements.map((tenement) => ({ ...tenement, asx_codes: [exampleKeys.companies] })),
  subsidiaries: subsidiaries.map((subsidiary) => ({ ...subsidiary })),
  reports: reports.map((report) => ({ ...report })),
}

const [, { status, grant_date, expiry_date }] = exampleRecords["tenement-versions"]

/** At release 1. */
const before: Fixtures = {
  ...fixtures,
  tenements: fixtures.tenements
    .filter(({ id }) => id === exampleKeys.tenements)
    .map((tenement) => ({ ...tenement, status, grant_date, expiry_date })),
}

/** By release. */
const files = [...exampleRecords["tenement-versions"]].reverse().map((version) => version.files)

/** A service that has published them. It may have cached what it showed before: serve `beside` it. */
export async function publishedExamples(): Promise<TestService> {
  const service = await testService({ records: before, now: exampleNow })
  await service.publish(fixtures)
  // What the second release did not change.
  await service.sql`delete from reports_history`
  await service.sql`update reports set since_release = 1`
  for (const release of releases) {
    const manifest = {
      files: [{ name: files[release.id - 1] }],
      resources: Object.fromEntries(resourceNames.map((name) => [name, countsOf(release, name)])),
    }
    await service.sql`
      update releases set published_at = ${release.published_at}, source = ${release.source},
        manifest = ${JSON.stringify(manifest)}::text::jsonb where id = ${release.id}`
  }
  await service.sql`
    update releases set identity = ${exampleRelease.identity ?? ""} where id = ${exampleRelease.id}`
  await publishSources(service)
  return service
}

/** The records that are counted are those that are there. */
async function publishSources({ sql }: TestService): Promise<void> {
  for (const source of sources) {
    const { source: name, rejected, unknown_values } = source
    const { licence, address, last_fetched_at, last_loaded_at, last_outcome } = source
    const { resource, last_observed_at, last_changed_at, last_release } = source
    const row = { name, resource, licence, address, last_fetched_at, last_loaded_at }
    const last = { last_outcome, last_observed_at, last_changed_at, last_release }
    await sql`insert into sources ${sql({ ...row, ...last })}`
    await sql`
      update sources set counts = ${JSON.stringify({ rejected, unknown_values })}::text::jsonb
      where name = ${name}`
    await sql`update ${sql(resource)} set source = ${name}`
  }
}

/** The counts of one resource, as a manifest has them. */
const countsOf = (release: Readonly<Record<string, unknown>>, resource: string) =>
  Object.fromEntries(
    ["added", "changed", "removed"].map((kind) => [kind, release[`${resource}_${kind}`]]),
  )
