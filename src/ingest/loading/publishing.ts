/** The transaction of a release: one at a time, of all processes. */
import type { Sql, TransactionSql } from "postgres"
import { lockPublishing } from "../../data/db/advisory-locks.ts"
import { committed } from "../../data/db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../../data/db/confirmed-change.ts"
import { checkRules } from "../../data/db/pending.ts"
import { utc } from "../../data/db/utc.ts"
import type { HolderNames } from "../../data/resources/holder-names.ts"
import type { Resource } from "../../data/resources/resource.ts"
import { type ChangeFigures, type LinkFigures, type Manifest, rowsChanged, sum } from "./figures.ts"
import { relink } from "./links.ts"
import type { Observed } from "./observation.ts"
import type { Progress } from "./progress.ts"
import { storedFigures, storedNames } from "./stored-holders.ts"

async function prepareSession(client: Sql): Promise<void> {
  // Where the server's system does not support this, it notices a killed process a little later.
  await client.unsafe("set client_connection_check_interval = '1s'").catch(() => {})
  await client.unsafe("set temp_buffers = '64MB'")
}

/**
 * Runs the transaction of a release.
 * @param whenUnknown as of `committed`
 * @param onWait called where another one must end first
 * @param work calls `committing` when only the COMMIT remains
 * @throws OutcomeUnknown, and what `work` throws
 */
export const publishing = <T>(
  client: Sql,
  { whenUnknown, onWait }: { whenUnknown: string; onWait: () => void },
  work: (sql: TransactionSql, committing: () => void) => Promise<T>,
) =>
  committed(whenUnknown, async (committing) => {
    await prepareSession(client)
    const { value } = await client.begin(async (sql) => {
      await sql.unsafe(transactionSettings)
      await lockPublishing(sql, onWait)
      return { value: await work(sql, committing) }
    })
    return value
  })

/** A load may take long, despite limits of the role or the database for requests. */
const transactionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '128MB';
  set local maintenance_work_mem = '128MB';
  set local jit = off;
  set local timezone = 'UTC'`

/** The number of the next release, for the transaction of `publishing`. */
export async function nextRelease(sql: TransactionSql): Promise<number> {
  const [next] = await sql.unsafe<[{ id: number }]>(
    "select coalesce(max(id), 0) + 1 as id from releases",
  )
  return next.id
}

/** A changed resource, and what its release shows of the change. */
interface Change extends OperatorChange {
  /** Of the release, by name. */
  source: string
  files: Manifest["files"]
  observed: Observed
  /** As of `storedNames`. */
  holderNames: HolderNames
  links: LinkFigures | null
}

/**
 * Inserts the release of a change, and names it in the row of its source. It is the last statement before the
 * commit: a release that is dated long before it is visible would change what a moment shows.
 */
export async function publishRelease(
  sql: TransactionSql,
  release: number,
  { source, resource, changes, others, files, observed, holderNames, links }: Change,
): Promise<void> {
  const manifest: Manifest = {
    observed: observed.time,
    observed_is_known: observed.isKnown,
    holder_names: await storedNames(sql, holderNames),
    files: storedFigures(files, holderNames, resource),
    resources: { ...others, [resource.name]: changes },
    ...(links ? { links } : {}),
  }
  // Truncated, not rounded, so that no release is dated in the future; and never before the previous one.
  await sql.unsafe(
    `with release as (
       insert into releases (id, published_at, source, manifest)
       select $1, greatest(date_trunc('second', clock_timestamp()), max(published_at)), $2, $3::text::jsonb
       from releases returning id, published_at, source)
     update sources set last_release = id, last_changed_at = published_at, last_loaded_at = published_at
     from release where name = source and resource = $4`,
    [release, source, JSON.stringify(manifest), resource.name],
  )
}

/** The records that an operator changes without files, beside those whose links follow. */
export interface OperatorChange {
  resource: Resource
  changes: ChangeFigures
  /** The changes of other resources, which links do not follow. */
  others?: Manifest["resources"]
}

export interface PublishedChange extends OperatorChange {
  release: number
  links: LinkFigures | null
}

interface OperatorAction {
  /** As of `committed`. */
  whenUnknown: string
  progress: Progress
  /** Of the release. */
  source: string
  /** By default `checkRules`. */
  check?: (sql: TransactionSql) => Promise<void>
  /** Returns null where neither records nor links change, and nothing is published. */
  change: (sql: TransactionSql, release: number) => Promise<OperatorChange | null>
}

/**
 * Publishes a change that an operator makes without files, and waits until every process shows it. Returns
 * its release, or null where no record changed.
 */
export const publishChange = (
  url: string,
  { whenUnknown, progress, source, check = checkRules, change }: OperatorAction,
): Promise<ConfirmedChange<PublishedChange | null>> =>
  changeAndConfirm(
    url,
    (client) => {
      const onWait = () => progress.step("Waiting for a load to end")
      return publishing(client, { whenUnknown, onWait }, async (sql, committing) => {
        await check(sql)
        const release = await nextRelease(sql)
        const made = await change(sql, release)
        const links = made && (await relink(sql, release, made.resource, progress))
        const rows = made ? [made.changes, ...Object.values(made.others ?? {})] : []
        const isChanged = made && sum(rows.map(rowsChanged)) + sum(links?.changed ?? {}) > 0
        if (isChanged) {
          const [{ time }] = await sql.unsafe<[{ time: string }]>(`select ${utc("now()")} as time`)
          const observed = { time, isKnown: false }
          const others = { files: [], holderNames: "companies", links } as const
          await publishRelease(sql, release, { ...made, source, observed, ...others })
        }
        committing()
        return isChanged ? { ...made, release, links } : null
      })
    },
    (published) => published !== null,
  )
