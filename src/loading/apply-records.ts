/** Applies the records of a load, in the transaction of its release. */
import type { TransactionSql } from "postgres"
import { missingRecords } from "../db/missing-records.ts"
import { isTemporaryCode } from "../resources/values.ts"
import type { MapOptions } from "../sources/source.ts"
import { applyMissing } from "./absence.ts"
import { candidatesOf } from "./candidates.ts"
import { checkStaged } from "./checks.ts"
import { applyStaged } from "./diff.ts"
import { type Published, showsAbsence } from "./figures.ts"
import { linkColumns } from "./links.ts"
import type { Load } from "./load-options.ts"
import { checkObserved, type LastObservation, observedTime, statedTime } from "./observation.ts"
import { countKept, stagedValues } from "./staged-values.ts"
import { stage } from "./staging.ts"
import { removeReplaced } from "./state-sources.ts"
import { createStoreHolders, keepsFiles } from "./stored-holders.ts"
import { assignOrdinaryCodes } from "./temporary-codes.ts"

type Applied = Omit<Published, "release" | "files" | "links">

const maxNamed = 5

export async function applyRecords(
  sql: TransactionSql,
  load: Load,
  release: number,
  last: LastObservation,
): Promise<Applied> {
  const { source, files } = load
  const { resource } = source
  await load.noted.read(sql)
  const storeHolders = keepsFiles(load.holderNames, resource) ? null : await createStoreHolders(sql)
  const storedName = resource.name === "companies" ? await readStoredNames(sql) : undefined
  const staging = await stage(sql, source, candidatesOf(load, storeHolders, storedName))
  load.observed ??= statedTime(files)
  checkObserved(load.observed, last, source.name)
  load.progress.step(`Comparing ${resource.name}`)
  const ended = source.hasTemporaryCodes ? await assignOrdinaryCodes(staging, load, release) : 0
  const isComplete = source.complete && !load.partial && !files.some(({ incomplete }) => incomplete)
  const taken = await checkStaged(staging, load, isComplete)
  const { rejectedKeys } = load
  await load.noted.settle(staging, rejectedKeys)
  const replaced = await removeReplaced(staging, taken, rejectedKeys, release)
  const observed = observedTime(load.observed, last, files)
  // Missing records first, so that the search for them skips added ones.
  const isWhole = isComplete && files.every(showsAbsence)
  const missing = await applyMissing(staging, { load, rejectedKeys, isWhole, observed }, release)
  const values = stagedValues(staging, files)
  const kept = await countKept(staging, files, values)
  const computed = await linkColumns(sql, resource)
  const staged = await applyStaged({ staging, release, values, load, computed })
  const { name } = resource
  const { figures } = missing
  const removed = missing.changes.removed + replaced + ended
  return {
    observed,
    resources: { [name]: { ...staged, ...missing.changes, removed } },
    missing: figures ? { [name]: figures } : {},
    largestMissing: figures?.missing
      ? { [name]: await missingRecords(sql, source.name, name, maxNamed) }
      : {},
    kept: { [name]: kept },
  }
}

/** A temporary code has the name of its company. */
async function readStoredNames(sql: TransactionSql): Promise<MapOptions["storedName"]> {
  const rows = await sql.unsafe("select asx_code, company_name from companies")
  const names = new Map(rows.map(({ asx_code, company_name }) => [asx_code, company_name]))
  return (code) => names.get(code) ?? names.get(isTemporaryCode(code) ? code.slice(0, -2) : "")
}
