/**
 * Our clients of postgres.js, patched by `patches/postgres@….patch`, give every query its own rows or an error.
 * Without the patch the tests here fail, several of them with wrong rows instead of errors.
 */
import { afterEach, expect, test } from "bun:test"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Sql, TransactionSql } from "postgres"
import { singleConnection } from "../../../src/data/db/connection.ts"
import { databaseOfFile } from "../../support/of-file.ts"
import { emptyDatabase } from "../../support/postgres.ts"

let clients: Sql[] = []

const { sql: administrator, url } = await databaseOfFile(emptyDatabase())

afterEach(async () => {
  await Promise.all(clients.map((sql) => sql.end({ timeout: 1 })))
  clients = []
})

test("The imported module is the patched one", () => {
  expect(import.meta.resolve("postgres")).toEndWith("/postgres/src/index.js")
})

test("The list of changes names only tests of this file", async () => {
  const list = await Bun.file(new URL("../../../patches/README.md", import.meta.url)).text()
  const source = await Bun.file(import.meta.path).text()
  const named = [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !source.includes(`test("${name}"`))).toEqual([])
})

test("A query after one that failed partway through its rows gets only its own rows", async () => {
  const sql = client()
  expect(await failure(divisionByZeroAtRow300(sql))).toMatchObject({ code: "22012" })
  expect([...(await sql`select ${7}::int as x`)]).toEqual([{ x: 7 }])
})

test("A failed query does not affect the rows of other concurrent queries", async () => {
  const sql = client()
  const [before, failed, after] = await Promise.allSettled([
    sql`select ${1}::int as x`,
    divisionByZeroAtRow300(sql),
    sql`select ${2}::int as x`,
  ])
  expect(failed).toMatchObject({ status: "rejected", reason: { code: "22012" } })
  expect([before, after].map(rows)).toEqual([[{ x: 1 }], [{ x: 2 }]])
})

test("A query after a connection that died between rows gets only its own rows", async () => {
  const sql = client()
  expect(await failure(deathAtRow5000(sql))).toBeInstanceOf(Error)
  expect([...(await sql`select ${7}::int as x`)]).toEqual([{ x: 7 }])
})

test("A statement that is prepared again sends its own values", async () => {
  const sql = client()
  const again = () =>
    sql`select ${true}::boolean as yes, ${false}::boolean as no, ${sql.json({ a: '"' })}::jsonb as json,
      ${new Date(0)}::timestamptz as at, ${Buffer.from([0, 255])}::bytea as bytes, ${[1, 2]}::int[] as array`
  const before = [...(await again())]
  await sql`deallocate all`
  expect([...(await again())]).toEqual(before)
  expect(before[0]).toMatchObject({ yes: true, no: false, json: { a: '"' }, array: [1, 2] })
})

test("A statement whose table was altered sends its own values", async () => {
  const sql = client()
  await sql`create table if not exists flags (flag boolean, size int)`
  await sql`insert into flags values (true, 1), (false, 2)`
  const again = () => sql`select * from flags where flag = ${true}`
  expect([...(await again())]).toEqual([{ flag: true, size: 1 }])
  await sql`alter table flags alter column size type text`
  expect([...(await again())]).toEqual([{ flag: true, size: "1" }])
})

test("Concurrent statements that are prepared again get only their own rows", async () => {
  const sql = client()
  const all = () =>
    Promise.all([
      sql`select ${1}::int as a`,
      sql`select ${"two"}::text as b`,
      sql`select ${true}::boolean as c`,
      sql`select ${"two"}::text as b`,
      sql`select 5 as e`,
    ])
  const before = (await all()).map((each) => [...each])
  expect(before).toEqual([[{ a: 1 }], [{ b: "two" }], [{ c: true }], [{ b: "two" }], [{ e: 5 }]])
  await sql`deallocate all`
  expect((await all()).map((each) => [...each])).toEqual(before)
})

test("A connection whose prepared statements the server has lost prepares no more", async () => {
  const sql = client()
  const again = (x: number) => sql`select ${x}::int as x`
  for (let x = 0; x < 5; x++) {
    expect([...(await again(x))]).toEqual([{ x }])
    await sql.unsafe("deallocate all")
  }
  await again(5)
  const prepared = () => sql.unsafe("select name from pg_prepared_statements")
  expect([...(await prepared())]).toEqual([])
  // The next connection may keep its statements.
  await failure(sql`select pg_terminate_backend(pg_backend_pid())`)
  await again(6)
  expect((await prepared()).length).toBeGreaterThan(0)
})

