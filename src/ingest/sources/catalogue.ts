import type { State } from "../../data/db/schema.ts"
import { nearestName } from "../../system/text/nearest-name.ts"
import { asxAnnouncements } from "./asx-announcements.ts"
import { asxDirectory } from "./asx-directory.ts"
import { asxSectors } from "./asx-sectors.ts"
import { hasRequired } from "./columns.ts"
import { national, nationalByState, nt, tas } from "./national.ts"
import { nsw } from "./nsw.ts"
import {
  ownCompanies,
  ownDeclaredTenements,
  ownReports,
  ownSubsidiaries,
  ownTenements,
} from "./own-columns.ts"
import { qld } from "./qld.ts"
import { sa } from "./sa.ts"
import type { Source } from "./source.ts"
import { vic } from "./vic.ts"
import { wa } from "./wa.ts"

/** The sources of files, in the order in which the command line lists them. */
export const loadableSources: readonly Source[] = [
  ownCompanies,
  ownTenements,
  ownSubsidiaries,
  ownReports,
  ownDeclaredTenements,
  asxDirectory,
  asxSectors,
  asxAnnouncements,
  wa,
  qld,
  sa,
  nsw,
  vic,
  national,
  tas,
  nt,
  ...nationalByState,
]

/** The national view gives way to all others. */
const registers = [
  ...loadableSources.filter((source) => source.states && source !== national),
  national,
]

/** The sources that may have the tenements of a state: of those that are loaded, the first has all of them. */
export const sourcesOfState = (state: State): string[] =>
  registers.filter(({ states }) => states?.includes(state)).map(({ name }) => name)

/** The sources that yield to the one of that name, which takes over their records. */
export const sourcesYieldingTo = (name: string): string[] =>
  loadableSources.filter(({ yieldsTo }) => yieldsTo?.includes(name)).map((source) => source.name)

/**
 * The source of a file's first line: by its banner or, among the sources all of whose required
 * columns it has, the one with the most.
 */
export const sourceOfColumns = (header: readonly string[]): Source | undefined =>
  loadableSources.find(({ banner }) => banner?.test(header.join(","))) ??
  loadableSources
    .filter(({ columns }) => hasRequired(columns, header))
    .sort((a, b) => b.columns.required.length - a.columns.required.length)[0]

/** The source of that name, or an error message that lists the sources. */
export function sourceNamed(name: string): Source | string {
  const source = loadableSources.find((candidate) => candidate.name === name)
  if (source) return source
  const names = loadableSources.map((candidate) => candidate.name)
  const near = nearestName(name, names)
  return `Unknown source "${name}"${near ? ` (did you mean "${near}"?)` : ""}. Sources: ${names.join(", ")}`
}
