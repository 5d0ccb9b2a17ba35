/**
 * The only writer of data. Everything from the lock to the release's own row is one transaction, so a
 * reader sees all of a release or none of it, and a load that is killed leaves no trace.
 *
 *   lock -> for each resource: stage -> checks -> absence -> guards -> diff
 *        -> then: links -> release -> what is known of the source -> commit
 */
import type { Sql, TransactionSql } from "postgres"
import { lockPublishing } from "../db/advisory-locks.ts"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import type { MissingRecord } from "../db/missing-records.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { HolderNames } from "../text/holder-names.ts"
import { applyPart, type Part } from "./apply-part.ts"
import type { Collected } from "./candidates.ts"
import type { ChangeFigures, LinkFigures, Manifest, MissingFigures } from "./figures.ts"
import type { Observation } from "./former-names.ts"
import { relink } from "./links.ts"
import { type BasisOptions, loadBasis } from "./load-basis.ts"
import { LoadError } from "./load-error.ts"
import { forgetSeen } from "./noted-records.ts"
import { checkObserved, digestsOf, lastObservation } from "./observation.ts"
import { recordLoad, recordUnloaded, secondsSince } from "./source-record.ts"
import { holdersBasis, storedNames } from "./stored-holders.ts"

export interface PublishOptions {
  /** Of the database: `postgres://…`. */
  url: string
  /** Does everything except publish, and reports the same counts. */
  dryRun?: boolean
  /** Lets a load remove more than a twentieth of its source's records. */
  acceptShrink?: boolean
  /** Fields of which a load may empty more than a third of the known values. */
  acceptEmpty?: readonly string[]
  /**
   * When the files were true: a date, which is its beginning in UTC, or a date-time with a zone. By
   * default now or, where the bytes are those of the last load, what that load said.
   */
  observed?: string | undefined
  /** What the files lack goes at once, although the source's files may lack records for a time. */
  removeMissingNow?: boolean
  /** Called before the COMMIT of a release, after which it cannot be cancelled. */
  onCommit?: () => void
  /** Called once the release is published, before anything that follows the commit. */
  onPublished?: () => void
}

export interface Load extends PublishOptions {
  source: string
  parts: readonly Part[]
  collected: Collected
  /** How long a record must have been missing before it goes. */
  absentAfterHours: number
  /** Which holders are stored by their names. */
  holderNames: HolderNames
  /** Null where there are no files. */
  basisOptions: Pick<BasisOptions, "partial" | "allSectors"> | null
  /** When it began, or its fetch, by `performance.now()`. */
  startedMs: number
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
  /** By field, how many records keep a value of it that the files have no column for. */
  kept: Partial<Record<ResourceName, Record<string, number>>>
  links: LinkFigures | null
}

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
    if (isPublished(published)) load.onPublished?.()
    return published
  }
  const { value, unconfirmed } = await changeAndConfirm(load.url, work, isPublished)
  return { ...value, unconfirmed }
}

