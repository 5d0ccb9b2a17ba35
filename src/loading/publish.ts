/**
 * The only writer of data. Everything from the lock to the release's own row is one transaction, so a
 * reader sees all of a release or none of it, and a load that is killed leaves no trace.
 *
 *   lock -> for each resource: stage -> checks -> absence -> guards -> diff
 *        -> then: links -> release -> what is known of the source -> commit
 */
import type { Sql, TransactionSql } from "postgres"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import type { MissingRecord } from "../db/missing-records.ts"
import type { ResourceName } from "../resources/resource.ts"
import { applyPart, type Part } from "./apply-part.ts"
import type { Collected } from "./candidates.ts"
import type { ChangeFigures, LinkFigures, Manifest, MissingFigures } from "./figures.ts"
import { relink } from "./links.ts"
import { LoadError } from "./load-error.ts"
import { checkObserved, digestsOf, lastObservation } from "./observation.ts"
import { recordLoad, recordRefusal } from "./source-record.ts"

export interface Load {
  url: string
  source: string
  parts: readonly Part[]
  collected: Collected
  dryRun: boolean
  acceptShrink: boolean
  /** Fields that may go empty. */
  acceptEmpty: readonly string[]
  /** When the files were true, where the operator says so; never in the future. */
  observed: string | undefined
  /** Records that are missing go now, whatever their source declares. */
  removeMissingNow: boolean
  /** How long a record must have been missing before it goes. */
  absentAfterHours: number
  /** Called before the COMMIT of a release. */
  onCommit: () => void
  /** Called after the COMMIT of a release. */
  onPublished: () => void
}

export interface Published {
  /** Null where nothing is published: nothing differs, or it is a dry run. */
  release: number | null
  /** When the files were true. */
  observed: string
  resources: Partial<Record<ResourceName, ChangeFigures>>
  missing: Partial<Record<ResourceName, MissingFigures>>
  /** The largest of the missing records. */
  largestMissing: Partial<Record<ResourceName, MissingRecord[]>>
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
    const published = await inTransaction(client, load).catch(async (error: unknown) => {
      if (error instanceof LoadError && !load.dryRun) await noteRefusal(client, load, error)
      throw error
    })
    if (isPublished(published)) load.onPublished()
    return published
  }
  const { value, unconfirmed } = await changeAndConfirm(load.url, work, isPublished)
  return { ...value, unconfirmed }
}

/** A failure to note it must not hide why the load was refused. */
async function noteRefusal(client: Sql, load: Load, { message }: LoadError): Promise<void> {
  for (const { resource } of load.parts) {
    await recordRefusal(client, load.source, resource.name, message).catch((error: unknown) => {
      load.collected.progress.warn(`Cannot note that the load was refused: ${error}`)
    })
  }
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

type Applied = Pick<Published, "observed" | "resources" | "missing" | "largestMissing">

async function applyLoad(sql: TransactionSql, load: Load): Promise<Published> {
  const last = await lastObservation(sql, load.source)
  checkObserved(load.observed, last, load.source)
  const [next] = await sql`select coalesce(max(id), 0) + 1 as id from releases`
  const release: number = next?.id
  const applied: Applied = { observed: last.now, resources: {}, missing: {}, largestMissing: {} }
  for (const part of load.parts) {
    const { name } = part.resource
    const { observed, changes, missing, largestMissing } = await applyPart(
      sql,
      load,
      part,
      release,
      last,
    )
    applied.observed = observed
    applied.resources[name] = changes
    if (!missing) continue
    applied.missing[name] = missing
    applied.largestMissing[name] = largestMissing
  }
  const { resources } = applied
  const changed = load.parts.filter(({ resource }) => rowsChanged(resources[resource.name]) > 0)
  const links = changed.some(({ resource }) => resource.links !== undefined)
    ? await relink(sql, release, load.collected.progress)
    : null
  if (changed.length > 0) {
    load.collected.progress.step("Publishing")
    await insertRelease(sql, load, release, applied, links)
  }
  for (const part of load.parts) {
    await recordLoad(sql, {
      source: load.source,
      resource: part.resource.name,
      published: part.published,
      files: load.collected.files,
      observed: applied.observed,
      digests: digestsOf(load.collected.files),
      release: changed.includes(part) ? release : null,
    })
  }
  return { release: changed.length > 0 ? release : null, ...applied, links }
}

export const rowsChanged = (figures: ChangeFigures | undefined): number =>
  figures ? figures.added + figures.changed + figures.removed + figures.deactivated : 0

async function insertRelease(
  sql: TransactionSql,
  { source, collected }: Load,
  release: number,
  { observed, resources, missing }: Applied,
  links: LinkFigures | null,
): Promise<void> {
  const manifest: Manifest = {
    observed,
    files: collected.files,
    resources,
    ...(Object.keys(missing).length > 0 ? { missing } : {}),
    ...(links ? { links } : {}),
  }
  // Truncated, not rounded, so that no release is dated in the future; and never before the previous one.
  await sql.unsafe(
    `insert into releases (id, published_at, source, manifest)
     select $1, greatest(date_trunc('second', clock_timestamp()), max(published_at)), $2, $3::text::jsonb
     from releases`,
    [release, source, JSON.stringify(manifest)],
  )
}
