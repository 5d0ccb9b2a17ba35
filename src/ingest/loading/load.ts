/**
 * A load is one release, or none. Everything from the lock to the row of the release is one transaction, so
 * a reader sees all of a release or none of it, and a refused or killed load changes no record.
 *
 * `publishFiles` has its steps in their order. Each takes values and returns values.
 */
import type { TransactionSql } from "postgres"
import { changeAndConfirm } from "../../data/db/confirmed-change.ts"
import { checkRules } from "../../data/db/pending.ts"
import { asxDirectory } from "../sources/asx-directory.ts"
import { applyMissing } from "./absence.ts"
import { insertAdded, updateChanged } from "./apply-differences.ts"
import { checkStaged } from "./checks.ts"
import { deriveFromStored } from "./derive-again.ts"
import { compare } from "./differences.ts"
import { type PublishedLoad, rowsChanged, showsAbsence, sum } from "./figures.ts"
import { recordFormerNames } from "./former-names.ts"
import { checkAcceptEmpty, checkGuards } from "./guards.ts"
import { relink } from "./links.ts"
import { recordListings } from "./listings.ts"
import { LoadError } from "./load-error.ts"
import type { Load, LoadOptions } from "./load-options.ts"
import { checkObserved, lastLoad, observedOf, observedTime } from "./observation.ts"
import { silent } from "./progress.ts"
import { nextRelease, publishing, publishRelease } from "./publishing.ts"
import { readFiles } from "./read-files.ts"
import { checkReadable } from "./reading/input.ts"
import { Rejects } from "./rejects.ts"
import { recordSystems, storeShapes } from "./shapes.ts"
import { recordLoad, recordRefusal, secondsSince } from "./source-record.ts"
import { keepsFiles } from "./stored-holders.ts"
import { nameSuccessors } from "./successors.ts"
import type { LoadSummary } from "./summary.ts"
import { assignOrdinaryCodes } from "./temporary-codes.ts"

/**
 * Returns when every serving process shows the release, or has not confirmed it in time.
 * @throws LoadError where the load is refused; nothing is published then.
 * @throws OutcomeUnknown where the connection is lost during the commit.
 */
export async function load(options: LoadOptions): Promise<LoadSummary> {
  const startedMs = performance.now()
  const observed = options.observed && observedOf(options.observed)
  const { acceptEmpty = [], absentAfterHours = 48 } = options
  const given = { ...options, acceptEmpty, absentAfterHours, observed }
  const load: Load = { holderNames: "all", progress: silent, startedMs, ...given }
  // Before the database is touched: wrong options and an unreadable file record nothing.
  checkOptions(load)
  for (const path of load.files) await checkReadable(path)
  const { source, progress } = load
  const rejects = new Rejects(load)
  try {
    const { value, unconfirmed } = await changeAndConfirm(
      load.url,
      async (client) => {
        const onWait = () => progress.step("Waiting for another load to end")
        const published = await publishing(client, { whenUnknown, onWait }, (sql, committing) =>
          publishFiles(sql, load, rejects, committing),
        ).catch(async (error: unknown) => {
          if (error instanceof RolledBack) return error.published
          if (error instanceof LoadError && !load.dryRun) await recordRefusal(client, load, error)
          throw error
        })
        if (published.release !== null) load.onPublished?.()
        return published
      },
      ({ release }) => release !== null,
    )
    return {
      source: source.name,
      dryRun: load.dryRun === true,
      ...value,
      unconfirmed,
      ...rejects.written,
      seconds: secondsSince(startedMs),
    }
  } finally {
    for (const text of rejects.frequentReasons()) progress.warn(text)
    progress.stop()
  }
}

/** @throws LoadError for options that contradict each other */
function checkOptions(load: Load): void {
  const { source, files, rejectsDir, holderNames, acceptEmpty } = load
  if (files.filter((path) => path === "-").length > 1) {
    throw new LoadError("Cannot read standard input twice: give - only once")
  }
  if (rejectsDir !== undefined && !keepsFiles(holderNames, source.resource)) {
    throw new LoadError(
      "Cannot write rejected rows to a file: HOLDER_NAMES=companies keeps none with names of persons",
    )
  }
  checkAcceptEmpty(source.resource, acceptEmpty)
  if (load.removeMissingNow && (load.partial || !source.complete)) {
    throw new LoadError(
      "Cannot remove missing records: a load of this source, or with --partial, only adds and changes records",
    )
  }
}

const whenUnknown =
  "It is not known whether the release was published. " +
  "Run the same command again: a published release is not published twice."

/** Rolls back the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly published: PublishedLoad) {
    super("rolled back")
  }
}

/** @param committing called when only the COMMIT of a release remains */
async function publishFiles(
  sql: TransactionSql,
  load: Load,
  rejects: Rejects,
  committing: () => void,
): Promise<PublishedLoad> {
  const { source, progress } = load
  const { resource } = source
  const { name } = resource
  const isDirectory = source.name === asxDirectory.name

  await checkRules(sql)
  const last = await lastLoad(sql, source)
  checkObserved(load.observed, last, source.name)
  const next = await nextRelease(sql)

  // Read and stage
  const read = await readFiles(sql, load, rejects, next)
  const observed = observedTime(load, last, read.files)

  // Check
  progress.step(`Comparing ${name}`)
  const staging = await checkStaged(isDirectory ? await assignOrdinaryCodes(read) : read)
  const { files } = staging
  if (isDirectory) await recordListings(staging, observed)
  await deriveFromStored(staging)

  // Compare
  const isWhole = source.complete && !load.partial && files.every(showsAbsence)
  const compared = await compare(staging, isWhole)
  await checkGuards(compared)

  // Store
  progress.step(`Storing ${name}`)
  const missing = await applyMissing(compared, observed)
  await storeShapes(compared)
  await updateChanged(compared)
  await insertAdded(compared)
  const { added, changed, reshaped } = compared.counts
  const changes = { added, changed, ...missing.changes, ...(reshaped > 0 && { reshaped }) }

  // Links
  const former = await recordFormerNames(staging)
  const succeeded = isDirectory ? await nameSuccessors(sql, next) : 0
  const records = rowsChanged(changes) + succeeded
  const links = records + former > 0 ? await relink(sql, next, resource, progress) : null
  const release = records + sum(links?.changed ?? {}) > 0 ? next : null

  // Source
  await recordLoad(staging, observed, release !== null)
  await recordSystems(staging)

  // Release
  if (release !== null) {
    const { holderNames } = load
    const change = { source: source.name, resource, changes, files, observed, holderNames, links }
    await publishRelease(sql, release, change)
  }
  const published = {
    ...{ release, resource: name, files, changes, links, missing: missing.figures },
    ...{ observed: observed.time, observedIsKnown: observed.isKnown },
  }
  if (load.dryRun) throw new RolledBack({ ...published, release: null })
  if (release !== null) {
    committing()
    load.onCommit?.()
  }
  return published
}
