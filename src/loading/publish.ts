/**
 * The only writer of data. Everything from the lock to the row of the release is one transaction, so a
 * reader sees all of a release or none of it, and a killed load leaves no trace.
 *
 *   lock -> stage -> checks -> absence -> guards -> diff -> links -> release -> source -> commit
 */
import type { Sql, TransactionSql } from "postgres"
import { lockPublishing } from "../db/advisory-locks.ts"
import { committed } from "../db/commit.ts"
import { type ConfirmedChange, changeAndConfirm } from "../db/confirmed-change.ts"
import { applyRecords } from "./apply-records.ts"
import { type Manifest, type Published, rowsChanged } from "./figures.ts"
import { recordFormerNames } from "./former-names.ts"
import { relink } from "./links.ts"
import { linkSuccessors, recordListings } from "./listings.ts"
import { loadBasis } from "./load-basis.ts"
import { LoadError } from "./load-error.ts"
import type { Load } from "./load-options.ts"
import { checkObserved, digestsOf, lastObservation } from "./observation.ts"
import { recordLoad, recordOutcome, secondsSince } from "./source-record.ts"
import { storedNames } from "./stored-holders.ts"
import { recordTemporaryCodes } from "./temporary-codes.ts"

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
      if (error instanceof LoadError && !load.dryRun) await recordRefusal(client, load, error)
      throw error
    })
    if (isPublished(published)) load.onPublished?.()
    return published
  }
  const { value, unconfirmed } = await changeAndConfirm(load.url, work, isPublished)
  return { ...value, unconfirmed }
}

/** A failure to record the refusal must not hide the reason of the refusal. */
async function recordRefusal(client: Sql, load: Load, { message: reason }: LoadError) {
  const { source, observed, noted, progress, startedMs } = load
  const seconds = secondsSince(startedMs)
  try {
    await client.begin(async (sql) => {
      await noted.delete(sql, observed)
      await recordOutcome(sql, source, { outcome: "refused", reason, seconds })
    })
  } catch (error) {
    progress.warn(`Cannot record that the load was refused: ${error}`)
  }
}

const whenUnknown =
  "It is not known whether the release was published. " +
  "Run the same command again: a published release is not published twice."

/** Rolls back the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly published: Published) {
    super("rolled back")
  }
}

async function inTransaction(client: Sql, load: Load): Promise<Published> {
  await prepareSession(client)
  try {
    const onWait = () => load.progress.step("Waiting for another load to end")
    return await publishing(client, { whenUnknown, onWait }, async (sql, committing) => {
      const published = await applyLoad(sql, load)
      if (load.dryRun) throw new RolledBack({ ...published, release: null })
      if (published.release !== null) {
        committing()
        load.onCommit?.()
      }
      return published
    })
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

/**
 * Runs the transaction of a release: one at a time, of all processes.
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
  committed(whenUnknown, (committing) =>
    client.begin(async (sql) => {
      await sql.unsafe(transactionSettings)
      await lockPublishing(sql, onWait)
      return work(sql, committing)
    }),
  )

/** A load may take long, despite limits of the role or the database for requests. */
const transactionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local work_mem = '128MB';
  set local maintenance_work_mem = '128MB';
  set local jit = off;
  set local timezone = 'UTC'`

async function applyLoad(sql: TransactionSql, load: Load): Promise<Published> {
  const { source, files, holderNames, progress } = load
  const { resource } = source
  const last = await lastObservation(sql, source)
  checkObserved(load.observed, last, source.name)
  const next = await nextRelease(sql)
  const applied = await applyRecords(sql, load, next, last)
  const { observed, resources, missing } = applied
  const release = rowsChanged(resources[resource.name]) > 0 ? next : null
  // A public file without a given time may be of any time; the operator's own files are true now.
  const isKnown = load.observed !== undefined || source.removesMissingAtOnce === true
  const observation = { time: observed, isKnown, returned: load.noted.seen }
  if (release !== null) await recordTemporaryCodes(sql, release)
  const undated = release === null ? 0 : await recordFormerNames(sql, release, observation)
  if (source.hasTemporaryCodes) await recordListings(sql, source.name, observed)
  if (source.hasTemporaryCodes && release !== null) await linkSuccessors(sql, release)
  const links =
    release !== null && resource.links !== undefined
      ? await relink(sql, release, undated, progress)
      : null
  if (release !== null) {
    progress.step("Publishing")
    await insertRelease(sql, release, source.name, {
      observed,
      observed_is_known: isKnown,
      holder_names: await storedNames(sql, holderNames),
      files,
      resources,
      ...(missing[resource.name] ? { missing } : {}),
      ...(links ? { links } : {}),
    })
  }
  const basis = await loadBasis(sql, load, digestsOf(files))
  await recordLoad(sql, load, { observed, observedIsKnown: isKnown, basis, release })
  return { ...applied, release, files, links }
}

/** The number of the next release, for the transaction of `publishing`. */
export async function nextRelease(sql: TransactionSql): Promise<number> {
  const [next] = await sql.unsafe<[{ id: number }]>(
    "select coalesce(max(id), 0) + 1 as id from releases",
  )
  return next.id
}

export async function insertRelease(
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
