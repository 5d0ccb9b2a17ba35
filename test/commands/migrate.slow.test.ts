/** `mds migrate` reports what it does, and completes what a killed one began. */
import { expect, test } from "bun:test"
import { mainFile, version } from "../../src/program.ts"
import { workbench } from "../ingest/loading/workbench.ts"
import { holdLock } from "../support/held-locks.ts"
import { command, serviceProcess } from "../support/process.ts"
import { until } from "../support/until.ts"

const bench = await workbench()
const { sql, url } = bench
const env = { DATABASE_URL: url }

const rows = 12_000
const ids = Array.from({ length: rows }, (_, index) => `t${index},E 1/${index},WA,QUARRY ALPHA LTD`)
await bench.load("companies", "asx_code,company_name,is_active\nQZA,Quarry Alpha Limited,true\n")
await bench.load("tenements", `id,tenement_id,state,holder_name\n${ids.join("\n")}\n`)

const state = async () => [
  ...(await sql`select count(*)::int as versions, min(until_release) as until from tenements_history`),
  ...(await sql`select count(*)::int as linked, min(holder_keys[1]) as least, max(holder_keys[1]) as most
    from tenements where asx_codes = '{QZA}'`),
  ...(await sql`select max(id) as release from releases`),
  ...(await sql`select number as rule from rules where name = 'names'`),
]

const earlier = [
  { versions: 0, until: null },
  { linked: rows, least: "EARLIER", most: "QUARRY ALPHA LTD" },
  { release: 2 },
  { rule: 0 },
]

/** The statements that wait for the lock of a test. */
const waiting = () =>
  sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%releases%'`

test("A migration that is killed before its last statement changes nothing, and the next one completes it", async () => {
  await sql`update rules set number = 0, version = '0.9.0' where name = 'names'`
  await sql`update tenements set holder_keys = '{EARLIER}' where id in ('t1', 't2')`
  await sql`update drizzle.__drizzle_migrations set version = '0.9.0'`
  expect(await state()).toEqual(earlier)

  await using lock = await holdLock(sql, "lock table releases in share mode")
  const child = Bun.spawn([process.execPath, mainFile, "migrate"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "ignore"],
  })
  await until(async () => (await waiting()).length > 0)
  child.kill("SIGKILL")
  await child.exited
  await lock.release()
  await until(async () => (await waiting()).length === 0)
  expect(await state()).toEqual(earlier)

  const { exitCode, stdout, stderr } = await command(["migrate"], env)
  expect([exitCode, stdout]).toEqual([0, "Published as release 3: 2 records changed\n"])
  expect(stderr.replaceAll(/[\d.]+ s\n/g, "0 s\n")).toBe(
    `Migrating the database of version 0.9.0 to version ${version}: names
Computing names again (companies 1, subsidiaries 0, tenements 12,000)
Computing values of companies …
Computing values of subsidiaries …
Computing values of tenements …
Linking tenements to companies …
Migrated in 0 s
`,
  )
  expect(await state()).toEqual([
    { versions: 2, until: 3 },
    { linked: rows, least: "QUARRY ALPHA LTD", most: "QUARRY ALPHA LTD" },
    { release: 3 },
    { rule: 1 },
  ])
})

test("A service completes the upgrade at its start, and its standard output is its log alone", async () => {
  await sql`update rules set number = 0, version = '0.9.0' where name = 'names'`
  await sql`update tenements set holder_keys = '{EARLIER}' where id = 't1'`
  await using service = await serviceProcess(env)
  // The lines before it are parsed too.
  await until(() => service.logged().some(({ event }) => event === "starting"))
  const [, linked, release, rule] = await state()
  expect([linked?.least, release, rule]).toEqual(["QUARRY ALPHA LTD", { release: 4 }, { rule: 1 }])
})
