/** The real service on a database of its own, with tokens of every plan and a clock that tests set. */
import { getTableColumns, max, sql as statement } from "drizzle-orm"
import { drizzle } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { createAccount } from "../../src/accounts/access/accounts.ts"
import { issueToken, revokeToken } from "../../src/accounts/access/tokens.ts"
import { readConfig } from "../../src/config.ts"
import type { AccountPlan } from "../../src/data/db/account-tables.ts"
import { changeAndConfirm } from "../../src/data/db/confirmed-change.ts"
import { releasesTable } from "../../src/data/db/schema.ts"
import { companies } from "../../src/data/resources/companies.ts"
import { reports } from "../../src/data/resources/reports.ts"
import {
  type Resource,
  type ResourceRecord,
  resourceNames,
} from "../../src/data/resources/resource.ts"
import { subsidiaries } from "../../src/data/resources/subsidiaries.ts"
import { tenements } from "../../src/data/resources/tenements.ts"
import { keepInHistory } from "../../src/ingest/loading/history.ts"
import { createLog } from "../../src/system/log/log.ts"
import { startService } from "../../src/system/service.ts"
import { awkward, type Fixtures, shown } from "./fixtures.ts"
import { afterFile } from "./of-file.ts"
import { type Contents, migrated, type TestDatabase, testDatabase } from "./postgres.ts"

export interface TestServiceOptions {
  records?: Fixtures
  /** Serves this one's database, as another process would, in place of one with records of its own. */
  beside?: { database: TestDatabase }
  settings?: Record<string, string>
  now?: Date
  /** Whether statements wait for the locks of a test as long as a busy machine needs; by default. */
  holdsLocks?: boolean
  /** From the database's address to the one that the service uses, to put something in between. */
  reach?: (databaseUrl: string) => string
}

/** What `get` adds to fetch: `token` null sends none; without it the admin's is sent. */
export type RequestOptions = Omit<RequestInit, "headers"> & {
  token?: string | null
  headers?: Record<string, string>
}

export type TestService = Awaited<ReturnType<typeof testService>>

export const enterpriseLimit = 7

/** Stops at the end of its scope with `await using`. */
export async function testService({
  records = awkward,
  beside,
  settings = {},
  now = new Date("2026-03-01T00:00:00.250Z"),
  holdsLocks = true,
  reach = (url) => url,
}: TestServiceOptions = {}) {
  const database = beside?.database ?? (await publishedDatabase(records))
  const tokens: Record<AccountPlan, string> = JSON.parse(database.note)
  const sql = postgres(database.url, { max: 2, onnotice: () => {} })
  const { editor, issue, issueWithLimit } = accountsOf(database.url)

  const clock = { now, advance: (ms: number) => advance(ms) }
  const advance = (ms: number): void => {
    clock.now = new Date(clock.now.getTime() + ms)
  }
  const logLines: string[] = []
  const service = await startService({
    config: readConfig({
      PORT: "0",
      SHUTDOWN_SECONDS: "2",
      ...settings,
    }),
    databaseUrl: holdsLocks ? waitingForLocks(reach(database.url)) : reach(database.url),
    log: createLog(
      (line) => logLines.push(line),
      () => clock.now,
    ),
    now: () => clock.now,
    steadyMs: () => clock.now.getTime(),
    // On a busy machine.
    redisTimeoutMs: 20_000,
  })

  const stop = async (delaySeconds = 0): Promise<void> => {
    await service.stop({ delaySeconds })
    await sql.end({ timeout: 1 })
    if (!beside) await database.drop()
  }
  return {
    url: service.url,
    port: Number(new URL(service.url).port),
    database,
    /** A client of the test's own. */
    sql,
    tokens,
    /** Makes a token, and its account on the standard plan where it is missing. */
    issue,
    /** Makes an enterprise account of this limit, and a token of it. */
    issueWithLimit,
    /** The author of the test's own changes of accounts and tokens. */
    editor,
    revoke: (token: string) => revokeToken(editor, { prefix: token }),
    clock,
    /** What has been logged so far. The line of a request comes after its response: see `logged`. */
    logLines,
    /** The lines of all completed requests: a line waits for at most one turn of the event loop. */
    logged: async (): Promise<readonly string[]> => {
      await Bun.sleep(0)
      return logLines
    },
    /** GETs a path under /api/v1. */
    get: (path: string, { token = tokens.admin, headers, ...init }: RequestOptions = {}) =>
      fetch(`${service.url}/api/v1${path}`, {
        ...init,
        headers: { ...(token !== null && { Authorization: `Bearer ${token}` }), ...headers },
      }),
    /** Puts these records in place of all, as one release. */
    publish: (next: Fixtures) => publish(database.url, next),
    stop,
    [Symbol.asyncDispose]: () => stop(),
  }
}

