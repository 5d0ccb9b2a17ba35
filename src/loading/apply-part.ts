/** What a load does with the records of one resource, in the transaction of its release. */
import type { TransactionSql } from "postgres"
import { type MissingRecord, missingRecords } from "../db/missing-records.ts"
import type { Source } from "../sources/source.ts"
import { digest } from "../text/digest.ts"
import { applyMissing } from "./absence.ts"
import type { Candidate } from "./candidates.ts"
import { checkStaged } from "./checks.ts"
import { applyStaged } from "./diff.ts"
import { type ChangeFigures, type MissingFigures, showsAbsence } from "./figures.ts"
import { linkColumns } from "./links.ts"
import { readNoted } from "./noted-records.ts"
import { digestsOf, type LastObservation, observedTime } from "./observation.ts"
import { removeOtherIds } from "./other-ids.ts"
import type { Load } from "./publish.ts"
import { recordsOfReferences } from "./shared-references.ts"
import { countKept, stagedValues } from "./staged-values.ts"
import { stage } from "./staging.ts"
import { createStoreHolders, keepsFiles } from "./stored-holders.ts"

/** The records of one resource in a load, and what their source declares about them. */
export interface Part
  extends Pick<
    Source,
    | "resource"
    | "published"
    | "complete"
    | "whenMissing"
    | "missingGoAtOnce"
    | "joinedField"
    | "sharedReferences"
  > {
  candidates: AsyncIterable<readonly Candidate[]>
}

export interface AppliedPart {
  /** When the files were true. */
  observed: string
  changes: ChangeFigures
  /** Undefined where nothing is or was missing. */
  missing: MissingFigures | undefined
  /** The largest of the missing records. */
  largestMissing: MissingRecord[]
  /** By field, how many records keep a value of it that the files have no column for. */
  kept: Record<string, number>
}

const maxNamed = 5

export async function applyPart(
  sql: TransactionSql,
  load: Load,
  part: Part,
  release: number,
  last: LastObservation,
): Promise<AppliedPart> {
  const { resource, candidates, complete, whenMissing, missingGoAtOnce, sharedReferences } = part
  const { source, collected, acceptEmpty = [] } = load
  const { files, rejects, progress } = collected
  const noted = await readNoted(sql, source, resource.name, sharedReferences)
  collected.noted.set(resource, noted)
  collected.storeHolders = keepsFiles(load.holderNames, resource)
    ? null
    : await createStoreHolders(sql)
  const staging = await stage(sql, source, resource, candidates)
  progress.step(`Comparing ${resource.name}`)
  await checkStaged({ staging, files, rejects }, part)
  const replaced = sharedReferences ? await removeOtherIds(staging, release) : 0
  const rowKeys = collected.rejectedKeys.get(resource) ?? []
  const rejectedKeys = sharedReferences
    ? await recordsOfReferences(staging, sharedReferences, rowKeys)
    : rowKeys
  if (sharedReferences) await noted.settle(staging, rejectedKeys)
  const digests = digestsOf(files)
  const observed = observedTime(load.observed, last, digests)
  // Missing records first, so that those just added need not be searched.
  const absence = {
    whenMissing,
    rejectedKeys,
    isWhole: complete && files.every(showsAbsence),
    atOnce: load.removeMissingNow === true || missingGoAtOnce === true,
    absentAfterHours: load.absentAfterHours,
    acceptShrink: load.acceptShrink === true,
    observed,
    observedIsGiven: load.observed !== undefined,
    files: digests && digest(digests.join()),
  }
  const missing = await applyMissing(staging, absence, release)
  const values = stagedValues(staging, files)
  const kept = await countKept(staging, files, values)
  const computed = await linkColumns(sql, resource)
  const staged = await applyStaged({ staging, release, values, acceptEmpty, files, computed })
  return {
    observed,
    changes: { ...staged, ...missing.changes, removed: missing.changes.removed + replaced },
    missing: missing.figures,
    largestMissing: missing.figures?.missing
      ? await missingRecords(sql, source, resource.name, maxNamed)
      : [],
    kept,
  }
}
