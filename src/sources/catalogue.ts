import { asxAnnouncements } from "./asx-announcements.ts"
import { asxDirectory } from "./asx-directory.ts"
import { nearest } from "./columns.ts"
import { ownCompanies, ownReports, ownSubsidiaries, ownTenements } from "./own-columns.ts"
import type { Source } from "./source.ts"

/** Every source, in the order in which the command line lists them. */
export const sources: readonly Source[] = [
  ownCompanies,
  ownTenements,
  ownSubsidiaries,
  ownReports,
  asxDirectory,
  asxAnnouncements,
]

/** The source of that name, or a sentence that says which there are. */
export function sourceNamed(name: string): Source | string {
  const source = sources.find((candidate) => candidate.name === name)
  if (source) return source
  const names = sources.map((candidate) => candidate.name)
  const near = nearest(name, names)
  return `There is no source "${name}"${near ? ` (is it "${near}"?)` : ""}. Sources are ${names.join(", ")}.`
}