/** Starts a service for the tests of a file, and stops it after the last of them. */
export async function serviceOfFile(options?: TestServiceOptions): Promise<TestService> {
  const service = await testService(options)
  afterFile(() => service.stop())
  return service
}

/** A parameter in the address takes precedence over the service's own. */
function waitingForLocks(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set("lock_timeout", "60000")
  return url.href
}

async function publishedDatabase(records: Fixtures): Promise<TestDatabase> {
  if (records === awkward) return testDatabase(awkwardPublished)
  const database = await testDatabase(withAccounts)
  await publish(database.url, records)
  return database
}

export function accountsOf(url: string) {
  const editor = { url, who: "test", origin: "test" }
  const issue = async (email: string, expiresAt: Date | null = null) =>
    (await issueToken(editor, { email, name: "test", expiresAt })).value
  const issueOnPlan = async (email: string, plan: AccountPlan, requestLimit: number | null) => {
    await createAccount(editor, { email, plan, requestLimit })
    return issue(email)
  }
  const issueWithLimit = (requestLimit: number) =>
    issueOnPlan(`${crypto.randomUUID()}@example.com`, "enterprise", requestLimit)
  return { editor, issue, issueOnPlan, issueWithLimit }
}

/** An account on each plan with a token of its own; the tokens are the note. */
export const withAccounts: Contents = {
  name: "with_accounts",
  base: migrated,
  fill: async (url) => {
    const { issueOnPlan } = accountsOf(url)
    const tokens: Partial<Record<AccountPlan, string>> = {}
    for (const plan of ["standard", "enterprise", "admin"] as const) {
      const requestLimit = plan === "enterprise" ? enterpriseLimit : null
      tokens[plan] = await issueOnPlan(`${plan}@example.com`, plan, requestLimit)
    }
    return JSON.stringify(tokens)
  },
}

/** The awkward records as release 1, and what `withAccounts` has. */
export const awkwardPublished: Contents = {
  name: "awkward_published",
  base: withAccounts,
  fill: async (url) => {
    await publish(url, awkward)
    return undefined
  },
}

const resources = { companies, tenements, subsidiaries, reports }

/**
 * The one place where tests write the tables: the columns come from each resource's declaration. Like a
 * load, it returns when every service shows the release.
 */
async function publish(databaseUrl: string, records: Fixtures): Promise<void> {
  const visible = shown(records)
  await changeAndConfirm(databaseUrl, (client) =>
    drizzle(client).transaction(async (tx) => {
      const [last] = await tx.select({ id: max(releasesTable.id) }).from(releasesTable)
      const id = (last?.id ?? 0) + 1
      for (const name of resourceNames) {
        const resource = resources[name]
        const kept = keepInHistory(resource.table, "true").replaceAll("$1", String(id))
        await tx.execute(statement.raw(kept))
        await tx.delete(resource.table)
        const rows = visible[name].map((record, index) =>
          columnsOf(resource, { ...records[name][index], ...record }, id),
        )
        const [first] = rows
        if (first) await tx.execute(insertion(resource, Object.keys(first), rows))
      }
      const published_at = new Date(Date.UTC(2026, 0, 1) + id * 1000).toISOString()
      await tx.insert(releasesTable).values({ id, published_at, source: "test", manifest: {} })
    }),
  )
}

/** All rows as one parameter: an INSERT with a parameter for each value takes many times as long. */
function insertion({ table }: Resource, columns: readonly string[], rows: readonly object[]) {
  const names = statement.raw(columns.join(", "))
  return statement`insert into ${table} (${names})
    select ${names} from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::text::json)`
}

function columnsOf({ table, derived }: Resource, record: object, release: number) {
  const known = Object.keys(getTableColumns(table))
  const fields = Object.entries(record).filter(([name]) => known.includes(name))
  const computed = Object.entries(derived).map(([name, { from, derive }]) => [
    name,
    derive(...from.map((field) => (record as ResourceRecord)[field])),
  ])
  return { ...Object.fromEntries([...fields, ...computed]), source: "test", since_release: release }
}