test("A connection keeps the 64 statements that it used last prepared", async () => {
  const sql = client()
  const seldom = (x: number) =>
    sql.unsafe<{ x: number }[]>(`select $1::int as x -- ${x}`, [x], { prepare: true })
  const often = () => sql<{ x: number }[]>`select ${-1}::int as x`
  for (let x = 0; x < 200; x++) {
    const first = await seldom(x)
    const concurrent = await Promise.all([
      often(),
      seldom(x),
      sql<{ x: number }[]>`select 7 as x`,
      often(),
    ])
    expect([first, ...concurrent].map(([row]) => row?.x)).toEqual([x, -1, x, 7, -1])
  }
  const prepared = await sql.unsafe<{ statement: string; uses: number }[]>(
    "select statement, (generic_plans + custom_plans)::int as uses from pg_prepared_statements",
  )
  expect(prepared).toHaveLength(64)
  expect(prepared.find(({ statement }) => statement.endsWith("$1::int as x"))?.uses).toBe(400)
  // A closed statement is prepared again.
  expect((await seldom(0)).map(({ x }) => x)).toEqual([0])
})

test("Statements that can't be sent fail, and concurrent ones succeed", async () => {
  const sql = client()
  const select = (x: number) => sql`select ${x}::int as x`
  const unsendable = undefined as unknown as number
  const outcomes = await Promise.allSettled([1, unsendable, unsendable, 4].map(select))
  expect(outcomes.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "rejected",
    "fulfilled",
  ])
  expect(outcomes.map(rows)).toEqual([[{ x: 1 }], [], [], [{ x: 4 }]])
})

test("A query whose connection closes fails with the server's last error", async () => {
  const sql = client()
  const failed = failure(sql`select pg_sleep(60)`)
  await terminateSleeper()
  expect(await failed).toMatchObject({ code: "57P01" })
})

test("A transaction runs before the statements that wait for its connection", async () => {
  const sql = client()
  const transactionId = (on: Sql | TransactionSql) => on`select pg_current_xact_id()::text as id`
  const [inside, outside] = await Promise.all([
    sql.begin((tx) => [transactionId(tx), transactionId(tx)]),
    transactionId(sql),
  ])
  expect(inside[0]).toEqual(inside[1])
  expect(inside[0]).not.toEqual(outside)
})

test("A transaction whose backend dies rejects with the server's error", async () => {
  const sql = client()
  const failed = failure(sql.begin(async (tx) => await tx`select pg_sleep(60)`))
  await terminateSleeper()
  expect(await failed).toMatchObject({ code: "57P01" })
  expect([...(await sql`select ${7}::int as x`)]).toEqual([{ x: 7 }])
})

