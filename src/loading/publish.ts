/**
 * The only writer of data. Everything from the lock to the release's own row is one transaction, so a
 * reader sees all of a release or none of it, and a load that is killed leaves no trace.
 *
 *   lock -> for each resource: stage -> checks -> guard -> diff -> then: links -> release -> commit
 */
import type { Sql, TransactionSql } from "postgres"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { Source } from "../sources/source.ts"
import type { Candidate, Collected } from "./candidates.ts"
import { checkStaged } from "./checks.ts"
import { applyMissing, applyStaged } from "./diff.ts"
import type { ChangeFigures, LinkFigures, Manifest } from "./figures.ts"
import { guardAgainstShrinking } from "./guard.ts"
import { linkColumns, relink } from "./links.ts"
import { stage } from "./staging.ts"

/** The records of one resource in a load, and what their source declares about them. */
export interface Part
  extends Pick<Source, "resource" | "complete" | "whenMissing" | "joinedField"> {
  candidates: AsyncIterable<readonly Candidate[]>
}

export interface Load {
  url: string
  source: string
  parts: readonly Part[]
  collected: Collected
  dryRun: boolean
  acceptShrink: boolean
  /** Called before the COMMIT of a release. */
  onCommit: () => void
  /** Called after the COMMIT of a release. */
  onPublished: () => void
}

export interface Published {
  /** Null where nothing is published: nothing differs, or it is a dry run. */
  release: number | null
  resources: Partial<Record<ResourceName, ChangeFigures>>
  links: LinkFigures | null
}

/**
 * The key of the advisory lock: any number that other users of the database are unlikely to choose.
 */
export const publishingLock = 7_140_233_002

/** `unconfirmed`: how many serving processes may still show the previous release. */
export type Confirmed = Published & Pick<ConfirmedChange<Published>, "unconfirmed">

/**
 * Returns when every serving process shows the release, or has not confirmed it in time.
 * @throws LoadError where the load is refused; nothing is published then.
 * @throws OutcomeUnknown where the connection is lost during the commit.
 */
export async function publish(load: Load): Promise<Confirmed> {
  const isPublished = ({ release }: Published) => release !== null
  const work = async (client: Sql) => {
    const published = await inTransaction(client, load)
    if (isPublished(published)) load.onPublished()
    return published
  }
  const { value, unconfirmed } = await changeAndConfirm(load.url, work, isPublished)
  return { ...value, unconfirmed }
}

const whenUnknown =
  "It is not known whether the release was published. " +
  "Run the same command again: if it was, nothing is published a second time."

/** Rolls back the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly published: Published) {
    super("rolled back")
  }
}

async function inTransaction(client: Sql, load: Load): Promise<Published> {
  // Where the server's system does not support this, it notices a killed load a little later.
  await client.unsafe("set client_connection_check_interval = '1s'").catch(() => {})
  await client.unsafe("set temp_buffers = '64MB'")
  try {
    return await committed(whenUnknown, (committing) =>
      client.begin(async (sql) => {
        await sql.unsafe(sessionSettings)
        await acquireLoadLock(sql, load)
        const published = await applyLoad(sql, load)
        if (load.dryRun) throw new RolledBack({ ...published, release: null })
        if (published.release !== null) {
          committing()
          load.onCommit()
        }
        return published
      }),
    )
  } catch (error) {
    if (error instanceof RolledBack) return error.published
    throw error
  }
}

/** A load may take long, whatever limits the role or the database sets for requests. */
const sessionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '128MB';
  set local maintenance_work_mem = '128MB';
  set local jit = off;
  set local timezone = 'UTC'`

async function acquireLoadLock(sql: TransactionSql, { collected }: Load): Promise<void> {
  const [row] = await sql`select pg_try_advisory_xact_lock(${publishingLock}) as taken`
  if (row?.taken) return
  collected.progress.step("Waiting for another load to end")
  await sql`select pg_advisory_xact_lock(${publishingLock})`
}

async function applyLoad(sql: TransactionSql, load: Load): Promise<Published> {
  const [next] = await sql`select coalesce(max(id), 0) + 1 as id from releases`
  const release: number = next?.id
  const resources: Partial<Record<ResourceName, ChangeFigures>> = {}
  for (const part of load.parts) {
    resources[part.resource.name] = await applyPart(sql, load, part, release)
  }
  const changed = load.parts.filter(({ resource }) => rowsChanged(resources[resource.name]) > 0)
  if (changed.length === 0) return { release: null, resources, links: null }
  const links = changed.some(({ resource }) => resource.links !== undefined)
    ? await relink(sql, release, load.collected.progress)
    : null
  load.collected.progress.step("Publishing")
  await insertRelease(sql, load, release, resources, links)
  return { release, resources, links }
}

async function applyPart(
  sql: TransactionSql,
  load: Load,
  { resource, candidates, complete, whenMissing, joinedField }: Part,
  release: number,
): Promise<ChangeFigures> {
  const { source, collected } = load
  const { files, rejects, progress } = collected
  const staging = await stage(sql, resource, candidates)
  progress.step(`Comparing ${resource.name}`)
  await checkStaged({ sql, staging, source, joinedField, files, rejects })
  const rejectedKeys = collected.rejectedKeys.get(resource) ?? []
  // A row that could not be parsed may be the very record that seems missing.
  const isWhole = complete && files.every(({ unreadable }) => unreadable === 0)
  if (isWhole && !load.acceptShrink) {
    await guardAgainstShrinking(sql, staging, whenMissing, source, rejectedKeys)
  }
  const computed = await linkColumns(sql, resource)
  const target = { sql, staging, source, release, computed }
  // Missing records first, so that those just added need not be searched.
  const missing = isWhole
    ? await applyMissing(target, whenMissing, rejectedKeys)
    : { removed: 0, deactivated: 0 }
  return { ...(await applyStaged(target)), ...missing }
}

export const rowsChanged = (figures: ChangeFigures | undefined): number =>
  figures ? figures.added + figures.changed + figures.removed + figures.deactivated : 0

async function insertRelease(
  sql: TransactionSql,
  { source, collected }: Load,
  release: number,
  resources: Published["resources"],
  links: LinkFigures | null,
): Promise<void> {
  const manifest: Manifest = { files: collected.files, resources, ...(links ? { links } : {}) }
  // Truncated, not rounded, so that no release is dated in the future; and never before the previous one.
  await sql.unsafe(
    `insert into releases (id, published_at, source, manifest)
     select $1, greatest(date_trunc('second', clock_timestamp()), max(published_at)), $2, $3::text::jsonb
     from releases`,
    [release, source, JSON.stringify(manifest)],
  )
}
