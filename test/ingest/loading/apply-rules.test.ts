/** A newer rule computes the values of the current records again, in one release that changes no earlier one. */
import { expect, test } from "bun:test"
import { withSnapshot } from "../../../src/data/db/connection.ts"
import { DatabaseError } from "../../../src/data/db/first-connection.ts"
import { checkSchema, migrate } from "../../../src/data/db/migrate.ts"
import { releaseOrigin } from "../../../src/data/db/release-files.ts"
import { loadedResources } from "../../../src/data/resources/catalogue.ts"
import { applyRules } from "../../../src/ingest/loading/apply-rules.ts"
import { decide, publishDecisions } from "../../../src/ingest/loading/link-decisions.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()
const { sql, url } = bench

const tenements = `id,tenement_id,state,holder_name
t1,E 01/1,WA,QUARRY ALPHA LTD
t2,E 01/2,WA,Quarry Pits Pty. Limited; Somebody
t3,E 01/3,WA,Old Alpha Ltd
t4,E 01/4,WA,Confirmed P/L
t5,E 01/5,WA,Somebody
t6,E 01/6,WA,
`
const reports = `hash,asx_code,title,published_at
r1,QZA,Drilling update,2026-01-01T00:00:00Z
r2,QZA,Change of name,2026-01-01T00:00:00Z
`

/** Loads records of every rule. */
async function fill(): Promise<void> {
  for (const name of ["Old Alpha Limited", "Quarry Alpha Limited"]) {
    await bench.companies(`QZA,${name},true`, "QZB,Quarry Beta NL,true")
  }
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry Pits Pty Ltd,QZB\n")
  await bench.load("tenements", tenements)
  await bench.load("declared-tenements", "asx_code,state,tenement_id\nQZB,WA,E01/0005\n")
  await bench.load("reports", reports)
  await decide(url, [{ holder: "Confirmed P/L", asxCode: "QZA", isRight: true }])
  await publishDecisions(url, silent)
}

/** The rows of the tables that have computed values, without what a release adds to them. */
async function current(): Promise<Record<string, unknown[]>> {
  const names = loadedResources.map(({ name }) => name)
  const tables = [...names, "former_names", "link_decisions", "link_keys", "suggested_links"]
  const found = await Promise.all(
    tables.map(
      (table) =>
        sql`select to_jsonb(t) - array['since_release', 'file'] as row from ${sql(table)} t order by 1`,
    ),
  )
  return Object.fromEntries(tables.map((table, index) => [table, [...(found[index] ?? [])]]))
}

/** As if an earlier version had made the values that the statements write. */
const makeEarlier = (rule: string, statements: string) =>
  sql.unsafe(`update rules set number = 0, version = '0.9.0' where name = '${rule}'; ${statements}`)

const apply = async () => (await applyRules(url, silent)).value

test("Another rule of names publishes one release of the tenements, links and totals that change, and changes other keys in place", async () => {
  await fill()
  const expected = await current()
  const before = await bench.releases()
  await makeEarlier(
    "names",
    `update companies set name_key = 'EARLIER ' || name_key;
     update companies set total_tenements = 1 where asx_code = 'QZA';
     update subsidiaries set name_key = 'EARLIER ' || name_key;
     update former_names set name_key = 'EARLIER ' || name_key;
     update link_decisions set holder_key = 'EARLIER ' || holder_key;
     update tenements set holder_keys = '{EARLIER}', asx_codes = '{}' where id in ('t1', 't3');
     update tenements set has_company = false where id = 't2';
     update tenements set since_release = 1`,
  )
  const published = await apply()
  expect(published).toMatchObject({
    release: before + 1,
    changes: { added: 0, changed: 2, removed: 0 },
    others: {},
    links: { changed: { tenements: 0, companies: 1 } },
  })
  expect(await current()).toEqual(expected)
  const changed = await sql`
    select id from tenements where since_release = ${before + 1}
    union all select asx_code from companies where since_release = ${before + 1} order by 1`
  expect(changed.map(({ id }) => id)).toEqual(["QZA", "t1", "t3"])
  const past = await sql`
    select id, holder_keys, asx_codes, since_release, file from tenements_history
    where until_release = ${before + 1} order by id`
  const earlier = { holder_keys: ["EARLIER"], asx_codes: [], since_release: 1, file: 0 }
  expect([...past]).toEqual([
    { id: "t1", ...earlier },
    { id: "t3", ...earlier },
  ])
  const origin = withSnapshot(url, (tx) => releaseOrigin(tx, before + 1))
  expect(await origin).toMatchObject({ source: "migration", observed: null, files: [] })
  expect(await apply()).toBe(null)
  expect(await bench.releases()).toBe(before + 1)
  await migrate(url)
})

