import type { State } from "../../data/db/schema.ts"
import { nearestName } from "../../system/text/nearest-name.ts"
import { asxAnnouncements } from "./asx-announcements.ts"
import { asxDirectory } from "./asx-directory.ts"
import { hasRequired } from "./columns.ts"
import { inNational, national, nt, tas } from "./national.ts"
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
  asxAnnouncements,
  wa,
  qld,
  sa,
  nsw,
  vic,
  tas,
  nt,
]

/** The sources of these states, for files of several states in the national view. */
export const sourcesOfStates = (states: ReadonlySet<State>): Source[] =>
  loadableSources.filter(({ state }) => state && states.has(state)).map(inNational)

/**
 * The source of a file's first line: by its banner or, among the sources all of whose required
 * columns it has, the one with the most. The national view does not show its state.
 */
export const sourceOfColumns = (
  header: readonly string[],
): Pick<Source, "name" | "description"> | undefined =>
  loadableSources.find(({ banner }) => banner?.test(header.join(","))) ??
  [national, ...loadableSources]
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
