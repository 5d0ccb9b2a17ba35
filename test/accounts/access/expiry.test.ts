/** Sessions, links and records of use are deleted once nobody can see or use them, and nothing else is. */
import { expect, test } from "bun:test"
import { deleteExpired, deleteRegularly } from "../../../src/accounts/access/expiry.ts"
import { createPool } from "../../../src/data/db/pool/pool.ts"
import { holdLock } from "../../support/held-locks.ts"
import { afterFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"
import { registry } from "./registry.ts"

const setup = await registry()
const id = await setup.account("a@example.com")

const now = new Date("2026-03-01T00:00:00Z")
const instant = `timestamptz '${now.toISOString()}'`

const columnOf = async (text: string) =>
  (await setup.sql(text)).map((row) => Object.values(row)[0]) as unknown[]

test("The first deletion runs soon after the start", async () => {
  await setup.sql(`insert into sign_in_links (sha256, email, email_folded, expires_at)
    select lpad(n::text, 64, '0'), 'a@b', 'a@b', ${instant} + (n - 1) * interval '1 second'
    from generate_series(0, 1) n`)
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const stop = deleteRegularly({ pool: setup.pool, now: () => now, onFailure, firstMs: 1 })
  await until(async () => (await setup.sql("select from sign_in_links")).length === 1)
  stop()
  expect(failures).toEqual([])
})

test("Sessions are deleted 90 days after their last use and after their end", async () => {
  await setup.sql(`insert into sessions (id, account_id, signed_in_at, last_seen_at,
      address, user_agent)
    select encode(sha256(name::bytea), 'hex'), ${id}, ${instant} + begun::interval,
      ${instant} + seen::interval, '192.0.2.1', name
    from (values ('idle', '-99 days', '-90 days'), ('used', '-99 days', '-90 days 1 second'),
      ('ended', '-365 days', '0'), ('lasts', '-365 days 1 second', '0')) as of(name, begun, seen)`)
  await deleteExpired(setup.pool, now)
  expect(await columnOf("select user_agent from sessions order by 1")).toEqual(["lasts", "used"])
})

test("The audit log keeps sessions for 400 days, and other changes forever", async () => {
  await setup.sql(`insert into access_changes (at, account_id, action, columns, who, origin)
    select ${instant} - age, ${id}, 'created', columns, age::text, 'here'
    from (values (interval '400 days'), ('399 days 23:59:59')) as a (age),
      (values (jsonb '{"signed_in_at": [null, 1]}'), ('{"plan": [null, "admin"]}')) as b (columns)`)
  await deleteExpired(setup.pool, now)
  expect(
    await columnOf(`select who || ' ' || (columns ? 'plan') from access_changes
      where origin = 'here' order by 1`),
  ).toEqual(["399 days 23:59:59 false", "399 days 23:59:59 true", "400 days true"])
})

test("The service keeps counts for 31 days, and recent requests and deliveries for 30", async () => {
  await setup.sql(`insert into usage_hours select ${id}, ${instant} - n * interval '1 hour', 0, 1
    from unnest(array[0, 31 * 24, 31 * 24 + 1]) n`)
  await setup.sql(`insert into recent_requests
    select gen_random_uuid(), ${id}, 0, ${instant} - age::interval, 'GET', age, 200, 1
    from unnest(array['0', '30 days', '30 days 0.001 seconds']) age`)
  await setup.sql(`with watch as (
      insert into watches (account_id, name, subject, channel, host, created_at, covered_release)
      values (${id}, 'All', '{"kind": "releases"}', '{"kind": "mail", "when": "daily"}', 'mail', now(), 0)
      returning id)
    insert into deliveries (watch_id, event_id, type, at, release, attempt, is_ok, ms)
    select id, gen_random_uuid(), age, ${instant} - age::interval, 1, 1, true, 1
    from watch, unnest(array['0', '30 days', '30 days 0.001 seconds']) age`)
  await deleteExpired(setup.pool, now)
  expect(await columnOf("select type from deliveries order by at")).toEqual(["30 days", "0"])
  expect(
    await columnOf(`select extract(epoch from ${instant} - hour)::int / 3600 from usage_hours
      order by 1`),
  ).toEqual([0, 31 * 24])
  expect(await columnOf("select target from recent_requests order by at")).toEqual(["30 days", "0"])
})

test("A deletion that waits for one table has no lock of another", async () => {
  const pool = createPool(setup.url, {
    name: "expiry",
    connections: 1,
    statementTimeoutMs: 10_000,
    // Waits until the test has looked, also on a busy machine.
    parameters: { lock_timeout: "10s" },
  })
  afterFile(pool.close)
  await using other = await holdLock(
    setup.client,
    "lock table recent_requests in access exclusive mode",
  )
  const deleting = deleteExpired(pool, now)
  await until(other.isAwaited)
  await other.run(`lock table sessions, sign_in_links, access_changes, usage_hours, deliveries
    in access exclusive mode nowait`)
  await other.release()
  await deleting
})