test("Another rule of groups changes only the reports of another group", async () => {
  await fill()
  const expected = await current()
  const before = await bench.releases()
  await makeEarlier("report_groups", "update reports set report_group = 'other'")
  expect(await apply()).toMatchObject({
    release: before + 1,
    changes: { changed: 0 },
    others: { reports: { changed: 1 } },
  })
  expect(await current()).toEqual(expected)
  expect([...(await sql`select hash, report_group from reports_history`)]).toEqual([
    { hash: "r1", report_group: "other" },
  ])
  const [release] = await sql`
    select source, manifest -> 'resources' -> 'reports' as reports from releases order by id desc`
  expect(release).toEqual({
    source: "migration",
    reports: { added: 0, changed: 1, removed: 0, deactivated: 0 },
  })
})

test("A rule that changes no response publishes nothing, and is applied", async () => {
  await fill()
  const expected = await current()
  const before = await bench.releases()
  await makeEarlier("references", "update declared_tenements set reference_key = 'EARLIER'")
  expect(await apply()).toBe(null)
  expect([await current(), await bench.releases()]).toEqual([expected, before])
  await checkSchema(url)
})

test("Names that get the same key become one, and a declined link stays declined", async () => {
  await fill()
  await makeEarlier(
    "names",
    `insert into former_names values ('QZB', 'Beta Ltd', 'ONE', false), ('QZB', 'BETA LIMITED', 'TWO', true);
     insert into link_decisions values ('ONE', 'Some P/L', 'QZB', true), ('TWO', 'Some Pty Ltd', 'QZB', false);
     insert into listings values ('QZB', '2001-01-01', 'ONE', 'Beta Ltd', '2020-01-01', '2020-01-09'),
       ('QZB', '2001-01-01', 'TWO', 'BETA LIMITED', '2020-01-05', '2020-02-01')`,
  )
  await apply()
  expect([
    ...(await sql`select * from former_names where asx_code = 'QZB'`),
    ...(await sql`select * from link_decisions where asx_code = 'QZB'`),
    ...(await sql`select name_key, company_name, first_day::text, last_day::text from listings`),
  ]).toEqual([
    { asx_code: "QZB", name: "BETA LIMITED", name_key: "BETA LTD", is_certain: true },
    { asx_code: "QZB", holder: "Some P/L", holder_key: "SOME PTY LTD", is_right: false },
    {
      name_key: "BETA LTD",
      company_name: "BETA LIMITED",
      first_day: "2020-01-01",
      last_day: "2020-02-01",
    },
  ])
})

const earlier = "The database is of an earlier version. Run `mds migrate` first"
const later =
  /^This database was written by version 9\.9\.9 of the program, and this is version \S+: run version 9\.9\.9, or restore the backup from before the upgrade$/

test.each([
  ["earlier", "update rules set number = number - 1 where name = 'names'", earlier],
  ["missing", "delete from rules where name = 'links'", earlier],
  ["later", "update rules set number = number + 1, version = '9.9.9' where name = 'names'", later],
  ["unknown", "insert into rules values ('other', 1, '9.9.9')", later],
])(
  "With %s rules in the database, a load, a decision and other commands end with the cure",
  async (_, change, message) => {
    const releases = await bench.releases()
    const stored = await sql`select * from rules order by name`
    await sql.unsafe(change)
    for (const refused of [
      () => bench.load("reports", reports.replace("Drilling", "Shipping")),
      () => publishDecisions(url, silent),
      () => checkSchema(url),
      ...(message === later ? [() => migrate(url)] : []),
    ]) {
      const error = await refused().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(DatabaseError)
      expect(error).toHaveProperty("message", expect.stringMatching(message))
    }
    expect(await bench.releases()).toBe(releases)
    await sql`delete from rules`
    await sql`insert into rules ${sql(stored.map((row) => ({ ...row })))}`
  },
)