test("A transaction whose backend dies causes no unhandled rejection", async () => {
  const child = Bun.spawn([process.execPath, "-e", DYING_TRANSACTION], {
    cwd: import.meta.dir,
    env: { ...process.env, DATABASE: url },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  expect({ stdout, stderr, code }).toEqual({ stdout: "rejected, then 7", stderr: "", code: 0 })
})

const DYING_TRANSACTION = `
  import { singleConnection } from "${import.meta.resolve("../../../src/data/db/connection.ts")}"
  const sql = singleConnection(process.env.DATABASE)
  const outcome = await sql.begin(async (tx) => {
    await tx\`select pg_terminate_backend(pg_backend_pid())\`.catch(() => {})
    await tx\`select 1\`
  }).then(() => "committed", () => "rejected")
  const [row] = await sql\`select 7 as x\`
  process.stdout.write(outcome + ", then " + row.x)
  await sql.end({ timeout: 1 })
`

test("A transaction that lost its connection runs nothing on the new connection", async () => {
  const sql = client()
  await sql`create table if not exists written (x int)`
  const lost = Promise.withResolvers<void>()
  const late = Promise.withResolvers<unknown>()
  const transaction = sql.begin(async (tx) => {
    await tx`select pg_terminate_backend(pg_backend_pid())`.catch(() => {})
    await lost.promise
    await tx`insert into written values (1)`.then(late.resolve, late.reject)
  })
  expect(await failure(transaction)).toBeInstanceOf(Error)
  await sql`select 1` // the client has connected anew
  lost.resolve()
  expect(await failure(late.promise)).toBeInstanceOf(Error)
  expect([...(await sql`select x from written`)]).toEqual([])
})

test("A COPY that the server rejects at its end fails and does not hang", async () => {
  const sql = client()
  await sql`create table if not exists counted (x int check (x > 0))`
  const copy = await sql`copy counted from stdin`.writable()
  expect(await failure(pipeline(Readable.from(["1\n-1\n"]), copy))).toMatchObject({ code: "23514" })
  expect([...(await sql`select count(*)::int as n from counted`)]).toEqual([{ n: 0 }])
})

test("A COPY whose backend dies fails and does not hang", async () => {
  const sql = client()
  await sql`create table if not exists copied (x int)`
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  const copy = await sql`copy copied from stdin`.writable()
  async function* lines() {
    yield "1\n"
    await administrator`select pg_terminate_backend(${pid}, 10000)`
    for (let x = 0; x < 100; x++) yield `${x}\n`.repeat(10_000)
  }
  await expect(pipeline(Readable.from(lines()), copy)).rejects.toThrow()
  // A statement that was sent before the client detected the closed connection may fail with it.
  const counted = () => sql<{ n: number }[]>`select count(*)::int as n from copied`
  const rows = await counted().catch(() => counted())
  expect([...rows]).toEqual([{ n: 0 }])
})

test("A client ends even if its connection dies meanwhile", async () => {
  const sql = client()
  const failed = failure(sql`select pg_sleep(60)`)
  await sleeper()
  const ended = sql.end()
  await terminateSleeper()
  expect(await failed).toBeInstanceOf(Error)
  await ended
})

test("A transaction whose client is ended settles at once", async () => {
  const sql = client()
  const failed = failure(sql.begin((tx) => tx`select pg_sleep(60)`))
  await sleeper()
  await sql.end({ timeout: 0 })
  expect(await failed).toMatchObject({ code: "CONNECTION_DESTROYED" })
  await terminateSleeper()
})

test("Streamed rows equal those of the result, whatever their size", async () => {
  const sql = client()
  const text = `select n::text as n, case when n % 7 = 0 then null else repeat('é', n * n % 40000) end as t
    from generate_series(1, $1::int) n`
  const taken: unknown[] = []
  const onrow = (bytes: Buffer, offset: number) => taken.push(cells(bytes, offset, 2))
  const [result, next] = await Promise.all([
    sql.unsafe(text, [500], { prepare: true, onrow }),
    sql`select ${7}::int as x`,
  ])
  expect([...result]).toEqual([])
  expect([...next]).toEqual([{ x: 7 }])
  expect(taken).toEqual([...(await sql.unsafe(text, [500]).values())])
})

test("A streamed query fails like any other, also partway through its rows", async () => {
  const sql = client()
  let taken = 0
  const failing = sql.unsafe("select 1/(300-g) as x from generate_series(1, $1::int) g", [1000], {
    onrow: () => taken++,
  })
  expect(await failure(failing)).toMatchObject({ code: "22012" })
  expect(taken).toBe(299)
  const mistaken = sql.unsafe("select g from generate_series(1, $1::int) g", [1000], {
    onrow: () => {
      throw new Error("Mistaken")
    },
  })
  expect(await failure(mistaken)).toEqual(new Error("Mistaken"))
  expect([...(await sql`select ${7}::int as x`)]).toEqual([{ x: 7 }])
})

function cells(bytes: Buffer, offset: number, count: number): (string | null)[] {
  let at = offset
  return Array.from({ length: count }, () => {
    const length = bytes.readInt32BE(at)
    const start = at + 4
    at = start + Math.max(0, length)
    return length < 0 ? null : bytes.toString("utf8", start, at)
  })
}

function client(): Sql {
  const sql = singleConnection(url, { backoff: () => 0, fetch_types: true })
  clients.push(sql)
  return sql
}

/** Unlike `expect().rejects`, it does not block the test until the promise has settled. */
function failure(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error) => error,
  )
}

function divisionByZeroAtRow300(sql: Sql) {
  return sql`select 1/(300-g) as x from generate_series(1,1000) g`
}

function deathAtRow5000(sql: Sql) {
  return sql`
    select g, repeat('x', 100),
      case when g = 5000 then pg_terminate_backend(pg_backend_pid()) end
    from generate_series(1, 20000) g`
}

/** Ends the backend that runs `pg_sleep`, once there is one. */
async function terminateSleeper(): Promise<void> {
  await administrator`select pg_terminate_backend(${await sleeper()})`
}

async function sleeper(): Promise<number> {
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const [found] = await administrator<{ pid: number }[]>`
      select pid from pg_stat_activity
      where query = 'select pg_sleep(60)' and state = 'active' and datname = current_database()`
    if (found) return found.pid
    await Bun.sleep(5)
  }
  throw new Error("no backend came to sleep")
}

function rows(outcome: PromiseSettledResult<Iterable<unknown>> | undefined): unknown[] {
  return outcome?.status === "fulfilled" ? [...outcome.value] : []
}