/** A failure to note it must not hide why the load was refused. */
async function noteRefusal(client: Sql, load: Load, { message }: LoadError): Promise<void> {
  const { source, observed, collected } = load
  const seconds = secondsSince(load.startedMs)
  for (const { resource } of load.parts) {
    const seen = collected.noted.get(resource)?.seen() ?? []
    const ended = { source, resource: resource.name, reason: message, seconds }
    await forgetSeen(client, source, resource.name, { seen, observed })
      .then(() => recordUnloaded(client, { ...ended, outcome: "refused" }))
      .catch((error: unknown) => {
        collected.progress.warn(`Cannot note that the load was refused: ${error}`)
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
  await prepareSession(client)
  try {
    return await committed(whenUnknown, (committing) =>
      client.begin(async (sql) => {
        await sql.unsafe(transactionSettings)
        const { progress } = load.collected
        // One load publishes at a time.
        await lockPublishing(sql, () => progress.step("Waiting for another load to end"))
        const published = await applyLoad(sql, load)
        if (load.dryRun) throw new RolledBack({ ...published, release: null })
        if (published.release !== null) {
          committing()
          load.onCommit?.()
        }
        return published
      }),
    )
  } catch (error) {
    if (error instanceof RolledBack) return error.published
    throw error
  }
}

async function prepareSession(client: Sql): Promise<void> {
  // Where the server's system does not support this, it notices a killed load a little later.
  await client.unsafe("set client_connection_check_interval = '1s'").catch(() => {})
  await client.unsafe("set temp_buffers = '64MB'")
}

/** A load may take long, whatever limits the role or the database sets for requests. */
const transactionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '128MB';
  set local maintenance_work_mem = '128MB';
  set local jit = off;
  set local timezone = 'UTC'`

type Applied = Pick<Published, "observed" | "resources" | "missing" | "largestMissing" | "kept">

async function applyLoad(sql: TransactionSql, load: Load): Promise<Published> {
  const last = await lastObservation(sql, load.source)
  checkObserved(load.observed, last, load.source)
  const [next] = await sql`select coalesce(max(id), 0) + 1 as id from releases`
  const release: number = next?.id
  const applied: Applied = {
    observed: last.now,
    resources: {},
    missing: {},
    largestMissing: {},
    kept: {},
  }
  for (const part of load.parts) {
    const { name } = part.resource
    const { observed, changes, missing, largestMissing, kept } = await applyPart(
      sql,
      load,
      part,
      release,
      last,
    )
    applied.observed = observed
    applied.resources[name] = changes
    applied.kept[name] = kept
    if (missing) applied.missing[name] = missing
    if (missing) applied.largestMissing[name] = largestMissing
  }
  const { resources } = applied
  const changed = load.parts.filter(({ resource }) => rowsChanged(resources[resource.name]) > 0)
  const observation = observationOf(load, applied.observed)
  const links = changed.some(({ resource }) => resource.links !== undefined)
    ? await relink(sql, release, observation, load.collected.progress)
    : null
  if (changed.length > 0) {
    load.collected.progress.step("Publishing")
    await insertRelease(sql, release, load.source, {
      observed: applied.observed,
      observed_is_known: observation.isKnown,
      holder_names: await storedNames(sql, load.holderNames),
      files: load.collected.files,
      resources,
      ...(Object.keys(applied.missing).length > 0 ? { missing: applied.missing } : {}),
      ...(links ? { links } : {}),
    })
  }
  const digests = digestsOf(load.collected.files)
  const { basisOptions, absentAfterHours, holderNames } = load
  for (const part of load.parts) {
    const holders = await holdersBasis(sql, holderNames, part.resource)
    const basis =
      digests &&
      basisOptions &&
      (await loadBasis({ ...basisOptions, absentAfterHours, holders }, digests))
    await recordLoad(sql, {
      source: load.source,
      resource: part.resource.name,
      published: part.published,
      files: load.collected.files,
      observed: applied.observed,
      observedIsKnown: observation.isKnown,
      digests,
      basis,
      release: changed.includes(part) ? release : null,
      seconds: secondsSince(load.startedMs),
    })
  }
  return { release: changed.length > 0 ? release : null, ...applied, links }
}

/** A public file that is loaded without a time may be of any; the operator's own files are true now. */
const observationOf = ({ observed, parts, collected }: Load, time: string): Observation => ({
  time,
  isKnown: observed !== undefined || parts.every(({ missingGoAtOnce }) => missingGoAtOnce),
  returned: parts.flatMap(({ resource }) => collected.noted.get(resource)?.seen() ?? []),
})

async function insertRelease(
  sql: TransactionSql,
  release: number,
  source: string,
  manifest: Manifest,
): Promise<void> {
  // Truncated, not rounded, so that no release is dated in the future; and never before the previous one.
  await sql.unsafe(
    `insert into releases (id, published_at, source, manifest)
     select $1, greatest(date_trunc('second', clock_timestamp()), max(published_at)), $2, $3::text::jsonb
     from releases`,
    [release, source, JSON.stringify(manifest)],
  )
}

export const rowsChanged = (figures: ChangeFigures | undefined): number =>
  figures ? figures.added + figures.changed + figures.removed + figures.deactivated : 0
