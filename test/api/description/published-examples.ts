/** A database in which the records and the release of the description's examples are published. */
import { getTableColumns } from "drizzle-orm"
import {
  exampleKey,
  exampleNow,
  exampleRecord,
  exampleRelease,
} from "../../../src/api/description/examples.ts"
import { loadedSources } from "../../../src/data/db/source-tables.ts"
import { companies } from "../../../src/data/resources/companies.ts"
import { releases } from "../../../src/data/resources/releases.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import { type Readable, resourceNames } from "../../../src/data/resources/resource.ts"
import { sources } from "../../../src/data/resources/sources.ts"
import { subsidiaries } from "../../../src/data/resources/subsidiaries.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { versionsOf } from "../../../src/data/resources/versions.ts"
import type { Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile, type TestService } from "../../support/service.ts"

/** The record, as the sample data has its type. */
const recordOf = <Row>(resource: Readable, others: object = {}) =>
  [{ ...exampleRecord(resource), ...others }] as Row[]

/** Of tenements it is stated whose they are. */
const fixtures: Fixtures = {
  companies: recordOf(companies),
  tenements: recordOf(tenements, { asx_codes: [exampleKey(companies)] }),
  subsidiaries: recordOf(subsidiaries),
  reports: recordOf(reports),
}

/** Starts a service that has published them, for the tests of a file. It may have cached responses: serve `beside` it. */
export async function publishedExamples(): Promise<TestService> {
  const service = await serviceOfFile({ records: fixtures, now: exampleNow })
  const release = exampleRecord(releases)
  const { files: name, observed_at: observed } = exampleRecord(versionsOf(companies))
  const manifest = {
    files: [{ name }],
    observed,
    observed_is_known: true,
    resources: Object.fromEntries(resourceNames.map((name) => [name, countsOf(release, name)])),
  }
  await service.sql`
    update releases set published_at = ${String(release.published_at)}, source = ${String(release.source)},
      identity = ${exampleRelease.identity ?? ""}, manifest = ${JSON.stringify(manifest)}::text::jsonb
    where id = ${exampleRelease.id}`
  await publishSource(service)
  return service
}

/** The records that are counted are those that are there. */
async function publishSource({ sql }: TestService): Promise<void> {
  const { source: name, rejected, unknown_values, ...others } = exampleRecord(sources)
  const stored = Object.keys(getTableColumns(loadedSources))
  const texts = Object.entries({ ...others, name })
    .filter(([column]) => stored.includes(column))
    .map(([column, value]) => [column, value === null ? null : String(value)])
  await sql`insert into sources ${sql(Object.fromEntries(texts))}`
  await sql`
    update sources set last_observed_is_known = true,
      counts = ${JSON.stringify({ rejected, unknown_values })}::text::jsonb`
  await sql`update ${sql(String(others.resource))} set source = ${String(name)}`
}

/** The counts of one resource, as a manifest has them. */
const countsOf = (release: Readonly<Record<string, unknown>>, resource: string) =>
  Object.fromEntries(
    ["added", "changed", "removed"].map((kind) => [kind, release[`${resource}_${kind}`]]),
  )
