/**
 * A load that is killed, whatever it was writing, and then run again leaves what it leaves when it
 * runs once: what is missing, what is known of the source, and the names that companies bore.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import postgres from "postgres"
import { until } from "../support/until.ts"
import { type Workbench, workbench } from "./workbench.ts"

setDefaultTimeout(60_000)

let bench: Workbench
/** A connection of the test's own, which locks what a load writes. */
let blocker: postgres.Sql
beforeAll(async () => {
  bench = await workbench()
  blocker = postgres(bench.url, { max: 1, onnotice: () => {} })
})
afterAll(async () => {
  await blocker.end({ timeout: 1 })
  await bench.close()
})

const at = (hours: number) => `${new Date(Date.UTC(2020, 0, 1, hours)).toISOString().slice(0, 19)}Z`
const capture = (missing: readonly number[], names: Record<number, string> = {}) =>
  [
    "ASX code,Company name,GICs industry group,Listing date,Market Cap",
    ...Array.from({ length: 60 }, (_, n) =>
      missing.includes(n)
        ? ""
        : `Q${n + 10},${names[n] ?? `QUARRY ${n} LIMITED`},Materials,,${n}\n`,
    )
      .join("")
      .trimEnd()
      .split("\n"),
    "",
  ].join("\n")

/** One goes, one is newly missing, one is back, and one is renamed. */
const changes = capture([1, 2], { 4: "RENAMED LIMITED" })
/** Lacks too much, and has what is missing. */
const cut = capture(Array.from({ length: 50 }, (_, n) => n + 10))

async function prepare(): Promise<void> {
  await bench.empty()
  await bench.load("asx-directory", capture([]), { observed: at(0) })
  await bench.load("asx-directory", capture([1, 3]), { observed: at(1) })
  await bench.load("asx-directory", capture([1, 3]), { observed: at(2) })
}

const everything = async () => {
  const [companies, history, missing, former, sources, totals, releases] = await Promise.all([
    bench.sql`select * from companies order by asx_code`,
    bench.sql`select * from companies_history order by asx_code, since_release`,
    bench.sql`select * from missing_records order by key`,
    bench.sql`select * from former_names order by asx_code`,
    bench.sql`select name, resource, last_outcome, last_reason, last_observed_at, last_files,
      last_release, counts from sources`,
    bench.sql`select source, resource, outcome, loads from load_totals order by outcome`,
    bench.sql`select id, source, manifest from releases order by id`,
  ])
  return { companies, history, missing, former, sources, totals, releases }
}

const isWaitingFor = async (table: string) =>
  (await bench.sql`select from pg_locks where not granted and relation = ${table}::regclass`)
    .length > 0
const loadLocks = async () =>
  (
    await bench.sql`
      select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
  ).length

/** Kills a load of the file when it is about to write to the table. */
async function killAt(table: string, file: string): Promise<void> {
  const held = Promise.withResolvers<void>()
  const holding = blocker.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in share row exclusive mode`)
    await held.promise
  })
  const loader = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "loader-process.ts"),
      bench.url,
      "asx-directory",
      file,
      at(49),
    ],
    { stdout: "ignore", stderr: "ignore" },
  )
  await until(() => isWaitingFor(table))
  loader.kill("SIGKILL")
  await loader.exited
  held.resolve()
  await holding
  await until(async () => (await loadLocks()) === 0)
}

test("a load that is killed at any of its writes, and run again, is one load", async () => {
  const file = bench.file("changes.csv", changes)
  const load = () => bench.load("asx-directory", [file], { observed: at(49) })
  await prepare()
  const before = await everything()
  await load()
  const once = await everything()
  expect(once.missing.map(({ key }) => key)).toEqual(["Q12"])
  expect(once.former.map(({ name }) => name)).toEqual(["QUARRY 4 LIMITED"])
  expect(
    once.companies.filter(({ is_active }) => !is_active).map(({ asx_code }) => asx_code),
  ).toEqual(["Q11"])
  await load()
  expect(once.totals.map(({ outcome, loads }) => `${outcome} ${loads}`)).toEqual([
    "published 2",
    "unchanged 2",
  ])
  const data = { sources: null, totals: null }
  expect({ ...(await everything()), ...data }).toEqual({ ...once, ...data })
  for (const table of [
    "missing_records",
    "companies_history",
    "companies",
    "former_names",
    "releases",
    "load_totals",
    "sources",
  ]) {
    await prepare()
    await killAt(table, file)
    expect<unknown>([table, await everything()]).toEqual([table, before])
    await load()
    expect<unknown>([table, await everything()]).toEqual([table, once])
  }
})

test("so is a load that is refused, killed while it notes that", async () => {
  const file = bench.file("cut.csv", cut)
  const refused = () => bench.refusal("asx-directory", [file], { observed: at(49) })
  for (const table of ["missing_records", "load_totals", "sources"]) {
    await prepare()
    await killAt(table, file)
    await refused()
    const { missing, sources, totals, releases } = await everything()
    expect(totals.find(({ outcome }) => outcome === "refused")).toMatchObject({ loads: "1" })
    expect([...missing]).toEqual([])
    expect(sources[0]).toMatchObject({ last_outcome: "refused" })
    expect(releases).toHaveLength(1)
  }
})
